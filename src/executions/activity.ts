import type { ActivityEvent, Picture, TokenUsage } from "../api/types.ts";
import { defined } from "../base/json.ts";
import { shortName } from "../base/text.ts";
import { type ExecutionSummary, hasEnded } from "./model.ts";
import { pauses, type Period, workPeriods } from "./times.ts";
import { largerUsage, sumOfTokens } from "./tokens.ts";

export type SpanKind =
  "crew" | "queue" | "task" | "attempt" | "wait" | "agent" | "model" | "tool" | "other";

export interface Span {
  /** Stays the same while events are added. */
  readonly id: string;
  readonly kind: SpanKind;
  /** Undefined for the crew's alone, which is the first. */
  readonly parentId?: string;
  readonly depth: number;
  /** Of its crew, task, model or tool, the role of its agent, or the first words of an event's type: a short line. */
  readonly name: string;
  readonly start: number;
  readonly end?: number;
  /** `stopped`: what it is part of ended without it. `interrupted`: its crew's service ended, and it was begun again. */
  readonly state: "running" | "completed" | "failed" | "stopped" | "interrupted";
  /** Start and end were seen from here, by polling, and may be some seconds late. */
  readonly isSeen?: true;
  /** This and the next two: its own, or those of what it is part of. */
  readonly taskId?: string;
  readonly attempt?: number;
  readonly agent?: string;
  /** Of a call of a model: by which a service that keeps it names it. */
  readonly callId?: string;
  /** Also of all that is below it. */
  readonly tokens?: TokenUsage;
  /** Texts have at most 2,000 characters. Of a call of a model, this is the end of its prompt. */
  readonly arguments?: string;
  readonly text?: string;
  readonly error?: string;
  /** Of a wait that a person ended. */
  readonly isApprove?: boolean;
}

/** An event that took no time, or whose other half is missing. */
export interface Mark extends Pick<
  ActivityEvent,
  "id" | "type" | "at" | "name" | "thought" | "arguments" | "text" | "error"
> {
  readonly parentId: string;
  /** Its data is in the store, by the ID. */
  readonly picture?: Picture["type"];
}

export interface Activity {
  /** Each after its parent, otherwise by time. */
  readonly spans: readonly Span[];
  /** By time, each from the last event before it until a person let the execution continue (milliseconds since 1970). */
  readonly interruptions: readonly { readonly from: number; readonly to: number }[];
  readonly marks: readonly Mark[];
  /** How many events are left out, because there were too many. */
  readonly left: number;
}

export const noActivity: Activity = { spans: [], interruptions: [], marks: [], left: 0 };

export interface KeptEvents {
  readonly events: readonly ActivityEvent[];
  readonly left: number;
}

/** The kinds of what crewAI's events name in the first words of their types. */
const kinds: ReadonlyMap<string, SpanKind> = new Map([
  ["crew_kickoff", "crew"],
  ["flow", "crew"],
  ["task", "task"],
  ["method_execution", "task"],
  ["human_feedback", "wait"],
  ["agent_execution", "agent"],
  ["lite_agent_execution", "agent"],
  ["llm_call", "model"],
  ["tool_usage", "tool"],
  ["mcp_tool_execution", "tool"],
]);

const starts = /_(started|requested)$/;
const ends = /_(completed|finished|failed|error|received|stopped)$/;
const failures = /_(failed|error)$/;

/** A local service's event: a person let it continue after a restart. */
const continued = "execution_continued";

const crewSpan = "crew";

type Interruption = Activity["interruptions"][number];

type Draft = { -readonly [Member in keyof Span]: Span[Member] };

type Drafts = Map<string, Draft>;

type Open = Map<SpanKind | undefined, Set<Draft>>;

/** From its crew's events and, where they don't report it, from what was seen by polling. */
export function activityOf(
  execution: ExecutionSummary,
  { events, left }: KeptEvents = { events: [], left: 0 },
): Activity {
  const once = new Map(events.map((event) => [event.id, event])).values();
  const sorted = [...once].sort((one, other) => one.at - other.at);
  const taskIds = new Set(execution.tasks.map(({ taskId }) => taskId));
  const drafts: Drafts = new Map([[crewSpan, crewOf(execution, sorted)]]);
  const interruptions = sorted.flatMap(({ type, at }, index) =>
    type === continued ? [{ from: sorted[index - 1]?.at ?? at, to: at }] : [],
  );
  const { unpaired, parentOf } = readSpans(sorted, drafts, taskIds, interruptions);
  addSeen(drafts, execution);
  const parentIn = nest(drafts, parentOf);
  // A callback reported a call of a tool, or an agent's answer, which its crew's events report as well.
  const reportedTexts = new Set([...drafts.values()].flatMap(({ text }) => text ?? []));
  const marks = unpaired
    .filter((event) => event.type !== "step" || !reportedTexts.has(event.text ?? ""))
    .map((event) => markOf(event, parentIn(draftOf(event, taskIds))));
  groupAttempts(drafts);
  addQueue(drafts, execution);
  const spans = inOrder(drafts);
  addTokens(spans, execution.usage);
  return { spans, interruptions, marks, left };
}

