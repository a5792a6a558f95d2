import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/events.ts";
import { watchAttention } from "../../src/views/attention.ts";

describe("What a person looks at", () => {
  it("polls what the timeline or a comparison shows as open ones, while it shows them", () => {
    const open: string[] = [];
    const visible: boolean[] = [];
    const shown = new Emitter<void>((error) => {
      throw error;
    });
    const onDidChangeShown = shown.event;
    const timeline = { shown: undefined as string | undefined, onDidChangeShown };
    const comparisons = { shown: [] as readonly string[], onDidChangeShown };
    const hidden = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
    const watching = watchAttention(
      { attend: (now) => open.push([...now.open].join()) },
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
    const changes = open.filter((each, at) => each !== open[at - 1]);
    assert.deepEqual(changes, ["", "one", "two", "", "four,five", ""]);
    assert.deepEqual(visible.slice(1, 4), [true, true, false]);
  });
});
