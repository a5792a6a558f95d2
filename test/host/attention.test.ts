import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/events.ts";
import { watchAttention } from "../../src/views/attention.ts";

describe("What a person looks at", () => {
  it("polls the execution that the timeline shows as an open one, while it shows it", () => {
    const open: [string, boolean][] = [];
    const visible: boolean[] = [];
    const shown = new Emitter<void>((error) => {
      throw error;
    });
    const timeline: { shown: string | undefined; onDidChangeShown: typeof shown.event } = {
      shown: undefined,
      onDidChangeShown: shown.event,
    };
    const hidden = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
    const watching = watchAttention(
      { setOpen: (...change) => open.push(change), setWatched: () => undefined },
      { look: () => undefined, setVisible: (is) => visible.push(is) },
      { view: { visible: false, onDidChangeVisibility: hidden.event } },
      { summary: () => undefined },
      timeline,
    );
    const show = (localId: string | undefined) => {
      timeline.shown = localId;
      shown.fire();
    };
    show("one");
    show("two");
    show(undefined);
    watching.dispose();
    show("three");
    hidden.dispose();
    assert.deepEqual(open, [
      ["one", true],
      ["one", false],
      ["two", true],
      ["two", false],
    ]);
    assert.deepEqual(visible.slice(-3), [true, true, false]);
  });
});