/** Spans of the crew itself. An execution that is resumed has several at a deployed crew. */
function isWhole({ type, parentId }: ActivityEvent): boolean {
  return parentId === undefined && /^(crew_kickoff|flow)_/.test(type);
}

function crewOf(execution: ExecutionSummary, events: readonly ActivityEvent[]): Draft {
  const { crew, origin, state, startedAt, endedAt, error, progress } = execution;
  const whole = events.filter(isWhole);
  const end = whole.findLast(({ type }) => ends.test(type))?.at ?? Date.parse(endedAt ?? "");
  // Of a tracked one, `startedAt` is when it was first seen.
  const began = Date.parse((origin === "tracked" ? progress?.startedAt : undefined) ?? startedAt);
  return {
    id: crewSpan,
    kind: "crew",
    depth: 0,
    name: crew.name,
    start: whole[0]?.at ?? Math.min(began, events[0]?.at ?? Infinity),
    state: state === "completed" || state === "failed" || state === "stopped" ? state : "running",
    ...(hasEnded(execution) && !Number.isNaN(end) ? { end } : {}),
    ...defined({ error }),
  };
}

/** Adds the spans that events report. @returns the other events, and what finds the span of an ID */
function readSpans(
  events: readonly ActivityEvent[],
  drafts: Drafts,
  taskIds: ReadonlySet<string>,
  interruptions: readonly Interruption[],
): {
  readonly unpaired: readonly ActivityEvent[];
  readonly parentOf: (id?: string) => string | undefined;
} {
  /** What is not shown stands for what it is part of. */
  const hidden = new Map<string, string | undefined>();
  const begun = new Set(events.map(({ startedId }) => startedId));
  const others: ActivityEvent[] = [];
  for (const event of events) {
    const { id, type, name, parentId, startedId } = event;
    const stem = stemOf(type);
    if (isWhole(event)) hidden.set(id, crewSpan);
    // crewAI's agents are flows inside.
    else if (stem === "flow" && (name === "AgentExecutor" || hidden.has(startedId ?? "")))
      hidden.set(id, parentId);
    else if (!drafts.has(id) && (begun.has(id) || (starts.test(type) && kinds.has(stem))))
      drafts.set(id, draftOf(event, taskIds));
    else others.push(event);
  }
  const open: Open = new Map();
  for (const draft of drafts.values())
    open.set(draft.kind, (open.get(draft.kind) ?? new Set()).add(draft));
  // An attempt at a task has one start, also if it begins again.
  const lasting = new Set(events.flatMap(({ type, id }) => (type === "task_started" ? id : [])));
  const unpaired = others.filter((event) => {
    const interruption = interruptions.find(
      ({ to }) => event.type === continued && to === event.at,
    );
    if (interruption !== undefined) interrupt(open, interruption, lasting);
    return !endsOne(event, drafts, open);
  });
  const parentOf = (id?: string) => {
    let at = id;
    // Those that are hidden may be in a loop.
    for (let left = hidden.size; at !== undefined && hidden.has(at) && left > 0; left--)
      at = hidden.get(at);
    return at !== undefined && drafts.has(at) ? at : undefined;
  };
  return { unpaired, parentOf };
}

function interrupt(open: Open, { from, to }: Interruption, lasting: ReadonlySet<string>): void {
  for (const drafts of open.values())
    for (const draft of drafts) {
      if (draft.id === crewSpan || draft.start > to || lasting.has(draft.id)) continue;
      drafts.delete(draft);
      Object.assign(draft, { end: Math.max(draft.start, from), state: "interrupted" });
    }
}

function stemOf(type: string): string {
  return type.replace(/_[^_]*$/, "");
}

function draftOf(event: ActivityEvent, taskIds: ReadonlySet<string>): Draft {
  const { id, type, at, parentId, taskName, attempt, agent, callId } = event;
  const stem = stemOf(type);
  const kind = kinds.get(stem) ?? "other";
  const ownId = event.taskId;
  const isKnownById = ownId !== undefined && taskIds.has(ownId) && !taskIds.has(taskName ?? "");
  const taskId =
    (isKnownById ? ownId : taskName) ?? ownId ?? (kind === "task" ? event.name : undefined);
  const named = {
    crew: event.name,
    task: taskId,
    wait: taskId,
    agent,
    model: event.model,
    tool: event.tool,
  };
  const name =
    (kind in named ? named[kind as keyof typeof named] : event.name) ?? stem.replaceAll("_", " ");
  return {
    ...{ id, kind, depth: 0, name: shortName(name), start: at, state: "running" },
    ...defined({ parentId, taskId, attempt, agent, callId }),
    ...defined({ arguments: event.arguments, text: event.text }),
  };
}

