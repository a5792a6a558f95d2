import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/events.ts";
import { watchAttention } from "../../src/views/attention.ts";

describe("What a person looks at", () => {
  it("polls what the timeline or a comparison shows as open ones, while it shows them", () => {
    const open: [string, boolean][] = [];
    const visible: boolean[] = [];
    const shown = new Emitter<void>((error) => {
      throw error;
    });
    const timeline: { shown: string | undefined; onDidChangeShown: typeof shown.event } = {
      shown: undefined,
      onDidChangeShown: shown.event,
    };
    const comparisons: { shown: readonly string[]; onDidChangeShown: typeof shown.event } = {
      shown: [],
      onDidChangeShown: shown.event,
    };
    const hidden = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
    const watching = watchAttention(
      { setOpen: (...change) => open.push(change), setWatched: () => undefined },
      { look: () => undefined, setVisible: (is) => visible.push(is) },
      { view: { visible: false, onDidChangeVisibility: hidden.event } },
      { summary: () => undefined },
      timeline,
      comparisons,
    );
    const show = (localId: string | undefined) => {
      timeline.shown = localId;
      shown.fire();
    };
    show("one");
    show("two");
    show(undefined);
    comparisons.shown = ["four", "five"];
    shown.fire();
    comparisons.shown = [];
    shown.fire();
    watching.dispose();
    show("three");
    hidden.dispose();
    assert.deepEqual(open, [
      ["one", true],
      ["one", false],
      ["two", true],
      ["two", false],
      ["four", true],
      ["five", true],
      ["four", false],
      ["five", false],
    ]);
    assert.deepEqual(visible.slice(1, 4), [true, true, false]);
  });
});
