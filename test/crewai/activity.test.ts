import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import { CrewClient } from "../../src/api/client.ts";
import { readEvents } from "../../src/api/read-events.ts";
import { readStatus } from "../../src/api/read-status.ts";
import { systemClock } from "../../src/base/clock.ts";
import { parseJson } from "../../src/base/json.ts";
import { type Activity, activityOf, type Span } from "../../src/executions/activity.ts";
import type { Execution } from "../../src/executions/model.ts";
import { newExecution } from "../../src/executions/reduce.ts";
import { Poller } from "../../src/executions/poller.ts";
import { renderExecution } from "../support/rendered.ts";
import { pageModel } from "../../src/views/page/model.ts";
import { answerProblems } from "../support/answer-check.ts";
import { CallbackReceiver } from "../support/callback-receiver.ts";
import { crewaiProject, needsCrewai } from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import { weatherAnswer } from "../support/model-server.ts";
import type { RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { FakeLeader } from "../unit/executions/poller-support.ts";
import { Windows } from "../unit/sending/window.ts";
import { vendorSchemas } from "../unit/service/vendor-schemas.ts";

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

const streamed = ["agent_execution", "llm_call", "task", "crew_kickoff"]
  .flatMap((of) => [`${of}_started`, `${of}_completed`])
  .concat("tool_usage_started", "tool_usage_finished")
  .concat("human_feedback_requested", "human_feedback_received");

describe("a crewAI run with a tool and a rejection", () => {
  needsCrewai();
  const atEnd = endsOf(afterEach);

  for (const dialect of ["documented", "live"] as const)
    it(`reports what crewAI's own event bus does, span for span, in the ${dialect} dialect`, async () => {
      const { run } = await rejectThenApprove(dialect, atEnd);
      const { log, activity, execution, decisions } = await run();
      const { spans } = activity;
      assert.deepEqual(
        spans.filter(({ kind }) => ["agent", "model", "tool", "other"].includes(kind)).map(toldOf),
        expectedSpans(log, spans, decisions),
      );
      assert.deepEqual(
        activity.marks.map(({ id, type }) => `${type} ${id}`).sort(),
        unpairedEvents(log),
      );
      checkTasks(log, spans, decisions);
      checkWaits(spans, decisions);
      const tokens = log.reduce((sum, event) => sum + (event.tokens ?? 0), 0);
      assert.ok(tokens > 0);
      assert.deepEqual([spans[0]?.tokens?.total, execution.usage?.total], [tokens, tokens]);
    });
});

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
function expectedSpans(
  log: readonly BusEvent[],
  spans: readonly Span[],
  decisions: readonly Decision[],
) {
  const byId = new Map(log.map((event) => [event.id, event]));
  const ends = new Map(log.map((event) => [event.startedId, event]));
  const attempts = attemptsIn(log, decisions);
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

/** Events of the agents that neither begin nor end something. That of the environment that crewAI started in isn't public. */
function unpairedEvents(log: readonly BusEvent[]): readonly string[] {
  const begun = new Set(log.map(({ startedId }) => startedId));
  return log
    .filter((event) => event.startedId === null && !begun.has(event.id))
    .filter((event) => !/^(crew|task)_|_env$/.test(event.type) && !isInnerFlow(event))
    .map(({ id, type }) => `${type} ${id}`)
    .sort();
}

/** Each start of a task that the bus saw, by time. What follows an approval is part of the same attempt. */
function attemptsIn(log: readonly BusEvent[], decisions: readonly Decision[]) {
  return log
    .filter(({ type }) => type === "task_started")
    .sort((one, other) => one.at - other.at)
    .map((started) => {
      const { id, at, taskName: taskId } = started;
      const rejections = decisions.filter(({ isApprove, sent }) => !isApprove && sent < at);
      const number = taskId === "headline" ? rejections.length + 1 : 1;
      // A draft ends crewAI's task with the agent's answer.
      const ended =
        log.find(({ startedId }) => startedId === id) ??
        log.find(({ parentId, type }) => parentId === id && type === "agent_execution_completed");
      return { taskId, number, started, ended };
    });
}

function spanOf(
  { taskId, number }: Pick<ReturnType<typeof attemptsIn>[number], "taskId" | "number">,
  spans: readonly Span[],
): Span | undefined {
  const own = spans.filter((span) => span.taskId === taskId && span.attempt === number);
  return own.find(({ kind }) => kind === "attempt") ?? own.find(({ kind }) => kind === "task");
}

/** The service's own times of an attempt enclose crewAI's, and each attempt ends before the next begins. */
function checkTasks(
  log: readonly BusEvent[],
  spans: readonly Span[],
  decisions: readonly Decision[],
): void {
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
  const attempts = attemptsIn(log, decisions);
  assert.deepEqual(
    attempts.map(({ taskId, number }) => `${taskId} ${number}`),
    ["measure 1", "headline 1", "headline 2", "headline 2", "report 1"],
  );
  for (const [at, attempt] of attempts.entries()) {
    const { started, ended, taskId } = attempt;
    const span = spanOf(attempt, spans);
    assert.ok(span?.end !== undefined && ended !== undefined, String(taskId));
    assert.ok(span.start <= started.at && ended.at <= span.end, `${taskId} is enclosed`);
    const next = attempts[at + 1];
    assert.ok(
      next === undefined || spanOf(next, spans) === span || span.end <= next.started.at,
      `${taskId} ends before what is next`,
    );
  }
}

/** When a person decided, by the test's clock. */
interface Decision {
  readonly isApprove: boolean;
  readonly feedback: string;
  readonly waited: number;
  readonly sent: number;
  readonly answered: number;
}

function checkWaits(spans: readonly Span[], decisions: readonly Decision[]): void {
  const waits = spans.filter(({ kind }) => kind === "wait");
  assert.deepEqual(
    waits.map(({ taskId, isApprove, text }) => [taskId, isApprove, text]),
    decisions.map(({ isApprove, feedback }) => ["headline", isApprove, feedback]),
  );
  for (const [at, { waited, sent, answered }] of decisions.entries()) {
    const { start, end = NaN } = waits[at] ?? { start: NaN };
    assert.ok(start <= waited, `it waits from ${start} on, seen at ${waited}`);
    assert.ok(sent <= end && end <= answered, `${sent} <= ${end} <= ${answered}`);
  }
}

/** A project with a listener of its own, its service, and a client as the extension has it. */
async function rejectThenApprove(
  dialect: "documented" | "live",
  atEnd: (end: () => unknown) => void,
) {
  const project = crewaiProject("weather");
  const file = path.join(project, "bus.jsonl");
  writeListener(project, file);
  const model = await startModel(atEnd, (request) => weatherAnswer(request, "A report."));
  const receiver = new CallbackReceiver();
  const url = await receiver.start();
  atEnd(() => receiver.stop());
  const args = ["--dialect", dialect];
  const { service, api } = await serveProject(atEnd, project, model, { args });
  const windows = new Windows();
  atEnd(() => windows.close());
  const webhooks = (realtime: boolean) => ({
    webhooks: { url: `${url}/realtime-${realtime}`, events: streamed, realtime },
  });

  async function run() {
    const id = await api.kickoff({ inputs: { city: "oslo", readers: "" }, ...webhooks(true) });
    const client = followed(service, id, windows);
    atEnd(() => client.poller.dispose());
    const decisions: Decision[] = [];
    const decide = async (isApprove: boolean, human_feedback: string) => {
      const isWaiting = async () => {
        const { body } = await api.get(`/${id}/status`);
        checkAnswer(dialect, id, body);
        const { state, waiting } = readStatus(body);
        return state === "unknown" || waiting?.attempt === decisions.length + 1;
      };
      await waitFor("the task to wait", isWaiting, 120_000);
      const waited = Date.now();
      await client.poll();
      if (dialect === "documented") checkEarlierOutputs(client.execution(), client.activity());
      const body = { human_feedback, task_id: "headline", is_approve: isApprove };
      const sent = Date.now();
      const { status } = await api.post("/resume", {
        ...body,
        execution_id: id,
        ...webhooks(false),
      });
      assert.equal(status, 200);
      const answered = Date.now();
      decisions.push({ isApprove, feedback: human_feedback, waited, sent, answered });
    };
    await decide(false, "Shorter, please.");
    await waitFor("the second attempt", () => model.requests.length === 4);
    await decide(true, "Good.");
    await waitFor("the end", async () => {
      await client.poll();
      return client.execution().state === "completed";
    });
    assert.deepEqual(model.requests.map(({ tools }) => tools.join()).filter(Boolean), [
      "thermometer",
      "thermometer",
    ]);
    await checkStreams();
    return {
      log: readLog(file),
      activity: client.activity(),
      execution: client.execution(),
      decisions,
    };

    /** What was streamed, one by one before the rejection and in groups after it, is what the status tells. */
    async function checkStreams(): Promise<void> {
      const { events = [] } = readStatus((await api.get(`/${id}/status`)).body);
      const reported = events.filter(({ type }) => streamed.includes(type));
      const groups = (realtime: boolean) =>
        receiver.at(`/realtime-${realtime}`).map(({ body }) => readEvents(body["events"]));
      const all = await waitFor("all events in the streams", () => {
        const both = [...groups(true), ...groups(false)].flat();
        return both.length >= reported.length && both;
      });
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
      assert.deepEqual(all.toSorted(byId), reported.toSorted(byId));
      assert.ok(groups(true).every(({ length }) => length === 1));
      assert.ok(groups(false).some(({ length }) => length === 4));
    }
  }
  return { run };
}

/** The extension's poller and store, with an execution that it tracks at that service. */
function followed({ url, token }: RunningService, kickoffId: string, windows: Windows) {
  const { store } = windows.open();
  const crew = { id: "local:weather", name: "weather", url };
  const { localId } = store.add(newExecution({ crew, origin: "tracked", kickoffId }, systemClock));
  const client = new CrewClient(url, token);
  const leader = new FakeLeader();
  leader.give(false);
  const poller = new Poller({
    store,
    leader,
    clock: systemClock,
    crews: { find: () => crew, client: () => Promise.resolve(client) },
    log: { problem: (message, error) => assert.fail(`${message} ${String(error)}`) },
  });
  const execution = (): Execution => {
    const found = store.find(localId);
    assert.ok(found);
    return found;
  };
  return {
    poller,
    execution,
    poll: () => poller.pollNow(localId),
    activity: (): Activity => activityOf(execution(), store.events(localId)),
  };
}

/** In the documented dialect the vendor's file describes it, too. */
function checkAnswer(dialect: "documented" | "live", id: string, body: unknown): void {
  const answer = { method: "GET", path: `/${id}/status`, status: 200, body };
  assert.deepEqual(answerProblems({ ...answer, contentType: "application/json" }), []);
  if (dialect === "live") return;
  const ajv = new Ajv({ allErrors: true });
  assert.ok(ajv.validate(vendorSchemas.status[200], body), ajv.errorsText());
}

/** While a task waits, the outputs before it are in the text and on the page. */
function checkEarlierOutputs(execution: Execution, activity: Activity): void {
  assert.equal(execution.waiting?.taskId, "headline");
  const output = '"degrees": 10';
  const { text } = renderExecution(execution);
  assert.ok(text.slice(text.indexOf("## Task: measure")).includes(output), text);
  const { tasks } = pageModel(execution, activity).view;
  const measure = tasks.find(({ taskId }) => taskId === "measure");
  assert.ok(measure?.attempts[0]?.output?.includes(output), JSON.stringify(measure));
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