/** Whether the event ends a span. Without an ID, it ends the first that is alike and still open. */
function endsOne(event: ActivityEvent, drafts: Drafts, open: Open): boolean {
  const { type, at, startedId, attempt, tokens, text, error, isApprove } = event;
  if (startedId === undefined && !ends.test(type)) return false;
  const isAlike = (draft: Draft) =>
    draft.start <= at &&
    draft.id !== crewSpan &&
    [event.taskName ?? event.taskId, event.agent, event.model ?? event.tool].every(
      (name) => name === undefined || [draft.taskId, draft.agent, draft.name].includes(name),
    );
  const draft =
    startedId === undefined
      ? [...(open.get(kinds.get(stemOf(type))) ?? [])].find(isAlike)
      : drafts.get(startedId);
  if (draft === undefined) return false;
  open.get(draft.kind)?.delete(draft);
  const more = defined({ attempt, tokens, text, error, isApprove, arguments: event.arguments });
  Object.assign(draft, more, { end: at, state: failures.test(type) ? "failed" : "completed" });
  return true;
}

function markOf(event: ActivityEvent, parentId: string): Mark {
  const { id, type, at, thought, text, error } = event;
  const picture = event.picture?.type;
  const name = event.tool ?? event.model ?? event.agent ?? event.name;
  return {
    ...{ id, type, parentId, at },
    ...defined({ name, thought, arguments: event.arguments, text, error, picture }),
  };
}

/** Adds what no event reports: tasks and waits for a person that were seen by polling. */
function addSeen(drafts: Drafts, execution: ExecutionSummary): void {
  const reported = [...drafts.values()];
  const add = (
    kind: "task" | "wait",
    { taskId, attempt, from, to, isVague, isApprove }: Period,
    at: number,
  ) => {
    const isReported = (draft: Draft) =>
      draft.kind === kind &&
      draft.taskId === taskId &&
      (kind === "task" || (draft.attempt ?? attempt) === attempt);
    if (isVague === true || reported.some(isReported)) return;
    const task = execution.tasks.find((each) => each.taskId === taskId);
    const isFailed = kind === "task" && task?.state === "failed";
    const id = `seen ${kind} ${at}`;
    drafts.set(id, {
      ...{ id, kind, depth: 0, name: shortName(taskId ?? ""), start: from, isSeen: true },
      state: to === undefined ? "running" : isFailed ? "failed" : "completed",
      ...defined({ taskId, attempt, end: to, agent: task?.agent, isApprove }),
    });
  };
  workPeriods(execution).forEach((period, at) => add("task", period, at));
  pauses(execution).forEach((period, at) => add("wait", period, at));
}

/** By default it is what was under way. @returns what finds the parent of something else */
function nest(
  drafts: Drafts,
  parentOf: (id?: string) => string | undefined,
): (draft: Draft) => string {
  const places = [...drafts.values()].filter(({ kind }) => kind === "task" || kind === "agent");
  const tasks = places.filter(({ kind }) => kind === "task");
  const candidates = (kind: SpanKind) => (kind === "task" ? [] : kind === "agent" ? tasks : places);
  const parentIn = (draft: Draft) => {
    const { kind, start } = draft;
    const isIn = (place: Draft) =>
      place !== draft &&
      place.start <= start &&
      start <= (place.end ?? Infinity) &&
      (["taskId", "agent"] as const).every(
        (name) => (draft[name] ?? place[name]) === (place[name] ?? draft[name]),
      );
    return parentOf(draft.parentId) ?? candidates(kind).findLast(isIn)?.id ?? crewSpan;
  };
  for (const draft of drafts.values()) if (draft.id !== crewSpan) draft.parentId = parentIn(draft);
  return parentIn;
}

