import assert from "node:assert/strict";
import * as vscode from "vscode";
import { systemClock } from "../../src/base/clock.ts";
import { Emitter } from "../../src/base/events.ts";
import { without, type Execution } from "../../src/executions/model.ts";
import { showNotifications } from "../../src/views/notifications.ts";
import type { Crew } from "../../src/crews/types.ts";
import { showStatusBar } from "../../src/views/status-bar.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { set, withReplaced } from "./extension.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

const setting = (kind: string) =>
  vscode.workspace.getConfiguration("crewdeck.notifications").get(kind);
const turn = (kind: string, isOn: boolean | undefined) => set(`notifications.${kind}`, isOn);
const isoAgo = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
const runs = (localId: string, changes: Partial<Execution> = {}) =>
  notWaiting({ localId, kickoffIds: [localId], label: localId, ...changes });
const ended = (localId: string, changes: Partial<Execution> = {}) =>
  runs(localId, { state: "completed", endedAt: isoAgo(0), ...changes });

describe("Notifications", () => {
  let parts: ViewParts;
  let shown: string[];
  let answer: string | undefined;
  const windows: vscode.Disposable[] = [];

  afterEach(async () => {
    for (const window of windows.splice(0)) window.dispose();
    for (const kind of ["waiting", "failed", "completed"]) await turn(kind, undefined);
  });

  eachWithViewParts((fresh) => {
    parts = fresh;
    [shown, answer] = [[], undefined];
  });

  const untilShown = (count: number) =>
    waitFor(`${count} notifications`, () => shown.length >= count);

  const openWindow = (
    claim = (event: string, localId: string) => parts.store.claim(event, localId),
  ) => {
    const changes = new Emitter<boolean>((error) => assert.fail(String(error)));
    const leader = {
      isThisWindow: true,
      confirm: () => true,
      onDidChange: changes.event,
    };
    windows.push(
      showNotifications({
        store: {
          claim,
          list: () => parts.store.list(),
          summary: (id) => parts.store.summary(id),
          onDidChange: parts.store.onDidChange,
        },
        leader,
        clock: systemClock,
        isInFront: ({ localId }) => localId === "in front",
        show: (_kind, message, buttons) => {
          shown.push(`${message} [${buttons.join(" | ")}]`);
          return Promise.resolve(buttons.find((button) => button === answer));
        },
      }),
    );
    changes.fire(true);
  };
  const end = (localId: string, state: "completed" | "failed") =>
    parts.store.update(localId, (execution) => ({ ...execution, state, endedAt: isoAgo(0) }));

  it("report executions that wait or failed, and completed ones only if the setting is on", async () => {
    openWindow();
    for (const id of ["one", "two"]) parts.store.add(runs(id, { startedAt: isoAgo(60_000) }));
    end("one", "completed");
    end("two", "failed");
    await untilShown(1);
    assert.deepEqual(shown, ["“two” of “Writers”: Failed [Open | Run Again… | Don't Show Again]"]);
    await turn("completed", true);
    parts.store.add(ended("three"));
    await untilShown(2);
    assert.match(shown[1]!, /“three” of “Writers”: Completed/);
    parts.store.add(anExecution());
    await untilShown(3);
    assert.match(
      shown[2]!,
      /waits for you at task “review”\. \[Open \| Approve \| Reject… \| Don't Show Again\]/,
    );
  });

  it("report what a local crew completed while no window was open, together, unless the person turned it off", async () => {
    const crew = { id: "local:file:///crew", name: "Mine", url: "http://127.0.0.1:1" };
    for (const id of ["one", "two", "three", "four"])
      parts.store.add(runs(id, { crew, startedAt: isoAgo(60_000) }));
    openWindow();
    const endUnseen = (id: string) =>
      parts.store.update(id, (each) => ({ ...each, state: "completed", endedAt: isoAgo(30_000) }));
    endUnseen("one");
    endUnseen("two");
    await untilShown(1);
    await turn("completed", false);
    endUnseen("three");
    end("four", "failed");
    await untilShown(2);
    assert.deepEqual(shown, [
      "Completed executions: 2 [Show All | Don't Show Again]",
      "“four” of “Mine”: Failed [Open | Run Again… | Don't Show Again]",
    ]);
  });

  it("are shown later if the database is busy", async () => {
    let claims = 0;
    openWindow((...event) => {
      claims += 1;
      if (claims === 1) throw new Error("Another window is using Crewdeck's data.");
      return parts.store.claim(...event);
    });
    const { localId } = parts.store.add(anExecution());
    await waitFor("the first try", () => claims > 0);
    parts.store.update(localId, (execution) => ({ ...execution, seenAt: isoAgo(0) }));
    await untilShown(1);
  });

  const topics = (audience: string, changes: Partial<Execution> = {}) =>
    anExecution({
      localId: audience,
      kickoffIds: [audience],
      request: { inputs: { topic: "e-bikes", audience }, callbacks: {} },
      ...changes,
    });

  const calls = async (
    what: (called: readonly unknown[]) => Promise<unknown>,
  ): Promise<unknown[]> => {
    const called: unknown[] = [];
    const { executeCommand } = vscode.commands;
    const recording = (id: string, ...args: unknown[]) =>
      /^(crewdeck|list)\./.test(id)
        ? Promise.resolve(void called.push([id, ...args]))
        : executeCommand(id, ...args);
    await withReplaced(vscode.commands, { executeCommand: recording }, () => what(called));
    return called;
  };

  it("are combined into one with their number if many come at once, with buttons for the one that waits longest and for all", async () => {
    for (let run = 1; run <= 15; run++)
      parts.store.add(
        topics(`a${run}`, { waiting: { ...anExecution().waiting!, since: isoAgo(run * 1000) } }),
      );
    answer = "Next to Review";
    const opened = await calls(async (called) => {
      openWindow();
      parts.store.add(ended("failed", { state: "failed" }));
      await waitFor("both, and the execution", () => shown.length === 2 && called.length === 1);
    });
    assert.deepEqual(shown.toSorted(), [
      "Executions that wait for you: 15 [Next to Review | Show All | Don't Show Again]",
      "“failed” of “Writers”: Failed [Open | Run Again… | Don't Show Again]",
    ]);
    assert.deepEqual(opened, [["crewdeck.nextToReview", { by: "person" }]]);
    answer = "Show All";
    const shownAll = await calls(async (called) => {
      for (let run = 1; run <= 4; run++) parts.store.add(topics(`b${run}`));
      await waitFor("number and view", () => shown.length === 3 && called.length === 2);
    });
    assert.match(shown[2]!, /^Executions that wait for you: 19/);
    assert.deepEqual(shownAll, [["crewdeck.executions.focus"], ["list.focusFirst"]]);
    windows.shift()?.dispose();
    answer = undefined;
    openWindow();
    parts.store.add(topics("later"));
    await untilShown(4);
    // Counted executions are not reported again.
    assert.match(shown.slice(3).join("\n"), /^“e-bikes · later”[^\n]*$/);
  });

  it("skip outputs that were answered before they could be shown", async () => {
    openWindow();
    parts.store.add(topics("answered"));
    parts.store.update("answered", (execution) => ({
      ...without(execution, "waiting"),
      state: "running",
    }));
    parts.store.add(topics("waits"));
    await untilShown(1);
    assert.match(shown.join("\n"), /^“waits”[^\n]*$/);
  });

  it("skip what is in front of the person", async () => {
    openWindow();
    parts.store.add(topics("in front"));
    parts.store.add(topics("elsewhere"));
    await untilShown(1);
    assert.match(shown.join("\n"), /^“elsewhere”[^\n]*$/);
  });

  it("can be turned off by kind with a button, which explains how to turn them on again", async () => {
    openWindow();
    answer = "Don't Show Again";
    parts.store.add(ended("one", { state: "failed" }));
    await waitFor("the setting to be off", () => setting("failed") === false);
    answer = undefined;
    parts.store.add(ended("two", { state: "failed" }));
    parts.store.add(anExecution());
    await waitFor("the notification of the pause", () =>
      shown.some((text) => text.includes("waits for you")),
    );
    assert.equal(shown.length, 2, "the second failure is not reported");
    assert.equal(setting("waiting"), true);
  });
});

describe("The status bar item", () => {
  let parts: ViewParts;
  let bar: vscode.Disposable;
  let item: vscode.StatusBarItem & { isShown: boolean };
  let crews: readonly Crew[];
  let crewsChanged: vscode.EventEmitter<undefined>;

  afterEach(() => void bar.dispose());

  eachWithViewParts((fresh) => {
    parts = fresh;
    item = {
      ...{ id: "", name: "", text: "", alignment: vscode.StatusBarAlignment.Left },
      ...{ priority: undefined, tooltip: undefined, color: undefined, command: undefined },
      ...{ backgroundColor: undefined, accessibilityInformation: undefined, isShown: false },
      show: () => void (item.isShown = true),
      hide: () => void (item.isShown = false),
      dispose: () => undefined,
    };
    crewsChanged = new vscode.EventEmitter();
    crews = [];
    const circumstances = {
      get connected() {
        return new Map(crews.map((crew) => [crew.id, crew]));
      },
      onDidChange: crewsChanged.event,
    };
    bar = showStatusBar(parts.store, circumstances, item);
  });

  it("shows how many run and how many wait, with icons and for screen readers, and is hidden when idle", () => {
    assert.equal(item.isShown, false);
    parts.store.add(runs("one"));
    assert.deepEqual(
      [item.isShown, item.text, item.accessibilityInformation?.label, item.backgroundColor],
      [true, "$(sync~spin) 1", "Crewdeck: 1 running", undefined],
    );
    parts.store.add(runs("two"));
    parts.store.add(anExecution());
    assert.equal(item.text, "$(sync~spin) 2 $(bell-dot) 1 to review");
    assert.equal(item.accessibilityInformation?.label, "Crewdeck: 2 running, 1 to review");
    assert.equal(item.backgroundColor?.id, "statusBarItem.warningBackground");
    for (const id of ["one", "two"])
      parts.store.update(id, (execution) => ({ ...execution, state: "completed" }));
    assert.equal(item.text, "$(bell-dot) 1 to review");
    parts.store.remove("local-1");
    assert.equal(item.isShown, false);
  });

  it("leaves out what a restart interrupted, until a person decides about it", () => {
    const held = runs("held");
    parts.store.add(held);
    assert.equal(item.text, "$(sync~spin) 1");
    const local = { folder: "file:///crew", engine: "crewai", running: true } as const;
    const interrupted = ["held"];
    crews = [{ ...held.crew, local: { ...local, interrupted } }];
    crewsChanged.fire(undefined);
    assert.equal(item.isShown, false);
    crews = [{ ...held.crew, local }];
    crewsChanged.fire(undefined);
    assert.deepEqual([item.isShown, item.text], [true, "$(sync~spin) 1"]);
  });
});
