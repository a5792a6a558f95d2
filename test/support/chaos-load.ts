import { setTimeout as sleep } from "node:timers/promises";
import type { ApiAnswer, CrewApi, DocumentedStatus } from "./crew-api.ts";
import type { EventCount } from "./event-count.ts";
import type { Team } from "./team.ts";

/** How a decision was answered; `lost`: not known, because the process or its database ended. */
type Answer = "accepted" | "refused" | "lost";

export interface Offer {
  readonly attempt: number;
  /** Unique. */
  readonly feedback: string;
  readonly isApprove: boolean;
  readonly answer: Answer;
}

export interface Promised {
  readonly id: string;
  /** The path of its crew. */
  readonly crew: string;
  /** In its `meta`. */
  readonly n: number;
  readonly offers: Offer[];
  /** Nobody decides about its last attempt. */
  isLeft: boolean;
}

export interface ChaosStatus extends DocumentedStatus {
  readonly events: readonly {
    readonly event_id: string;
    readonly type: string;
    readonly task_id?: string;
    readonly attempt?: number;
  }[];
  readonly events_count: number;
}

interface LoadOptions {
  readonly team: Team;
  /** Called with each event at which something may be killed. */
  readonly events: EventCount;
  /** Callbacks of kickoffs and resumes, by the number of the execution. */
  readonly callbacks: (n: number) => object;
  /** The path of the crew that the execution with this number is of. */
  readonly crewOf: (n: number) => string;
  readonly random: () => number;
}

export const reviewedTask = "outline";

/** Waits of a client between two polls (ms). */
const pollMs = 25;

/** An execution waits or ends within this, also if a worker is slow meanwhile (ms). */
const longestMs = 180_000;

export class ChaosLoad {
  readonly promised: Promised[] = [];
  /** Numbers of kickoffs that may or may not have been accepted. */
  readonly lost = new Set<number>();
  /** What a client must never see. */
  readonly violations: string[] = [];
  readonly figures = {
    requests: 0,
    unanswered: 0,
    longestMs: 0,
    races: 0,
    accepted: 0,
    refused: 0,
    lost: 0,
  };
  /** The longest time between two accepted decisions about executions of a crew (ms). */
  readonly pauses = new Map<string, number>();
  readonly #decided = new Map<string, number>();
  readonly serverErrors = new Map<number, number>();
  readonly #options: LoadOptions;
  #count = 0;
  #feedbackCount = 0;
  #isEnding = false;
  #isAborted = false;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Runs so many clients until `end` is called and their executions have reached their end. */
  async run(clients: number): Promise<void> {
    const lane = async () => {
      while (!this.#isEnding) await this.#execution();
    };
    await Promise.all(Array.from({ length: clients }, lane));
  }

  crewOf(n: number): string {
    return this.#options.crewOf(n);
  }

  /** Whether clients went on to a second execution, an output was rejected, and decisions raced. */
  hasAll(clients: number): boolean {
    const isRejected = this.promised.some(({ offers }) =>
      offers.some(({ isApprove, answer }) => !isApprove && answer === "accepted"),
    );
    return this.promised.length > clients && isRejected && this.figures.races > 0;
  }

  end(): void {
    this.#isEnding = true;
  }

  /** Ends it when there may be no process that answers: `run` rejects. */
  abort(): void {
    this.#isEnding = true;
    this.#isAborted = true;
  }

  async #execution(): Promise<void> {
    const { random, callbacks, crewOf } = this.#options;
    const n = (this.#count += 1);
    const crew = crewOf(n);
    const inputs = { topic: `topic ${n}`, audience: `audience ${n}` };
    const body = { inputs, meta: { n }, ...callbacks(n) };
    const answer = await this.#request((api) => api.post(`${crew}/kickoff`, body));
    if (answer === undefined) {
      this.lost.add(n);
      return;
    }
    if (answer.status !== 200) {
      this.violations.push(`kickoff ${n} was answered ${describe(answer)}`);
      return;
    }
    const { kickoff_id: id } = answer.body as { kickoff_id: string };
    const one: Promised = { id, crew, n, offers: [], isLeft: random() < 0.1 };
    this.promised.push(one);
    const rejections = Math.floor(random() * 3);
    for (;;) {
      const waiting = await this.#nextWait(one);
      if (waiting === undefined) return;
      if (one.isLeft && waiting.attempt > rejections) return;
      await this.#race(one, waiting.attempt, waiting.attempt > rejections);
    }
  }

  /** Polls until the execution waits for the next decision, or has ended (undefined). */
  async #nextWait(one: Promised): Promise<{ readonly attempt: number } | undefined> {
    for (;;) {
      const waiting = (await this.settled(one))?.pending_human_input;
      const isDecided = one.offers.some(
        ({ attempt, answer }) => attempt === waiting?.attempt && answer === "accepted",
      );
      if (!isDecided) return waiting;
      this.violations.push(`${one.id} waits for attempt ${waiting?.attempt} after its decision`);
      await sleep(pollMs);
    }
  }

