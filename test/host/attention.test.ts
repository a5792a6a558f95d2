import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/events.ts";
import { partUri } from "../../src/editor/execution-uri.ts";
import { isInFront, watchAttention } from "../../src/views/attention.ts";
import { anExecution } from "../unit/views/executions.ts";

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
    const changesIn = <T>(all: readonly T[]) => all.filter((each, at) => each !== all[at - 1]);
    assert.deepEqual(changesIn(open), ["", "one", "two", "", "four,five", ""]);
    assert.deepEqual(changesIn(visible).slice(-2), [true, false]);
  });

  it("is in front while it is being opened, and as soon as its tab is active, also as a diff whose editors aren't visible yet", () => {
    const execution = anExecution();
    const address = { crewName: execution.crew.name, key: "11111111-aaaa" };
    const uri = (attempt: number) =>
      partUri(address, { kind: "attempt", taskId: "review", attempt }, "md");
    const state = Object.getOwnPropertyDescriptor(vscode.window, "state")!;
    const tabGroups = Object.getOwnPropertyDescriptor(vscode.window, "tabGroups")!;
    const isShown = (input: unknown, isOpening = false) => {
      const all = [{ activeTab: { input } }];
      Object.defineProperty(vscode.window, "tabGroups", { ...tabGroups, get: () => ({ all }) });
      const opening = new Set(isOpening ? [execution.localId] : []);
      return isInFront({ summary: () => execution }, { opening }, execution);
    };
    try {
      Object.defineProperty(vscode.window, "state", { ...state, get: () => ({ focused: true }) });
      assert.equal(isShown(undefined), false);
      assert.equal(isShown(undefined, true), true);
      assert.equal(isShown(new vscode.TabInputTextDiff(uri(1), uri(2))), true);
      assert.equal(isShown(new vscode.TabInputCustom(uri(2), "crewdeck.page")), true);
    } finally {
      Object.defineProperty(vscode.window, "tabGroups", tabGroups);
      Object.defineProperty(vscode.window, "state", state);
    }
  });
});
