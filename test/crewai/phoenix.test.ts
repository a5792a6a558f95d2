import assert from "node:assert/strict";
import { activityOf } from "../../src/executions/activity.ts";
import { readEndpoint } from "../../src/views/export/endpoint.ts";
import { sendSpans } from "../../src/spans/send.ts";
import { spansOf } from "../../src/spans/spans.ts";
import { needsPhoenix, type Phoenix, type PhoenixSpan, startPhoenix } from "../support/phoenix.ts";
import { recordedExecution } from "../support/recorded-execution.ts";
import { variedExecution } from "../support/timeline/samples.ts";
import { waitFor } from "../support/wait.ts";

describe("A real collector, Phoenix,", () => {
  let phoenix: Phoenix | undefined;

  needsPhoenix();
  before(async function () {
    this.timeout(0);
    phoenix = await startPhoenix();
  });
  after(async () => {
    await phoenix?.stop();
  });

  const send = async ({ execution, events }: ReturnType<typeof recordedExecution>) => {
    const activity = activityOf(execution, { events, left: 0 });
    const options = { now: Date.now(), version: "1.2.3", hasContent: true };
    const spans = spansOf(execution, activity, options);
    const sent = { headers: {}, userAgent: "crewdeck/1.2.3" };
    assert.equal(await sendSpans(spans, readEndpoint(phoenix!.url), sent), 0);
    return spans;
  };
  const stored = (traceId: string | undefined, count: number) =>
    waitFor("the spans", async () => {
      const own = (await phoenix!.spans()).filter(({ context }) => context.trace_id === traceId);
      return own.length >= count && own;
    });
  const tokens = (spans: readonly PhoenixSpan[], kind: string) =>
    spans.reduce(
      (sum, { attributes }) => sum + Number(attributes[`llm.token_count.${kind}`] ?? 0),
      0,
    );

  it("reads names, nesting, kinds, models and tokens of an execution, and a second export adds nothing", async () => {
    const spans = await send(recordedExecution());
    const traceId = spans[0]?.spanContext().traceId;
    const read = await stored(traceId, spans.length);
    const nameOf = (id: string | null) =>
      read.find(({ context }) => context.span_id === id)?.name ?? "";
    const lines = read.map(
      ({ name, span_kind, parent_id }) => `${nameOf(parent_id)} > ${name}: ${span_kind}`,
    );
    assert.deepEqual(
      lines.sort(),
      [
        " > invoke_workflow travel: UNKNOWN",
        "invoke_agent Oslo researcher > chat gpt-4o-mini: LLM",
        "invoke_agent Oslo researcher > chat gpt-4o-mini: LLM",
        "invoke_agent Oslo researcher > chat gpt-4o-mini: LLM",
        "invoke_agent Oslo researcher > execute_tool lookup: TOOL",
        "invoke_workflow travel > task research_task: UNKNOWN",
        "invoke_workflow travel > task write_task: UNKNOWN",
        "task research_task > invoke_agent Oslo researcher: AGENT",
        "task write_task > invoke_agent Oslo researcher: AGENT",
      ].sort(),
    );
    assert.deepEqual([tokens(read, "prompt"), tokens(read, "completion")], [300, 30]);
    const chat = read.find(({ name }) => name.startsWith("chat "));
    assert.equal(chat?.attributes["llm.model_name"], "gpt-4o-mini");
    assert.equal(chat.attributes["llm.provider"], "openai");
    const tool = read.find(({ name }) => name.startsWith("execute_tool "));
    assert.equal(tool?.attributes["tool.name"], "lookup");
    assert.equal(tool.attributes["output.value"], "Oslo: 10 degrees");
    await send(recordedExecution());
    // Phoenix stores what it gets in order.
    const varied = await send(variedExecution());
    await stored(varied[0]?.spanContext().traceId, varied.length);
    assert.equal((await stored(traceId, spans.length)).length, spans.length);
  });

  it("reads failures, attempts and waits for a person", async () => {
    const spans = await send(variedExecution());
    const read = await stored(spans[0]?.spanContext().traceId, spans.length);
    assert.deepEqual(
      read.flatMap(({ name, status_code }) => (status_code === "ERROR" ? [name] : [])).sort(),
      ["chat gpt-5", "execute_tool read_page", "invoke_workflow Writers", "task write"],
    );
    assert.deepEqual(
      read
        .filter(({ name }) => /^(attempt|wait)/.test(name))
        .map(
          ({ name, attributes }) => `${name}: ${JSON.stringify(attributes["crewdeck.approved"])}`,
        )
        .sort(),
      [
        "attempt 1: undefined",
        "attempt 2: undefined",
        "wait for a person: false",
        "wait for a person: true",
      ],
    );
  });
});
