import { isDeepStrictEqual } from "node:util";
import type { ActivityEvent, StatusReading } from "../../../src/api/types.ts";
import { Emitter } from "../../../src/base/events.ts";
import type { Execution, ExecutionSummary } from "../../../src/executions/model.ts";
import type { ExecutionChange } from "../../../src/executions/store.ts";
import { keepEnd } from "../../../src/executions/reduce.ts";
import { summaryOf } from "../../../src/executions/record.ts";
import { Poller } from "../../../src/executions/poller.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";

class MemoryStore {
  readonly #whole = new Map<string, Execution>();
  readonly #changes = new Emitter<ExecutionChange>((error) => {
    throw error;
  });
  readonly onDidChange = this.#changes.event;
  /** As received. */
  readonly events: ActivityEvent[] = [];

  list = (): readonly ExecutionSummary[] => [...this.#whole.values()].map(summaryOf);
  find = (id: string): Execution | undefined =>
    this.#whole.get(id) ??
    [...this.#whole.values()].find(({ kickoffIds }) => kickoffIds.includes(id));
  summary = (id: string): ExecutionSummary | undefined => {
    const found = this.find(id);
    return found && summaryOf(found);
  };

  put(execution: Execution): void {
    const kind = this.#whole.has(execution.localId) ? "changed" : "added";
    this.#whole.set(execution.localId, execution);
    this.#changes.fire({ added: [], changed: [], removed: [], [kind]: [summaryOf(execution)] });
  }

  remove(localId: string): void {
    const known = this.summary(localId);
    this.#whole.delete(localId);
    this.#changes.fire({ added: [], changed: [], removed: known ? [known] : [] });
  }

  update(
    localId: string,
    change: (current: Execution) => Execution,
    events: readonly ActivityEvent[] = [],
  ): Execution | undefined {
    this.events.push(...events);
    const current = this.find(localId);
    const next = current && keepEnd(current, change(current));
    if (next && !isDeepStrictEqual(next, current)) this.put(next);
    return this.find(localId);
  }
}

/** The lead, which the test gives and takes. */
export class FakeLeader {
  readonly #changes = new Emitter<boolean>((error) => {
    throw error;
  });
  readonly onDidChange = this.#changes.event;
  isThisWindow = true;
  taken = 0;

  takeOver(): void {
    this.taken += 1;
    this.give(true);
  }

  give(isThisWindow: boolean): void {
    this.isThisWindow = isThisWindow;
    this.#changes.fire(isThisWindow);
  }
}

export interface Asked {
  readonly kickoffId: string;
  /** Seconds since the scene began. */
  readonly second: number;
  readonly signal: AbortSignal | undefined;
}

export class Scene {
  readonly clock = new FakeClock();
  readonly store = new MemoryStore();
  readonly leader = new FakeLeader();
  readonly asked: Asked[] = [];
  readonly problems: string[] = [];
  readonly refusals: string[] = [];
  readonly poller: Poller;
  answer: (kickoffId: string) => StatusReading | Error | Promise<StatusReading>;
  /** IDs of crews without a client. */
  readonly unconnected = new Set<string>();
  random = 0.5;
  readonly #start = this.clock.now();

  constructor(answer: (kickoffId: string) => StatusReading | Error | Promise<StatusReading>) {
    this.answer = answer;
    this.poller = new Poller({
      store: this.store,
      leader: this.leader,
      clock: this.clock,
      random: () => this.random,
      crews: {
        find: (id) => (this.unconnected.has(id) ? undefined : { id, name: id, url: id }),
        client: () => Promise.resolve({ status: (id, call) => this.#status(id, call?.signal) }),
      },
      log: { problem: (message, error) => this.problems.push(`${message} ${String(error)}`) },
    });
    this.poller.onDidRefuse(({ crew, error }) => this.refusals.push(`${crew.name} ${error.kind}`));
  }

  /** Stores executions e1, e2 and so on, with the kickoff IDs k1, k2 and so on. */
  putMany(count: number): void {
    for (let number = 1; number <= count; number++)
      this.store.put(anExecution({ localId: `e${number}`, kickoffIds: [`k${number}`] }));
  }

  /** The seconds of the requests since the last call. */
  seconds(): number[] {
    return this.asked.splice(0).map((each) => each.second);
  }

  async pass(seconds: number): Promise<void> {
    await this.clock.pass(seconds * 1000);
  }

  async #status(kickoffId: string, signal: AbortSignal | undefined): Promise<StatusReading> {
    this.asked.push({
      kickoffId,
      second: Math.round((this.clock.now() - this.#start) / 100) / 10,
      signal,
    });
    const answer = await this.answer(kickoffId);
    if (answer instanceof Error) throw answer;
    return answer;
  }
}
