import assert from "node:assert/strict";
import type { KickoffRequest } from "../../src/api/types.ts";
import { kickoffVerb } from "../../src/actions/kickoff.ts";
import { asObject } from "../../src/base/json.ts";
import type { Crew } from "../../src/crews/types.ts";
import { anExecution } from "../unit/views/executions.ts";
import { crewsOf, targetsIn } from "./execution-parts.ts";

const crew: Crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };
function commands() {
  const sent: KickoffRequest[] = [];
  const opened: unknown[] = [];
  const started: unknown[] = [];
  const kickoff = kickoffVerb({
    crews: crewsOf(crew),
    targets: targetsIn(
      { find: () => undefined, list: () => [], refresh: () => undefined },
      crewsOf(crew),
    ),
    forms: {
      open: (...what) => (opened.push(what), Promise.resolve(undefined)),
    },
    sending: {
      send: (_crew, request) => (
        sent.push(request),
        Promise.resolve(
          anExecution({ localId: `local-${sent.length}`, kickoffIds: [`k-${sent.length}`] }),
        )
      ),
    },
    locals: { start: (options) => (started.push(options), Promise.resolve(crew)) },
  });
  const run = (argument: unknown) => kickoff(argument);
  return { sent, opened, started, run };
}

describe("Kicking off by a click", () => {
  const row = { kind: "crew", crew: crew.id };

  it("opens the form on each click, and starts as often as a program says that nothing is to be asked", async () => {
    const { sent, opened, run } = commands();
    await Promise.all([run(row), run(row)]);
    assert.deepEqual([opened, sent], [Array(2).fill([crew, {}]), []]);
    const withoutForm = { crew: crew.name, form: false };
    const made = await Promise.all([run(withoutForm), run(withoutForm)]);
    const ids = made.map((each) => asObject(each)["kickoffId"]);
    assert.deepEqual(ids, ["k-1", "k-2"]);
  });

  it("opens the form from the Command Palette or on request, with its callbacks and meta, and sends nothing", async () => {
    const { sent, opened, run } = commands();
    await run(undefined);
    const more = { meta: { ticket: 7 }, crewWebhookUrl: "https://hooks.test" };
    await run({ crew: crew.name, ...more });
    await run({ crew: crew.name, form: true });
    const forms = [{}, more, {}].map((values) => [crew, values]);
    assert.deepEqual([opened, sent], [forms, []]);
  });

  it("starts the crew of a project's folder, and then opens its form", async () => {
    const { sent, opened, started, run } = commands();
    await run({ folder: "file:///poems", form: true, by: "person" });
    assert.deepEqual([started, opened, sent], [[{ folder: "file:///poems" }], [[crew, {}]], []]);
  });

  it("is refused for both a crew and a folder, and without a question for neither", async () => {
    const { sent, opened, started, run } = commands();
    const both = { crew: crew.name, folder: "file:///poems" };
    for (const form of [true, false, undefined])
      await assert.rejects(run({ ...both, form }), /^UserError: Give “crew” or “folder”, not both/);
    await assert.rejects(run({ form: false }), /“crew” is missing/);
    assert.deepEqual([started, opened, sent], [[], [], []]);
  });
});
