import assert from "node:assert/strict";
import type { CrewInputs, KickoffRequest } from "../../src/api/types.ts";
import { kickoffCommand, type KickoffParts } from "../../src/commands/kickoff.ts";
import type { Crew } from "../../src/crews/types.ts";
import { anExecution } from "../unit/views/executions.ts";

const crew: Crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };

/** The command with a crew that asks for these inputs. */
function command(fields: CrewInputs["fields"]) {
  const sent: KickoffRequest[] = [];
  const opened: string[] = [];
  const parts = {
    crews: { get: () => crew, list: () => [crew], inputs: () => Promise.resolve({ fields, raw: {} }) },
    forms: { open: ({ name }: Crew) => (opened.push(name), Promise.resolve(undefined)) },
    sender: { send: (_crew: Crew, request: KickoffRequest) => (sent.push(request), Promise.resolve(anExecution({ localId: `local-${sent.length}`, kickoffIds: [`k-${sent.length}`] }))) },
    wake: () => Promise.resolve(),
    show: () => Promise.resolve(),
  } as unknown as KickoffParts;
  return { sent, opened, run: kickoffCommand(parts).run };
}

describe("Kicking off by a click", () => {
  const row = { kind: "crew", crew: crew.id };

  it("starts a crew that asks for nothing once for a double click, and again for a later one", async () => {
    const { sent, run } = command([]);
    const made = await Promise.all([run(row), run(row)]);
    assert.deepEqual(made, [{ crew: "Writers", kickoffId: "k-1" }, { crew: "Writers", kickoffId: "k-1" }]);
    assert.equal(sent.length, 1);
    await run(row);
    assert.equal(sent.length, 2);
  });

  it("starts twice for a program that says so twice", async () => {
    const { sent, run } = command([]);
    await Promise.all([run({ crew: crew.name, form: false }), run({ crew: crew.name, form: false })]);
    assert.equal(sent.length, 2);
  });

  it("brings the form to the front at each click where there is something to ask", async () => {
    const { sent, opened, run } = command([{ name: "topic" }]);
    await Promise.all([run(row), run(row)]);
    assert.deepEqual([opened, sent], [["Writers", "Writers"], []]);
  });
});
