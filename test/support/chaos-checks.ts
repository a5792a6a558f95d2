import { asArray, asObject } from "../../src/base/json.ts";
import { CallbackReceiver, type ReceivedCallback } from "./callback-receiver.ts";
import { reviewedTask, type ChaosLoad, type ChaosStatus, type Promised } from "./chaos-load.ts";
import { waitFor } from "./wait.ts";

/** Every callback must have arrived after this (ms); a failed one is repeated sooner. */
const arrivalMs = 120_000;

export const streamed = ["task_started", "task_completed", "human_feedback_received"];

/** The callbacks that arrived, by what they report: a task's attempt, a wait, a step, the end, an event. */
export class CallbackLedger {
  readonly receiver = new CallbackReceiver();
  readonly violations: string[] = [];
  /** By execution and subject: the IDs under which it came. */
  readonly #ids = new Map<string, Map<string, Set<string>>>();
  readonly #texts = new Map<string, string>();
  readonly #executionsOf = new Map<number, Set<string>>();

  note({ path, id, body }: ReceivedCallback): void {
    const text = JSON.stringify(body);
    if ((this.#texts.get(id) ?? text) !== text)
      this.violations.push(`the callback ${id} was repeated with another body`);
    this.#texts.set(id, text);
    if (path === "/stream") {
      for (const event of asArray(body["events"]).map(asObject))
        this.#add(String(event["execution_id"]), `event ${String(event["id"])}`, id);
      return;
    }
    const execution = String(body["kickoff_id"]);
    const n = Number(asObject(body["meta"])["n"]);
    this.#executionsOf.set(n, (this.#executionsOf.get(n) ?? new Set()).add(execution));
    const attempt = (output: unknown) => attemptOf(String(output));
    if (path === "/task")
      this.#add(execution, `task ${String(body["name"])} ${attempt(body["output"])}`, id);
    if (path === "/human")
      this.#add(execution, `human ${String(body["task_id"])} ${attempt(body["task_output"])}`, id);
    if (path === "/step")
      this.#add(execution, `step ${taskOf(String(body["prompt"]))} ${attempt(body["result"])}`, id);
    if (path === "/crew") this.#add(execution, "crew", id);
  }

  #add(execution: string, subject: string, id: string): void {
    const subjects = this.#ids.get(execution) ?? new Map<string, Set<string>>();
    this.#ids.set(execution, subjects);
    subjects.set(subject, (subjects.get(subject) ?? new Set()).add(id));
  }

  startedBy(n: number): readonly string[] {
    return [...(this.#executionsOf.get(n) ?? [])];
  }

  get kickoffs(): readonly number[] {
    return [...this.#executionsOf.keys()];
  }

  of(execution: string): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#ids.get(execution) ?? new Map();
  }
}

const noFigures = {
  ...{ executions: 0, attempts: 0, rejections: 0, callbacks: 0 },
  /** Attempts that ran more than once, because what ran them ended or was slow. */
  repeatedAttempts: 0,
  /** Decisions that came so late that they are about the next attempt. */
  late: 0,
};

/** Compares what clients were promised with what the service has and sent. @returns what is wrong, and figures */
export async function checkPromises(load: ChaosLoad, ledger: CallbackLedger) {
  const violations: string[] = [];
  const figures = { ...noFigures };
  const known = new Set(load.promised.map(({ n }) => n));
  for (const n of ledger.kickoffs) {
    const ids = ledger.startedBy(n);
    if (ids.length > 1) violations.push(`kickoff ${n} started ${ids.join(", ")}`);
    if (!known.has(n) && !load.lost.has(n)) violations.push(`nobody sent kickoff ${n}`);
  }
  // A kickoff that was not answered may have been accepted: then it is executed like any other.
  const unanswered = [...load.lost].flatMap((n) =>
    ledger
      .startedBy(n)
      .map((id): Promised => ({ id, crew: load.crewOf(n), n, offers: [], isLeft: true })),
  );
  const left = [...load.promised, ...unanswered];
  const lane = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) await check(one);
  };
  await Promise.all(Array.from({ length: 8 }, lane));

  async function check(one: Promised): Promise<void> {
    const status = await load.settled(one);
    if (status === undefined) return;
    const found = checkExecution(one, status, figures);
    const problems = [...found.problems];
    await waitFor(
      "callbacks",
      () => found.expected.every((subject) => ledger.of(one.id).has(subject)),
      arrivalMs,
    ).catch(() => undefined);
    const arrived = ledger.of(one.id);
    for (const subject of found.expected)
      if (!arrived.has(subject)) problems.push(`no callback for ${subject}`);
    for (const [subject, ids] of arrived) {
      figures.callbacks += ids.size;
      if (!found.expected.includes(subject))
        problems.push(`a callback for ${subject}, which is not in the status`);
      if (ids.size > 1) problems.push(`${subject} came as ${[...ids].join(" and as ")}`);
    }
    violations.push(...problems.map((problem) => `${one.id}: ${problem}`));
  }
  return { violations: [...load.violations, ...ledger.violations, ...violations], figures };
}

function checkExecution(
  one: Promised,
  status: ChaosStatus,
  figures: typeof noFigures,
): { problems: readonly string[]; expected: readonly string[] } {
  const problems: string[] = [];
  const expect = (isRight: boolean, problem: string) => {
    if (!isRight) problems.push(problem);
  };
  const state = status.pending_human_input ? "waiting" : status.status;
  expect(state === (one.isLeft ? "waiting" : "completed"), `is ${state} ${status.error ?? ""}`);
  const tasks = status.result?.tasks ?? [];
  const outline =
    status.pending_human_input?.task_output ??
    tasks.find(({ task_id }) => task_id === reviewedTask)?.output ??
    "";
  const last = status.pending_human_input?.task_output ?? status.result?.output ?? "";
  const notes = notesOf(last);
  // Each accepted decision is in the prompt of what came after it, once, and no refused one.
  const decided = one.offers.filter(({ answer }) => answer === "accepted");
  for (const { feedback } of decided) {
    const count = notes.filter((note) => note.feedback === feedback).length;
    expect(count === 1, `the accepted "${feedback}" is ${count} times in the last prompt`);
  }
  for (const [index, note] of notes.entries()) {
    const offer = one.offers.find(({ feedback }) => feedback === note.feedback);
    expect(
      offer !== undefined && offer.answer !== "refused",
      `"${note.feedback}" is in a prompt, and was ${offer?.answer ?? "never sent"}`,
    );
    // In order: of two accepted decisions, each is about another attempt.
    expect(
      offer !== undefined && offer.attempt <= note.attempt && note.attempt === index + 1,
      `"${note.feedback}" is about attempt ${note.attempt}, as number ${index + 1}`,
    );
    if (offer && offer.attempt < note.attempt) figures.late += 1;
    const isApprove = state === "completed" && index === notes.length - 1;
    expect(note.isApprove === isApprove, `"${note.feedback}" is shown with another verdict`);
  }
  const rejections = notes.filter(({ isApprove }) => !isApprove).length;
  expect(
    attemptOf(outline) === 1 + rejections,
    `has ${attemptOf(outline)} attempts after ${rejections} rejections`,
  );
  expect(
    tasks.every(({ task_id, output }) => task_id === reviewedTask || attemptOf(output) === 1),
    "has further attempts at other tasks",
  );
  const attempts = [
    "research 1",
    ...Array.from({ length: rejections + 1 }, (_, index) => `${reviewedTask} ${index + 1}`),
    ...(state === "completed" ? ["briefing 1"] : []),
  ];
  const reviews = attempts.filter((attempt) => attempt.startsWith(reviewedTask));
  const answered = state === "completed" ? reviews : reviews.slice(0, -1);
  const finished = attempts.filter(
    (attempt) =>
      !reviews.includes(attempt) || (state === "completed" && attempt === reviews.at(-1)),
  );
  checkEvents();
  figures.executions += 1;
  figures.attempts += attempts.length;
  figures.rejections += rejections;
  const events = status.events.filter(({ type }) => streamed.includes(type));
  const expected = [
    ...attempts.map((attempt) => `step ${attempt}`),
    ...finished.map((attempt) => `task ${attempt}`),
    ...reviews.map((attempt) => `human ${attempt}`),
    ...(state === "completed" ? ["crew"] : []),
    ...events.map(({ event_id }) => `event ${event_id}`),
  ];
  return { problems, expected };

  /** Each is there once; those of an engine at least once, as it repeats an attempt that was interrupted. */
  function checkEvents(): void {
    const counts = new Map<string, number>();
    for (const { type, task_id, attempt } of status.events) {
      const name = task_id === undefined ? type : `${type} ${task_id} ${attempt ?? ""}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const once = [
      "crew_kickoff_started",
      ...attempts.map((attempt) => `task_started ${attempt}`),
      ...finished.map((attempt) => `task_completed ${attempt}`),
      ...reviews.flatMap((attempt) => [
        `task_paused ${attempt}`,
        `human_feedback_requested ${attempt}`,
      ]),
      ...answered.map((attempt) => `human_feedback_received ${attempt}`),
      ...(state === "completed" ? ["crew_kickoff_completed"] : []),
    ];
    for (const name of once)
      expect(counts.get(name) === 1, `has ${counts.get(name) ?? 0} events ${name}`);
    for (const attempt of attempts) {
      const starts = counts.get(`agent_execution_started ${attempt}`) ?? 0;
      const ends = counts.get(`agent_execution_completed ${attempt}`) ?? 0;
      expect(
        starts > 0 && ends > 0 && ends <= starts,
        `${attempt} has ${starts} starts, ${ends} ends`,
      );
      if (starts > 1) figures.repeatedAttempts += 1;
    }
    const own = [...counts.keys()].filter((name) => !name.startsWith("agent_execution_"));
    expect(own.length === once.length, `has other events: ${own.join(", ")}`);
    expect(status.events_count === status.events.length, "counts other events than it has");
    expect(
      new Set(status.events.map(({ event_id }) => event_id)).size === status.events.length,
      "has an event twice",
    );
  }
}

/** From an output of the rehearsal engine. */
function attemptOf(output: string): number {
  return Number(/^Attempt: (\d+)$/m.exec(output)?.[1]);
}

/** The decisions that an attempt was given, in order, from its output. */
function notesOf(output: string) {
  const lines = output.matchAll(/^- (\S+), attempt (\d+), (approved|rejected): (.*)$/gm);
  return [...lines].map(([, , attempt, verdict, feedback]) => ({
    attempt: Number(attempt),
    isApprove: verdict === "approved",
    feedback: feedback ?? "",
  }));
}

/** The task of a step, by the beginning of its description in the example crew. */
function taskOf(prompt: string): string {
  if (prompt.startsWith("Collect")) return "research";
  return prompt.startsWith("Turn") ? reviewedTask : "briefing";
}
