import assert from "node:assert/strict";
import type { Crews } from "../../src/crews/crews.ts";
import { systemClock } from "../../src/base/clock.ts";
import { track } from "../../src/commands/track.ts";
import { openWindow } from "../unit/sending/window.ts";
import { executionCommands, type ExecutionParts } from "../../src/commands/executions.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { ScriptedPerson, type Move } from "./scripted-person.ts";
import { viewParts, type ViewParts } from "./view-parts.ts";

describe("Commands that remove executions", () => {
  let parts: ViewParts;

  beforeEach(async () => {
    parts = await viewParts();
  });

  afterEach(() => parts.dispose());

  /** Runs a command as a person does, and says what it asked. */
  const run = async (id: string, argument: unknown, ...moves: Move[]) => {
    const crews = { find: () => anExecution().crew } as unknown as Crews;
    const commands = executionCommands({
      crews,
      store: parts.store,
    } as unknown as ExecutionParts);
    const person = new ScriptedPerson(moves);
    try {
      await commands[id]?.(argument);
      assert.deepEqual(person.left, []);
      return person.shown.map(({ text, detail = "" }) => `${text}\n${detail}`);
    } finally {
      person.dispose();
    }
  };
  const kept = () =>
    parts.store
      .list()
      .map(({ localId }) => localId)
      .sort();
  const row = (id: string) => ({
    kind: "execution",
    group: "x",
    crew: anExecution().crew.id,
    localId: id,
    kickoffId: id,
  });

  it("clear what has ended, except pinned executions, which the question mentions", async () => {
    for (const localId of ["one", "two"])
      parts.store.add(notWaiting({ localId, kickoffIds: [localId], state: "completed" }));
    parts.store.add(
      notWaiting({ localId: "pinned", kickoffIds: ["pinned"], state: "completed", pinned: true }),
    );
    parts.store.add(anExecution());
    assert.match(
      (await run("clearEnded", undefined, "escape"))[0] ?? "",
      /^Clear 2 ended executions\?\n.*Pinned executions stay\.$/,
    );
    await run("clearEnded", undefined, { press: "Clear" });
    assert.deepEqual(kept(), ["local-1", "pinned"]);
    assert.deepEqual(await run("clearEnded", undefined), [], "nothing to ask about");
  });

  it("remove from the list, with what continues and the ID to track it again", async () => {
    parts.store.add(anExecution({ kickoffIds: ["waits"] }));
    parts.store.add(notWaiting({ localId: "done", kickoffIds: ["done"], state: "completed" }));
    const [running = ""] = await run("untrackExecution", row("waits"), "escape");
    assert.match(running, /It continues at the crew.*Its ID is waits\.$/);
    const [ended = ""] = await run("untrackExecution", row("done"), { press: "Remove from List" });
    assert.match(ended, /Its ID is done\.$/);
    assert.doesNotMatch(ended, /continues/);
    assert.deepEqual(kept(), ["local-1"]);
  });

  it("remove from the list what may have started, without an ID", async () => {
    parts.store.add(notWaiting({ localId: "lost", kickoffIds: [], state: "unconfirmed" }));
    const [question = ""] = await run("untrackExecution", row("lost"), {
      press: "Remove from List",
    });
    assert.match(
      question,
      /The kickoff got no response\. If the execution started, it continues at the crew/,
    );
    assert.doesNotMatch(question, /Its ID is/);
    assert.deepEqual(kept(), []);
  });

  it("track no second record of what another window has just begun to track", async () => {
    const other = openWindow(parts.folder);
    other.store.add(notWaiting({ localId: "theirs", kickoffIds: ["k-9"] }));
    other.dispose();
    assert.deepEqual(kept(), [], "not read yet");
    const { crew } = anExecution();
    const nothing = () => Promise.resolve();
    await track(
      {
        crews: {
          get: () => crew,
          find: () => crew,
          list: () => [crew],
          ready: () => Promise.resolve(crew),
        },
        store: parts.store,
        tracker: { pollNow: nothing },
        clock: systemClock,
        documents: { show: nothing },
      } as unknown as ExecutionParts,
      { crew: crew.name, kickoffId: "k-9" },
    );
    assert.deepEqual(kept(), ["theirs"]);
  });
});
