import assert from "node:assert/strict";
import * as vscode from "vscode";
import { executionVerbs, trackVerb } from "../../src/actions/executions.ts";
import type { Execution } from "../../src/executions/model.ts";
import { confirmKickoff } from "../../src/executions/reduce.ts";
import { titleOf } from "../../src/executions/title.ts";
import { openWindow } from "../unit/sending/window.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { crewsOf, executionParts, runIn } from "./execution-parts.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

describe("Commands on the list of executions", () => {
  let parts: ViewParts;

  eachWithViewParts((fresh) => (parts = fresh));

  /** Runs a command as a person does, and returns the questions. */
  const run = async (id: string, argument: unknown, ...moves: Move[]) => {
    const commands = executionVerbs(executionParts(parts.store));
    const { shown } = await withPerson(moves, () => runIn(commands, id, argument));
    return shown.map(({ text, detail = "" }) => `${text}\n${detail}`);
  };
  const kept = () =>
    parts.store
      .list()
      .map(({ localId }) => localId)
      .sort();
  const row = (localId: string) => ({
    ...{ kind: "execution", group: "x", crew: anExecution().crew.id },
    ...{ localId, kickoffId: localId },
  });
  const addEnded = (localId: string, more: Partial<Execution> = {}) =>
    parts.store.add(notWaiting({ localId, kickoffIds: [localId], state: "completed", ...more }));

  it("clear ended executions, except pinned ones, which the question mentions", async () => {
    for (const localId of ["one", "two"]) addEnded(localId);
    addEnded("pinned", { pinned: true });
    parts.store.add(anExecution());
    const [asked = ""] = await run("clearEnded", undefined, "escape");
    assert.match(asked, /^Clear ended executions\? \(2\)\n.*Pinned executions stay\.$/);
    await run("clearEnded", undefined, { press: "Clear" });
    assert.deepEqual(kept(), ["local-1", "pinned"]);
    await assert.rejects(run("clearEnded", undefined), /no ended execution to clear/);
  });

  it("remove an execution after a question that shows its ID, if it is known", async () => {
    parts.store.add(anExecution({ kickoffIds: ["waits"] }));
    addEnded("done");
    parts.store.add(notWaiting({ localId: "lost", kickoffIds: [], state: "unconfirmed" }));
    const [running = ""] = await run("untrackExecution", row("waits"), "escape");
    assert.match(running, /if it has not ended, it continues there\..*its ID: waits$/);
    const remove = { press: "Remove from List" };
    await run("untrackExecution", row("done"), remove);
    const [question = ""] = await run("untrackExecution", row("lost"), remove);
    assert.match(question, /because the kickoff got no response$/);
    assert.deepEqual(kept(), ["local-1"]);
  });

  it("rename an execution and restore its first title, and copy its ID and its output", async () => {
    const { localId } = parts.store.add(anExecution({ kickoffIds: ["k-1", "local-1"] }));
    for (const [type, title] of [
      [" Tea time ", "Tea time"],
      ["", "Sea otters"],
    ] as const) {
      await run("renameExecution", row(localId), { type });
      assert.equal(titleOf(parts.store.find(localId)!), title);
    }
    for (const [command, copied] of [
      ["copyExecutionId", "local-1"],
      ["copyOutput", "# Draft\n\nText."],
    ] as const) {
      await run(command, row(localId));
      assert.equal(await vscode.env.clipboard.readText(), copied);
    }
  });

  it("ask for the ID or the status address of what to track, and say which text is none", async () => {
    const track = trackVerb(executionParts(parts.store));
    const { crew } = anExecution();
    for (const typed of [" k-9 ", `${crew.url}/status/k-9`]) {
      const moves = [{ type: "id k-9" }, { type: typed }];
      const { result, shown } = await withPerson(moves, () => track(undefined));
      assert.match(shown[0]?.complaint ?? "", /An ID has no spaces/);
      assert.deepEqual(result, { crew: crew.name, kickoffId: "k-9" });
    }
  });

  it("add no second record of an execution that another window has just tracked", async () => {
    const other = openWindow(parts.folder);
    other.store.add(notWaiting({ localId: "theirs", kickoffIds: ["k-9"] }));
    other.dispose();
    assert.deepEqual(kept(), [], "not read yet");
    const tracked = { crew: anExecution().crew.name, kickoffId: "k-9" };
    await trackVerb(executionParts(parts.store))(tracked);
    assert.deepEqual(kept(), ["theirs"]);
  });

  it("track a status address only at the crew that is named beside it, if one is", async () => {
    const { crew } = anExecution();
    const other = { id: "url:https://other.test", name: "Other", url: "https://other.test" };
    const track = trackVerb(executionParts(parts.store, crewsOf(crew, other)));
    const kickoffId = `${other.url}/status/k-9`;
    await assert.rejects(
      track({ crew: crew.name, kickoffId }),
      /is of a crew at https:\/\/other\.test, which is another one or not connected/,
    );
    await assert.rejects(track({ crew: "Nobody", kickoffId }), /Nobody/);
    assert.deepEqual(kept(), []);
    const tracked = { crew: other.name, kickoffId: "k-9" };
    assert.deepEqual(await track({ crew: other.name, kickoffId }), tracked);
    assert.deepEqual(await track({ kickoffId }), tracked);
  });

  it("find an execution by the ID that another window has just received", async () => {
    parts.store.add(notWaiting({ localId: "theirs", kickoffIds: [], state: "unconfirmed" }));
    const other = openWindow(parts.folder);
    other.store.update("theirs", (known) => confirmKickoff(known, "k-9"));
    other.dispose();
    await run("untrackExecution", { crew: anExecution().crew.name, kickoffId: "k-9" });
    assert.deepEqual(kept(), []);
  });
});
