import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readStatus } from "../../src/api/read-status.ts";
import { systemClock } from "../../src/base/clock.ts";
import { parseJson } from "../../src/base/json.ts";
import { activityOf, type Span } from "../../src/executions/activity.ts";
import { newExecution } from "../../src/executions/reduce.ts";
import { crewaiProject, crewaiVersions, needsCrewai } from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { warmPython } from "../support/warm-python.ts";

/** What the project's own listener wrote of an event. `at` in milliseconds since 1970. */
interface BusEvent {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly startedId: string | null;
  readonly at: number;
  readonly taskName: string | null;
  readonly agent: string;
  readonly model: string | null;
  readonly tool: string | null;
  /** A tool's arguments. */
  readonly given: unknown;
  readonly flow: string | null;
  readonly tokens: number | null;
}

/** Milliseconds: what is lost of a time on its way is less than the microsecond that crewAI tells. */
const rounding = 0.001;

describe("a crewAI run with a tool and a rejection", () => {
  needsCrewai();

  it("reports what crewAI's own event bus does, span for span", async () => {
    const project = crewaiProject("weather");
    const file = path.join(project, "bus.jsonl");
    writeListener(project, file);
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    const { api } = await serveProject(project, model);
    const id = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
    await api.untilWaiting(id);
    const rejectedAt = Date.now();
    await api.resume(id, "headline", false, "Shorter, please.");
    await api.untilWaiting(id, 2);
    await api.resume(id, "headline", true, "Good.");
    const { events = [], usage } = readStatus(await api.untilEnded(id));
    const ended = { state: "completed", endedAt: new Date().toISOString() } as const;
    const { spans, marks } = activityOf({ ...executionOf(id), ...ended }, { events, left: 0 });

    const log = readLog(file);
    assert.deepEqual(
      spans.filter(({ kind }) => ["agent", "model", "tool", "other"].includes(kind)).map(toldOf),
      expectedSpans(log, spans, rejectedAt),
    );
    // The log has events of the agents that neither begin nor end something: only what one thinks is passed on.
    assert.deepEqual(marks, []);
    assert.deepEqual(
      spans
        .filter(({ kind }) => ["task", "attempt", "wait"].includes(kind))
        .map(({ kind, name, depth, state, attempt }) =>
          [depth, kind, kind === "task" ? name : attempt, state].join(" "),
        ),
      [
        "1 task measure completed",
        "1 task warn completed",
        "1 task headline completed",
        "2 attempt 1 completed",
        "2 wait 1 completed",
        "2 attempt 2 completed",
        "2 wait 2 completed",
        "1 task report completed",
      ],
    );
    const tokens = log.reduce((sum, event) => sum + (event.tokens ?? 0), 0);
    assert.ok(tokens > 0);
    assert.deepEqual([spans[0]?.tokens?.total, usage?.total], [tokens, tokens]);
  });

  for (const version of crewaiVersions)
    it(`reports crews, tasks, agents and models inside each other, with prompts and tokens, on crewAI ${version}`, async () => {
      const model = await startModel(weatherAnswer);
      const python = await warmPython(version);
      const { api } = await serveProject(crewaiProject("weather"), model, { python });
      const id = await api.kickoff({ inputs: { city: "oslo", readers: "" } });
      const { events = [] } = readStatus(await api.untilWaiting(id));
      const ids = new Set([undefined, ...events.map(({ id }) => id)]);
      const strays = events.filter(({ parentId }) => !ids.has(parentId));
      assert.deepEqual(strays, [], "each is part of an event that is there");
      const { spans } = activityOf(executionOf(id), { events, left: 0 });
      const kindOf = new Map(spans.map((span) => [span.id, span.kind]));
      const nested = spans.map(({ kind, parentId = "" }) => `${kindOf.get(parentId)} > ${kind}`);
      for (const expected of ["crew > task", "task > agent", "agent > model"])
        assert.ok(nested.includes(expected), `${expected}: ${nested.join(", ")}`);
      const calls = spans.filter(({ kind }) => kind === "model");
      assert.equal(calls.length, model.requests.length);
      assert.ok(calls.every(({ end, name }) => end !== undefined && name !== ""));
      for (const { arguments: prompt = "" } of calls) assert.match(prompt, /user: /);
      assert.match(calls[0]?.arguments ?? "", /Measure the temperature/);
      assert.ok(!spans.some(({ name }) => name === "AgentExecutor"));
      assert.ok((spans.find(({ kind }) => kind === "task")?.tokens?.total ?? 0) > 0);
    });
});

function executionOf(kickoffId: string) {
  const crew = { id: "local:weather", name: "weather", url: "http://127.0.0.1:1" };
  return newExecution({ crew, origin: "tracked", kickoffId }, systemClock);
}

/** A span of an agent or of what it did, for comparison. Times in milliseconds since 1970. */
function toldOf({ id, kind, name, parentId, start, end, tokens, arguments: given }: Span) {
  return {
    id,
    kind,
    name,
    parentId,
    start,
    end,
    tokens: tokens?.total,
    given: parseJson(given ?? ""),
  };
}

