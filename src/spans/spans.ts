import { createHash } from "node:crypto";
import {
  type Attributes,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { readEvents, readUsage } from "../api/read-events.ts";
import { defined, type JsonObject } from "../base/json.ts";
import { pieceOf } from "../base/text.ts";
import { type Activity, activityOf, type Mark, type Span } from "../executions/activity.ts";
import { type Execution, keyOf } from "../executions/model.ts";

export interface SpansOptions {
  /** Milliseconds since 1970; what still runs ends then. */
  readonly now: number;
  readonly version: string;
  /** Whether inputs, prompts, arguments, outputs, feedback and errors are in it. */
  readonly hasContent: boolean;
}

/** Of a result and inputs (characters); other texts are shorter. */
const longest = 32_000;

/**
 * OpenTelemetry spans with the names of the GenAI semantic conventions, as of the semantic
 * conventions 1.45.0 (status "Development"). What these have no name for begins with `crewdeck.`.
 * The same execution always has the same trace and span IDs.
 */
export function spansOf(
  execution: Execution,
  { spans, marks, left }: Activity,
  { now, version, hasContent }: SpansOptions,
): readonly ReadableSpan[] {
  const key = keyOf(execution);
  const traceId = hash(key).slice(0, 32);
  const contextOf = (id: string): SpanContext => ({
    traceId,
    spanId: hash(`${key}\n${id}`).slice(0, 16),
    traceFlags: TraceFlags.SAMPLED,
  });
  const resource = resourceFromAttributes({ "service.name": execution.crew.name });
  const instrumentationScope = { name: "crewdeck", version };
  /** Readers add tokens up over all spans, so only the innermost that know them have them. */
  const hasTokensBelow = new Set(spans.flatMap((each) => (each.tokens ? each.parentId : [])));
  const models = new Map(
    spans.flatMap(({ kind, parentId, name }) => (kind === "model" ? [[parentId, name]] : [])),
  );
  const events = Map.groupBy(marks, ({ parentId }) => parentId);
  return spans.map((span) => {
    const { id, kind, parentId, start, end = now, state, tokens, error } = span;
    const length = Math.max(0, end - start);
    const isWhole = parentId === undefined;
    const attributes = {
      ...namesOf(span, kind === "model" ? span.name : models.get(id)),
      ...(tokens && !hasTokensBelow.has(id) && usageOf(tokens)),
      ...defined({
        "crewdeck.task.id": span.taskId,
        "crewdeck.attempt": span.attempt,
        "crewdeck.approved": span.isApprove,
        "error.type": state === "failed" ? "_OTHER" : undefined,
      }),
      ...(state !== "completed" && { "crewdeck.state": state }),
      ...(isWhole && { "crewdeck.execution.id": key }),
      ...(hasContent && contentOf(isWhole ? withResult(span, execution) : span)),
    };
    return {
      name: titleOf(span),
      kind: kind === "model" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => contextOf(id),
      ...(!isWhole && { parentSpanContext: contextOf(parentId) }),
      startTime: millisToHrTime(start),
      endTime: millisToHrTime(start + length),
      duration: millisToHrTime(length),
      status:
        state === "failed"
          ? { code: SpanStatusCode.ERROR, ...(hasContent && defined({ message: error })) }
          : { code: SpanStatusCode.UNSET },
      attributes,
      links: [],
      events: (events.get(id) ?? []).map((mark) => eventOf(mark, hasContent)),
      ended: true,
      resource,
      instrumentationScope,
      droppedAttributesCount: 0,
      droppedEventsCount: isWhole ? left : 0,
      droppedLinksCount: 0,
    };
  });
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const operations: ReadonlyMap<Span["kind"], string> = new Map([
  ["crew", "invoke_workflow"],
  ["agent", "invoke_agent"],
  ["model", "chat"],
  ["tool", "execute_tool"],
]);

function titleOf({ kind, name, attempt = 1 }: Span): string {
  const operation = operations.get(kind);
  if (operation !== undefined) return `${operation} ${name}`;
  if (kind === "task") return `task ${name}`;
  if (kind === "attempt") return `attempt ${attempt}`;
  return kind === "wait" ? "wait for a person" : kind === "queue" ? kind : name;
}

function namesOf({ kind, name }: Span, model: string | undefined): Attributes {
  const operation = operations.get(kind);
  if (operation === undefined) return { "crewdeck.kind": kind };
  const nameOf = (of: Span["kind"]) => (kind === of ? name : undefined);
  const asks = (kind === "agent" || kind === "model") && model !== undefined;
  return defined({
    "gen_ai.operation.name": operation,
    "gen_ai.workflow.name": nameOf("crew"),
    "gen_ai.agent.name": nameOf("agent"),
    "gen_ai.tool.name": nameOf("tool"),
    "gen_ai.request.model": asks ? model : undefined,
    "gen_ai.provider.name": asks ? providerOf(model) : undefined,
  });
}

/** The conventions' names for what crewAI calls otherwise in the names of models. */
const providers: ReadonlyMap<string, string> = new Map([
  ["azure", "azure.ai.openai"],
  ["bedrock", "aws.bedrock"],
  ["gemini", "gcp.gemini"],
  ["google", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["vertex_ai", "gcp.vertex_ai"],
  ["watsonx", "ibm.watsonx.ai"],
  ["xai", "x_ai"],
]);

/** Without a provider in the model's name, crewAI asks OpenAI, except for models that it knows. */
function providerOf(model: string): string {
  const [prefix = "", rest] = model.toLowerCase().split("/");
  if (rest !== undefined) return providers.get(prefix) ?? prefix;
  return prefix.startsWith("claude")
    ? "anthropic"
    : prefix.startsWith("gemini")
      ? "gcp.gemini"
      : "openai";
}

function usageOf({ total, prompt, completion, cached }: NonNullable<Span["tokens"]>): Attributes {
  return {
    ...defined({
      "gen_ai.usage.input_tokens": prompt,
      "gen_ai.usage.output_tokens": completion,
      "gen_ai.usage.cache_read.input_tokens": cached,
    }),
    ...(prompt === undefined && completion === undefined && { "crewdeck.usage.tokens": total }),
  };
}

/** An execution's events rarely have its inputs and result. */
function withResult(span: Span, { request, output }: Execution): Span {
  const inputs = request && JSON.stringify(request.inputs);
  const bounded = (text?: string) => text && pieceOf(text, 0, longest).text;
  return { ...span, ...defined({ text: bounded(output), arguments: bounded(inputs) }) };
}

/** Readers take what has messages for a call of a model, so tasks have none. */
function contentOf({ kind, state, text, arguments: given }: Span): Attributes {
  const part = (content: string) => [{ type: "text", content }];
  switch (kind) {
    case "tool":
      return defined({ "gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": text });
    case "crew":
    case "agent":
    case "model": {
      const finish = { finish_reason: state === "failed" ? "error" : "stop" };
      const asked = given && [{ role: "user", parts: part(given) }];
      const came = text && [{ role: "assistant", parts: part(text), ...finish }];
      return defined({
        "gen_ai.input.messages": asked && JSON.stringify(asked),
        "gen_ai.output.messages": came && JSON.stringify(came),
      });
    }
    case "wait":
      return defined({ [state === "completed" ? "crewdeck.feedback" : "crewdeck.output"]: text });
    default:
      return defined({ "crewdeck.output": text, "crewdeck.arguments": given });
  }
}

function eventOf(mark: Mark, hasContent: boolean) {
  const content = hasContent && {
    "crewdeck.thought": mark.thought,
    "crewdeck.arguments": mark.arguments,
    "crewdeck.output": mark.text,
    "crewdeck.error": mark.error,
  };
  const attributes = defined({ "crewdeck.name": mark.name, ...content });
  return { name: mark.type, time: millisToHrTime(mark.at), attributes };
}

/** An execution that has ended, as a service stores it. */
export interface EndedExecution {
  readonly id: string;
  readonly crew: string;
  readonly state: "completed" | "failed" | "stopped";
  readonly startedAt: number;
  readonly endedAt: number;
  readonly inputs: JsonObject;
  readonly output: string;
  readonly error: string | null;
  /** Those that are kept, as in status answers. */
  readonly events: readonly JsonObject[];
  /** By type, also of those that are not kept. */
  readonly counts: Readonly<Record<string, number>>;
  readonly usage: unknown;
}

/** The same spans, with the same IDs, as a client makes of it that has seen all of its events. */
export function spansOfEnded(ended: EndedExecution, options: Omit<SpansOptions, "now">) {
  const { id, crew, state, inputs, output, error, usage, counts } = ended;
  const execution: Execution = {
    localId: id,
    crew: { id: "", name: crew, url: "" },
    kickoffIds: [id],
    origin: "kickoff",
    state,
    startedAt: new Date(ended.startedAt).toISOString(),
    endedAt: new Date(ended.endedAt).toISOString(),
    request: { inputs, callbacks: {} },
    // Its events have all of them.
    tasks: [],
    resumes: [],
    output,
    ...defined({ error: error ?? undefined, usage: readUsage(usage) }),
  };
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const left = Math.max(0, all - ended.events.length);
  const activity = activityOf(execution, { events: readEvents(ended.events), left });
  return spansOf(execution, activity, { ...options, now: ended.endedAt });
}