/** A task that was attempted again, or waited for a person, gets a span with those of its attempts and waits. */
function groupAttempts(drafts: Drafts): void {
  const waits = [...drafts.values()].filter(({ kind }) => kind === "wait");
  const tasks = [...drafts.values()].filter(({ kind }) => kind === "task");
  const groups = Map.groupBy(tasks, ({ parentId, taskId, id }) =>
    JSON.stringify([parentId, taskId ?? id]),
  );
  for (const attempts of groups.values()) {
    const [first] = attempts;
    if (first === undefined) continue;
    const { taskId, parentId = crewSpan, agent, name } = first;
    const own = waits.filter((wait) => taskId !== undefined && wait.taskId === taskId);
    const parts = [...attempts, ...own];
    if (parts.length === 1) continue;
    const last = attempts.toSorted((one, other) => one.start - other.start).at(-1) ?? first;
    const id = `task ${first.id}`;
    const end = Math.max(...parts.map(({ end = Infinity }) => end));
    const start = Math.min(...parts.map((part) => part.start));
    const ended = end === Infinity ? { state: "running" as const } : { state: last.state, end };
    drafts.set(id, {
      ...{ id, kind: "task", parentId, depth: 0, name, start, ...ended },
      ...(attempts.every(({ isSeen }) => isSeen) && { isSeen: true }),
      ...defined({ taskId, agent, text: last.text, error: last.error }),
    });
    attempts.forEach((attempt, at) => {
      attempt.kind = "attempt";
      attempt.attempt ??= at + 1;
    });
    for (const part of parts) part.parentId = id;
  }
}

function addQueue(drafts: Drafts, { startedAt, origin, state }: ExecutionSummary): void {
  const crew = drafts.get(crewSpan);
  const start = Date.parse(startedAt);
  const starts = [...drafts.values()].flatMap((each) => (each.kind === "crew" ? [] : each.start));
  const first = starts.reduce((least, each) => Math.min(least, each), Infinity);
  const isQueued = first === Infinity && state === "queued";
  // The crew's clock may differ, and less than a second is no wait.
  const hasWaited = first !== Infinity && first - start >= 1_000;
  if (crew === undefined || origin !== "kickoff" || !(isQueued || hasWaited)) return;
  crew.start = Math.min(crew.start, start);
  drafts.set("queue", {
    ...{ id: "queue", kind: "queue", parentId: crewSpan, depth: 1, name: "", start },
    ...(isQueued ? { state: "running" } : { state: "completed", end: first }),
  });
}

/** Each after its parent. What is still open in something that has ended, ended with it. */
function inOrder(drafts: Drafts): Draft[] {
  const children = Map.groupBy([...drafts.values()], ({ parentId }) => parentId);
  const ordered = new Set<Draft>();
  const addFrom = (first: Draft) => {
    // A stack, since spans of a remote crew may be nested deeply.
    const next = [first];
    for (let draft = next.pop(); draft !== undefined; draft = next.pop()) {
      ordered.add(draft);
      const { depth, end } = draft;
      const own = (children.get(draft.id) ?? []).sort((one, other) => one.start - other.start);
      for (const child of own.reverse()) {
        if (ordered.has(child)) continue;
        const { taskId = draft.taskId, attempt = draft.attempt, agent = draft.agent } = child;
        Object.assign(child, defined({ taskId, attempt, agent }), { depth: depth + 1 });
        if (child.end === undefined && end !== undefined)
          Object.assign(child, { end: Math.max(child.start, end), state: "stopped" });
        next.push(child);
      }
    }
  };
  for (const draft of drafts.values()) {
    if (ordered.has(draft)) continue;
    // Only the crew's has no parent: any other that is left is its own descendant, or in such a one.
    if (draft.id !== crewSpan) Object.assign(draft, { parentId: crewSpan, depth: 1 });
    addFrom(draft);
  }
  return [...ordered];
}

/** A part's tokens are also its parent's. A crew may report more than its events have. */
function addTokens(ordered: readonly Draft[], usage: TokenUsage | undefined): void {
  const sums = new Map<string, TokenUsage>();
  for (const draft of ordered.toReversed()) {
    const { id, parentId } = draft;
    const reported = id === crewSpan ? usage : draft.tokens;
    const tokens = largerUsage(reported, sums.get(id));
    if (tokens === undefined) continue;
    draft.tokens = tokens;
    if (parentId !== undefined)
      sums.set(parentId, sumOfTokens([sums.get(parentId), tokens]) ?? tokens);
  }
}

/** The store has another summary after each change of an execution or its events. */
const made = new WeakMap<ExecutionSummary, Activity>();

/** What happened in an execution; made once for each change, since 10,000 events take some 150 ms. */
export function activityIn(
  store: {
    summary(localId: string): ExecutionSummary | undefined;
    events(localId: string): Parameters<typeof activityOf>[1];
  },
  execution: ExecutionSummary,
): Activity {
  const summary = store.summary(execution.localId) ?? execution;
  const known = made.get(summary);
  if (known !== undefined) return known;
  const activity = activityOf(summary, store.events(summary.localId));
  made.set(summary, activity);
  return activity;
}