/** What the log of the bus has in the place of those. */
function expectedSpans(log: readonly BusEvent[], spans: readonly Span[], rejectedAt: number) {
  const byId = new Map(log.map((event) => [event.id, event]));
  const ends = new Map(log.map((event) => [event.startedId, event]));
  const attempts = attemptsIn(log, rejectedAt);
  const parentOf = ({ parentId }: BusEvent): string | undefined => {
    const parent = byId.get(parentId ?? "");
    if (parent === undefined || isInnerFlow(parent)) return parent && parentOf(parent);
    const attempt = attempts.find(({ started }) => started.id === parent.id);
    return attempt === undefined ? parent.id : spanOf(attempt, spans)?.id;
  };
  const tokensBelow = (of: BusEvent): number =>
    (ends.get(of.id)?.tokens ?? 0) +
    log
      .filter((event) => ends.has(event.id) && parentOf(event) === of.id)
      .reduce((sum, event) => sum + tokensBelow(event), 0);
  const expected = log
    .filter((event) => ends.has(event.id) && !/^(crew|task)_/.test(event.type))
    .filter((event) => !isInnerFlow(event))
    .map((event) => {
      const stem = event.type.replace(/_[a-z]*$/, "");
      const kind = { agent_execution: "agent", llm_call: "model", tool_usage: "tool" }[stem];
      const name = { agent: event.agent, model: event.model, tool: event.tool }[kind ?? ""];
      const reported = spans.find(({ id }) => id === event.id);
      return {
        id: event.id,
        kind: kind ?? "other",
        name: name ?? stem.replaceAll("_", " "),
        parentId: parentOf(event),
        start: near(event.at, reported?.start),
        end: near(ends.get(event.id)?.at, reported?.end),
        tokens: tokensBelow(event) || undefined,
        given:
          typeof event.given === "string" ? parseJson(event.given) : (event.given ?? undefined),
      };
    });
  const orderOf = ({ id }: { readonly id: string }) => spans.findIndex((span) => span.id === id);
  return expected.sort((one, other) => orderOf(one) - orderOf(other));
}

/** `reported` if it is the same time. */
function near(at: number | undefined, reported: number | undefined): number | undefined {
  return at !== undefined && reported !== undefined && Math.abs(at - reported) < rounding
    ? reported
    : at;
}

/** Of the flow that an agent is inside. */
function isInnerFlow({ type, flow }: BusEvent): boolean {
  return type.startsWith("flow_") && flow === "AgentExecutor";
}

/** Each start of a task that the bus saw, with the attempt that it is. What follows an approval is part of the same attempt. */
function attemptsIn(log: readonly BusEvent[], rejectedAt: number) {
  return log
    .filter(({ type }) => type === "task_started")
    .map((started) => ({
      taskId: started.taskName,
      number: started.taskName === "headline" && started.at > rejectedAt ? 2 : 1,
      started,
    }));
}

function spanOf(
  { taskId, number }: ReturnType<typeof attemptsIn>[number],
  spans: readonly Span[],
): Span | undefined {
  const own = spans.filter((span) => span.taskId === taskId && span.attempt === number);
  return own.find(({ kind }) => kind === "attempt") ?? own.find(({ kind }) => kind === "task");
}

/** Adds a module to the project that writes each event of crewAI's bus to a file. */
function writeListener(project: string, file: string): void {
  const folder = path.join(project, "src", "weather");
  appendFileSync(path.join(folder, "crew.py"), "\nfrom . import listener\n");
  writeFileSync(
    path.join(folder, "listener.py"),
    `
import importlib, json, pkgutil, threading
import crewai.events.types
from crewai.events import crewai_event_bus
from crewai.events.base_events import BaseEvent

lock = threading.Lock()

def write(source, event):
    def own(name):
        return getattr(event, name, None)
    line = {
        "type": event.type, "id": event.event_id, "parentId": own("parent_event_id"), "startedId": own("started_event_id"),
        "at": event.timestamp.timestamp() * 1000, "taskName": own("task_name"),
        "agent": (own("agent_role") or getattr(own("agent"), "role", None) or "").strip(), "model": own("model"), "tool": own("tool_name"),
        "given": own("tool_args"), "flow": own("flow_name"), "tokens": (own("usage") or {}).get("total_tokens"),
    }
    with lock, open(${JSON.stringify(file)}, "a") as log:
        log.write(json.dumps(line, default=str) + "\\n")

def below(kind):
    for each in kind.__subclasses__():
        yield each
        yield from below(each)

for module in pkgutil.iter_modules(crewai.events.types.__path__):
    importlib.import_module(f"crewai.events.types.{module.name}")
for kind in set(below(BaseEvent)):
    crewai_event_bus.on(kind)(write)
`,
  );
}

function readLog(file: string): readonly BusEvent[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as BusEvent);
}
