import assert from "node:assert/strict";
import { CrewApiError } from "../../../../src/api/errors.ts";
import { readCalls } from "../../../../src/api/read-events.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import { activityOf } from "../../../../src/executions/activity.ts";
import type { Execution } from "../../../../src/executions/model.ts";
import { callModel, readCall, textsOf } from "../../../../src/views/page/calls.ts";
import { aKeptCall, sampleCalls } from "../../../support/page/call-samples.ts";
import { aRichExecution, someEvents } from "../../../support/page/samples.ts";

const began = Date.parse("2026-10-21T12:00:00.000Z");
const at = (seconds: number) => new Date(began + seconds * 1000).toISOString();
const model = { kind: "model", name: "chat/completions" };

/** The calls of `someEvents`: two of the model, and one of the tool `lookup` between them. */
const listed = [
  // Its service's clock differs from the events'.
  { ...model, number: 1, at: at(0.2), id: "a" },
  { kind: "tool", name: "LookUp", number: 2, at: at(4) },
  { ...model, number: 3, at: at(5) },
];

interface Service {
  readonly calls?: readonly JsonObject[];
  readonly bodies?: Readonly<Record<number, JsonObject>>;
  readonly error?: Error;
  readonly execution?: Partial<Execution>;
}

/** Reads a call as the page does. */
async function read(span: string, { calls = listed, bodies = {}, error, execution }: Service = {}) {
  const asked: (string | number)[] = [];
  const client = {
    calls: async (id: string) => {
      asked.push(id);
      return error === undefined ? readCalls({ calls }) : Promise.reject(error);
    },
    call: (_id: string, number: number) => {
      asked.push(number);
      return Promise.resolve(bodies[number] ?? aKeptCall());
    },
  };
  const crews = { ready: () => Promise.resolve(), client: () => Promise.resolve(client) };
  const shown = aRichExecution(execution);
  const events = someEvents().map((each) => ({
    ...each,
    ...(each.id === "m1" && { callId: "a" }),
    // As crewAI writes its name.
    ...(each.tool !== undefined && { tool: "look_up" }),
  }));
  const { spans } = activityOf(shown, { events, left: 0 });
  const own = spans.find(({ id }) => id === span)!;
  // It asks for no more of them.
  const call = await readCall(crews, shown, spans, own);
  return { call, asked, page: callModel(call, [{ pattern: "*", input: 1, output: 10 }]) };
}

describe("A call on the page", () => {
  it("is the kept one of its span: by its ID, else by its tool and time", async () => {
    const asked = await Promise.all(
      ["m1", "u1", "m3"].map(async (span) => (await read(span)).asked.at(-1)),
    );
    assert.deepEqual(asked, [1, 2, 3]);
  });

  it("has what was said, tokens, cost and why the model stopped", async () => {
    const { page } = await read("m3");
    assert.deepEqual(page.facts, ["estimated cost $0.00073", "ended with “stop”"]);
    assert.deepEqual(page.said?.answered, [
      { role: "assistant", text: "# Two teas\n\n- Assam\n- Sencha" },
    ]);
    assert.deepEqual(page.actions, ["compareCalls", "copyCall", "copyCallAsCurl"]);
    const tool = { kind: "tool", name: "lookup", request: { topic: "tea" }, error: "No teas" };
    const called = (await read("u1", { bodies: { 2: tool } })).page;
    assert.deepEqual(called.said?.asked, [{ role: "arguments", text: '{\n  "topic": "tea"\n}' }]);
    assert.deepEqual(called.said.answered, [{ role: "error", text: "No teas" }]);
    assert.deepEqual(called.actions, ["copyCall"]);
    const first = (await read("m1")).page.actions;
    assert.deepEqual(first, ["copyCall", "copyCallAsCurl"]);
  });

  it("is compared with the last one of its agent", async () => {
    const [first] = sampleCalls["chat/completions"]!;
    const { call } = await read("m3", { bodies: { 1: aKeptCall({ ...first } as JsonObject) } });
    const [before = "", now = ""] = await textsOf("compareCalls", call);
    assert.ok(before.endsWith('"most": 2\n}\n') && now.startsWith(before));
  });

  it("is copied as JSON, and as cURL without a key", async () => {
    const { call } = await read("m3");
    const [json = ""] = await textsOf("copyCall", call);
    assert.deepEqual(JSON.parse(json), aKeptCall());
    for (const [name, [{ request }]] of Object.entries(sampleCalls)) {
      const body = { kind: "model", name, request: { ...(request as object), note: "it's $HOME" } };
      const [curl = ""] = await textsOf("copyCallAsCurl", { span: call.span, body });
      const key = /: ?(Bearer )?\$(OPENAI|ANTHROPIC|GEMINI)_API_KEY"/;
      assert.match(curl, key, name);
      assert.match(curl, new RegExp(`^curl -X POST "\\S+/${name.replace("/", "\\/")}" `), name);
      assert.ok(curl.includes(`"note":"it'\\''s $HOME"`), curl);
    }
    const hostile = { name: 'a";$(touch x)`y`', request: {} };
    const [curl = ""] = await textsOf("copyCallAsCurl", { span: call.span, body: hostile });
    assert.match(curl, /^curl -X POST "\$\{OPENAI_BASE_URL:-[^}"]+\}\/atouchxy" /);
  });

  it("says why it isn't kept, or only its beginning", async () => {
    const factsOf = async (service: Service) => (await read("m1", service)).page.facts.at(-1) ?? "";
    assert.match(await factsOf({ calls: [] }), /^It is not kept\. Kept are up to 20 MB/);
    assert.match(
      await factsOf({ calls: [{ ...listed[0]!, is_dropped: true }] }),
      /^It is not kept/,
    );
    const cut = aKeptCall({ request: '{"messages": [', isCut: true });
    const { page } = await read("m1", { bodies: { 1: cut } });
    assert.match(page.facts.at(-1) ?? "", /larger than 1 MB/);
    assert.deepEqual(
      [page.said?.asked, page.actions],
      [[{ role: "request", text: '{"messages": [' }], ["copyCall"]],
    );
    const error = new CrewApiError({ kind: "notFound", message: "No such path", remedy: "" });
    assert.match(await factsOf({ error }), /^Deployed crews keep no calls\. With event streaming/);
    const local = { crew: { ...aRichExecution().crew, id: "local:file:///a" } };
    assert.equal(await factsOf({ error, execution: local }), "No such path");
    const rehearsed = await read("m1", { execution: { engine: "rehearsal" } });
    assert.deepEqual(
      [rehearsed.asked, rehearsed.page.facts.at(-1)],
      [[], "A rehearsal calls no model."],
    );
  });
});
