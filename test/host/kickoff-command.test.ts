import assert from "node:assert/strict";
import { CrewClient } from "../../src/api/client.ts";
import type { CrewInputs, KickoffRequest } from "../../src/api/types.ts";
import { kickoffVerb } from "../../src/actions/kickoff.ts";
import { askerOf } from "../../src/actions/asker.ts";
import type { Crew } from "../../src/crews/types.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";
import { anExecution } from "../unit/views/executions.ts";
import { crewsOf, targetsIn } from "./execution-parts.ts";

const crew: Crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };
const asksFor =
  (...names: readonly string[]) =>
  (): Promise<CrewInputs> =>
    Promise.resolve({ fields: names.map((name) => ({ name })) });

function commands(inputs: () => Promise<CrewInputs>) {
  const sent: KickoffRequest[] = [];
  const opened: unknown[] = [];
  const started: unknown[] = [];
  const clock = new FakeClock();
  const kickoff = kickoffVerb({
    crews: { ...crewsOf(crew), inputs },
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
    clock,
    page: { open: () => Promise.resolve() },
    locals: { start: (options) => (started.push(options), Promise.resolve(crew)) },
  });
  const run = async (argument: unknown) => await kickoff(argument, askerOf(argument));
  return { sent, opened, started, clock, run };
}

describe("Kicking off by a click", () => {
  const row = { kind: "crew", crew: crew.id };

  it("starts a crew without inputs once for a double click, even if the crew responds in between, and again for a later click", async () => {
    const { sent, clock, run } = commands(asksFor());
    const made = await Promise.all([run(row), run(row)]);
    const first = { crew: "Writers", kickoffId: "k-1" };
    assert.deepEqual(made, [first, first]);
    await clock.pass(500);
    assert.deepEqual(await run(row), first);
    assert.equal(sent.length, 1);
    await clock.pass(1_000);
    await run(row);
    assert.equal(sent.length, 2);
  });

  it("starts twice if a program runs the command twice", async () => {
    const { sent, run } = commands(asksFor());
    const withoutForm = { crew: crew.name, form: false };
    await Promise.all([run(withoutForm), run(withoutForm)]);
    assert.equal(sent.length, 2);
    await run({ crew: crew.name });
    await run({ crew: crew.name });
    assert.equal(sent.length, 4);
  });

  it("shows the form on each click if the crew has inputs", async () => {
    const { sent, opened, run } = commands(asksFor("topic"));
    await Promise.all([run(row), run(row)]);
    assert.deepEqual([opened, sent], [Array(2).fill([crew, {}]), []]);
  });

  it("opens the form of a crew without inputs from the Command Palette or on request, with its callbacks and meta, and sends nothing", async () => {
    const { sent, opened, run } = commands(asksFor());
    await run(undefined);
    const more = { meta: { ticket: 7 }, crewWebhookUrl: "https://hooks.test" };
    await run({ crew: crew.name, ...more });
    await run({ crew: crew.name, form: true });
    const forms = [{}, more, {}].map((values) => [crew, values]);
    assert.deepEqual([opened, sent], [forms, []]);
  });

  it("starts the crew of a project's folder, and then opens its form", async () => {
    const { sent, opened, started, run } = commands(asksFor());
    await run({ folder: "file:///poems", form: true, by: "person" });
    assert.deepEqual([started, opened, sent], [[{ folder: "file:///poems" }], [[crew, {}]], []]);
  });

  it("is refused for both a crew and a folder, and without a question for neither", async () => {
    const { sent, opened, started, run } = commands(asksFor());
    const both = { crew: crew.name, folder: "file:///poems" };
    for (const form of [true, false, undefined])
      await assert.rejects(run({ ...both, form }), /^UserError: Give “crew” or “folder”, not both/);
    await assert.rejects(run({ form: false }), /“crew” is missing/);
    assert.deepEqual([started, opened, sent], [[], [], []]);
  });

  it("doesn't read an unknown response as a crew without inputs: it opens the form, which shows the problem, and sends nothing", async () => {
    for (const answer of ['{"inputs": null}', '{"inputs": [null]}', "{}"]) {
      const client = new CrewClient(crew.url, "token", {
        fetch: () => Promise.resolve(new Response(answer)),
      });
      const { sent, opened, run } = commands(() => client.inputs());
      await run(row);
      assert.deepEqual([opened, sent], [[[crew, {}]], []], answer);
    }
  });
});
