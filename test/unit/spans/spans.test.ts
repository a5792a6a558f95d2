import assert from "node:assert/strict";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { hrTimeToMilliseconds } from "@opentelemetry/core";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import type { ActivityEvent } from "../../../src/api/types.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { spansAsText } from "../../../src/spans/send.ts";
import { spansOf } from "../../../src/spans/spans.ts";
import { recordedExecution } from "../../support/recorded-execution.ts";
import { start, variedExecution } from "../../support/timeline/samples.ts";
import { notWaiting } from "../views/executions.ts";

const hour = 3_600_000;
const now = start + hour;

function spansFor(
  { execution, events }: { execution: Execution; events: readonly ActivityEvent[] },
  { hasContent = false, at = now } = {},
): readonly ReadableSpan[] {
  const activity = activityOf(execution, { events, left: 3 });
  return spansOf(execution, activity, { now: at, version: "1.2.3", hasContent });
}

interface Request {
  readonly resourceSpans: readonly [
    {
      readonly resource: { readonly attributes: unknown };
      readonly scopeSpans: readonly [{ readonly spans: readonly [{ startTimeUnixNano: string }] }];
    },
  ];
}

/** A line for each span: its depth as indentation, and its name. */
function outline(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const depthOf = ({ parentSpanContext }: ReadableSpan): number => {
    const parent = byId.get(parentSpanContext?.spanId ?? "");
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  return spans.map((span) => `${"  ".repeat(depthOf(span))}${span.name}`);
}

const named = (spans: readonly ReadableSpan[], name: string) => {
  const found = spans.find((span) => span.name === name);
  assert.ok(found, name);
  return found;
};

describe("Spans for OpenTelemetry", () => {
  it("nest what crewAI reported, with the names of the GenAI conventions", () => {
    const spans = spansFor(recordedExecution());
    assert.deepEqual(outline(spans), [
      "invoke_workflow travel",
      "  task research_task",
      "    invoke_agent Oslo researcher",
      "      chat gpt-4o-mini",
      "      execute_tool lookup",
      "      chat gpt-4o-mini",
      "  task write_task",
      "    invoke_agent Oslo researcher",
      "      chat gpt-4o-mini",
    ]);
    assert.deepEqual(
      spans.map(({ kind }) => kind === SpanKind.CLIENT),
      spans.map(({ name }) => name.startsWith("chat ")),
    );
    const [chat] = spans.filter(({ name }) => name.startsWith("chat "));
    assert.deepEqual(chat?.attributes, {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.provider.name": "openai",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 10,
      "crewdeck.task.id": "research_task",
    });
    assert.deepEqual(named(spans, "invoke_agent Oslo researcher").attributes, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "Oslo researcher",
      "gen_ai.request.model": "gpt-4o-mini",
      "gen_ai.provider.name": "openai",
      "crewdeck.task.id": "research_task",
    });
    assert.deepEqual(named(spans, "execute_tool lookup").attributes, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "lookup",
      "crewdeck.task.id": "research_task",
    });
  });

  it("use only names that the semantic conventions have, or their own", () => {
    const known = new Set<unknown>(Object.values(conventions));
    const spans = [recordedExecution(), variedExecution()].flatMap((each) =>
      spansFor(each, { hasContent: true }),
    );
    const names = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
    const unknown = [...names].filter((name) => !known.has(name) && !name.startsWith("crewdeck."));
    assert.deepEqual(unknown, []);
    for (const { attributes } of spans)
      for (const name of ["gen_ai.operation.name", "gen_ai.provider.name"])
        assert.ok(attributes[name] === undefined || known.has(attributes[name]), name);
  });

  it("have the same IDs each time, and others for another execution", () => {
    const ids = (spans: readonly ReadableSpan[]) =>
      spans.map((span) => `${span.spanContext().traceId} ${span.spanContext().spanId}`);
    const first = ids(spansFor(variedExecution()));
    assert.deepEqual(ids(spansFor(variedExecution(), { at: now + hour, hasContent: true })), first);
    assert.equal(new Set(first).size, first.length);
    assert.equal(new Set(first.map((id) => id.split(" ")[0])).size, 1);
    assert.match(first[0]!, /^[\da-f]{32} [\da-f]{16}$/);
    const { execution, events } = variedExecution();
    const other = ids(spansFor({ execution: { ...execution, kickoffIds: ["other"] }, events }));
    assert.ok(!other.some((id) => first.includes(id)));
  });

  it("count each token once: those of model calls, or the crew's if no call is known", () => {
    const sum = (spans: readonly ReadableSpan[], name: string) =>
      spans.reduce((all, { attributes }) => all + Number(attributes[name] ?? 0), 0);
    const spans = spansFor(recordedExecution());
    assert.equal(sum(spans, "gen_ai.usage.input_tokens"), 300);
    assert.equal(sum(spans, "gen_ai.usage.output_tokens"), 30);
    const usage = { total: 50, prompt: 40, completion: 10, cached: 4 };
    const execution = notWaiting({ state: "completed", usage });
    const [whole] = spansFor({ execution, events: [] });
    assert.partialDeepStrictEqual(whole?.attributes, {
      "gen_ai.usage.input_tokens": 40,
      "gen_ai.usage.output_tokens": 10,
      "gen_ai.usage.cache_read.input_tokens": 4,
    });
  });

  it("show attempts, waits for a person, failures and what still runs", () => {
    const spans = spansFor(variedExecution());
    const waits = spans.filter(({ name }) => name === "wait for a person");
    assert.deepEqual(
      waits.map(({ attributes, duration }) => [
        attributes["crewdeck.approved"],
        attributes["crewdeck.attempt"],
        hrTimeToMilliseconds(duration),
      ]),
      [
        [false, 1, 82_000],
        [true, 2, 15_000],
      ],
    );
    assert.ok(outline(spans).includes("    attempt 2"));
    const failed = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR);
    assert.ok(failed.every(({ attributes }) => attributes["error.type"] === "_OTHER"));
    assert.deepEqual(
      failed.map(({ name }) => name),
      ["invoke_workflow Writers", "execute_tool read_page", "task write", "chat gpt-5"],
    );
    assert.equal(spans[0]?.droppedEventsCount, 3);
    const [running] = spansFor({ execution: notWaiting(), events: [] });
    assert.equal(running?.attributes["crewdeck.state"], "running");
    assert.equal(hrTimeToMilliseconds(running.endTime), now);
  });

  it("have no inputs, prompts, arguments, outputs, feedback and errors, unless they are asked for", () => {
    const { execution, events: varied } = variedExecution();
    const events = varied.map((event) =>
      event.type === "llm_call_started" ? { ...event, arguments: "user: Which teas?" } : event,
    );
    const secret = { ...execution, request: { inputs: { topic: "Green tea" }, callbacks: {} } };
    const thought = [
      ...events,
      { id: "thought", type: "agent_logs_execution", at: start + 2000, thought: "I must look." },
      { id: "step", type: "step", at: start + 2001, arguments: '{"where":"there"}' },
    ];
    const texts = [
      "Green tea",
      "Which teas?",
      "tea in offices",
      "How to brew",
      "I now know",
      "Shorter, please",
      "# Draft",
      "context length",
      "I must look",
      "there",
      "Found a lot",
    ];
    const without = spansAsText(spansFor({ execution: secret, events: thought }));
    const leaked = texts.filter((text) => without.includes(text));
    assert.deepEqual(leaked, []);
    const spans = spansFor({ execution: secret, events: thought }, { hasContent: true });
    const complete = spansAsText(spans);
    const missing = texts.filter((text) => !complete.includes(text));
    assert.deepEqual(missing, []);
    const tool = named(spans, "execute_tool web_search").attributes;
    assert.equal(tool["gen_ai.tool.call.arguments"], '{"query": "tea in offices", "limit": 10}');
    assert.match(String(tool["gen_ai.tool.call.result"]), /How to brew/);
    const [chat] = spans.filter(({ name }) => name.startsWith("chat "));
    assert.deepEqual(JSON.parse(String(chat?.attributes["gen_ai.input.messages"])), [
      { role: "user", parts: [{ type: "text", content: "user: Which teas?" }] },
    ]);
    const parts = [{ type: "text", content: "I now know what to write." }];
    assert.deepEqual(JSON.parse(String(chat?.attributes["gen_ai.output.messages"])), [
      { role: "assistant", parts, finish_reason: "stop" },
    ]);
    const input = String(spans[0]?.attributes["gen_ai.input.messages"]);
    assert.match(input, /\\"topic\\":\\"Green tea\\"/);
  });

  it("are one line of OTLP JSON for each request of at most 512 spans", () => {
    const { execution } = variedExecution();
    const events = Array.from({ length: 600 }, (_, at): ActivityEvent[] => [
      { id: `t${at}`, type: "task_started", at: start + at, taskName: `task ${at}` },
      { id: `e${at}`, type: "task_completed", at: start + at + 1, startedId: `t${at}` },
    ]).flat();
    const lines = spansAsText(spansFor({ execution, events })).split("\n");
    assert.equal(lines.pop(), "");
    const counts = lines.map((line) => {
      const [{ resource, scopeSpans }, ...more] = (JSON.parse(line) as Request).resourceSpans;
      assert.deepEqual(more, []);
      const name = { key: "service.name", value: { stringValue: "Writers" } };
      assert.deepEqual(resource.attributes, [name]);
      assert.match(scopeSpans[0].spans[0].startTimeUnixNano, /^\d{19}$/);
      return scopeSpans[0].spans.length;
    });
    assert.deepEqual(counts, [512, 89]);
  });
});