  /** Polls until the execution waits or has ended. Undefined, and a violation, if it is unknown or never does. */
  async settled({ id, crew }: Promised): Promise<ChaosStatus | undefined> {
    const end = performance.now() + longestMs;
    for (;;) {
      const answer = await this.#request((api) => api.get(`${crew}/${id}/status`));
      const status = answer?.status === 200 ? (answer.body as ChaosStatus) : undefined;
      if (status && (status.status !== "running" || status.pending_human_input)) return status;
      const isUnknown = answer !== undefined && status === undefined;
      if (isUnknown || performance.now() > end) {
        const text = answer ? describe(answer) : "not at all";
        this.violations.push(`at last the status of ${id} was answered ${text}`.slice(0, 1000));
        return undefined;
      }
      await sleep(pollMs);
    }
  }

  /** Decisions about one attempt, all at once and on different API processes where there are several: one wins. */
  async #race(one: Promised, attempt: number, isApprove: boolean): Promise<void> {
    const { random, callbacks } = this.#options;
    const rivals = 1 + Math.floor(random() * 3);
    const first = Math.floor(random() * rivals);
    const offers = await Promise.all(
      Array.from({ length: rivals }, async (_, rival): Promise<Offer> => {
        const feedback = `feedback ${(this.#feedbackCount += 1)};`;
        const answer = await this.#request(
          (api) =>
            api.post(`${one.crew}/resume`, {
              execution_id: one.id,
              task_id: reviewedTask,
              human_feedback: feedback,
              is_approve: isApprove,
              ...callbacks(one.n),
            }),
          first + rival,
        );
        return { attempt, feedback, isApprove, answer: this.#verdict(answer) };
      }),
    );
    one.offers.push(...offers);
    const count = (wanted: Answer, list = offers) =>
      list.filter(({ answer }) => answer === wanted).length;
    if (rivals > 1) this.figures.races += 1;
    for (const answer of ["accepted", "refused", "lost"] as const)
      this.figures[answer] += count(answer);
    const accepted = count("accepted");
    if (accepted > 0) this.#noteDecision(one.crew);
    // A request names no attempt: one that comes late may decide about the next, which the checks at the end look at.
    const isOne = accepted === 1 || (accepted > 1 && !isApprove);
    if (!isOne && !(accepted === 0 && count("lost", one.offers) > 0))
      this.violations.push(
        `of ${rivals} decisions about attempt ${attempt} of ${one.id}, ${accepted} were accepted`,
      );
  }

  #noteDecision(crew: string): void {
    const now = performance.now();
    const pause = now - (this.#decided.get(crew) ?? now);
    this.pauses.set(crew, Math.max(this.pauses.get(crew) ?? 0, pause));
    this.#decided.set(crew, now);
  }

  #verdict(answer: ApiAnswer | undefined): Answer {
    if (answer === undefined) return "lost";
    if (answer.status === 200) return "accepted";
    if (answer.status !== 400) this.violations.push(`a decision was answered ${describe(answer)}`);
    return "refused";
  }

  /** By one of the API processes that run. Undefined if nobody knows whether it was done. */
  async #request(
    send: (api: CrewApi) => Promise<ApiAnswer>,
    choice = Math.floor(this.#options.random() * 1000),
  ): Promise<ApiAnswer | undefined> {
    const { team, events } = this.#options;
    let apis = team.apis;
    for (; apis.length === 0 && !this.#isAborted; apis = team.apis) await sleep(pollMs);
    if (this.#isAborted) throw new Error("The load was ended.");
    const begun = performance.now();
    this.figures.requests += 1;
    try {
      const answer = await send(apis[choice % apis.length]!);
      if (answer.status < 500) return answer;
      this.serverErrors.set(answer.status, (this.serverErrors.get(answer.status) ?? 0) + 1);
    } catch {
      // Its process was killed.
      this.figures.unanswered += 1;
    } finally {
      events.add();
      this.figures.longestMs = Math.max(this.figures.longestMs, performance.now() - begun);
    }
    // A process that is unreachable must not be asked as fast as it refuses.
    await sleep(pollMs);
    return undefined;
  }
}

function describe({ status, body }: ApiAnswer): string {
  return `${status}: ${JSON.stringify(body)}`;
}
