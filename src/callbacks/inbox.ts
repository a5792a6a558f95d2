import { createHash } from "node:crypto";
import { type Clock, wait } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { groupBy } from "../executions/activity.ts";
import { applyHeard, type Heard, startHeard } from "../executions/heard.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { withTimes } from "../executions/task-times.ts";
import type { Database } from "../store/database.ts";
import { type Delivery, mostBytes, type Receive } from "./delivery.ts";
import { type Payload, readPayload } from "./payload.ts";
import type { Paths } from "./paths.ts";

/** How many callbacks one transaction stores. */
const mostAtOnce = 1_000;
/** After storing callbacks, the editor has this many times as long for other work. */
const share = 2;
/** How long the crew's result waits for its status (ms). */
const longestPoll = 2_000;
/** After these, the crew's status says more. */
const ends = /^(crew_kickoff|flow)_(completed|failed|finished)$/;

interface InboxOptions {
  readonly database: Pick<Database, "write">;
  readonly store: Pick<ExecutionStore, "update" | "summary">;
  readonly paths: Pick<Paths, "find" | "arrive" | "isAuthorized" | "isNew">;
  readonly clock: Clock;
  /** Asks for an execution's status; resolves when it is stored. */
  readonly poll: (localId: string) => Promise<unknown>;
  readonly log: ProblemLog;
}

interface Letter {
  readonly key: string;
  /** Whether its sender gave it an ID, which only a repeat shares. */
  readonly hasId: boolean;
  readonly payload: Payload;
  /** When it arrived, perhaps at a relay (ms since 1970). */
  readonly at: number;
}

interface Parcel extends Letter {
  readonly path: string;
  readonly answer: (status: number) => void;
}

/** Stores callbacks, many in one transaction: none is lost, and none counts twice. */
export class Inbox {
  readonly #options: InboxOptions;
  #waiting: Parcel[] = [];
  #isPlanned = false;
  /** When the editor has had its time (ms since 1970). */
  #notBefore = 0;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  readonly receive: Receive = async ({ path, headers, body, arrivedAt = Infinity }: Delivery) => {
    const { paths, clock, log } = this.#options;
    try {
      if (paths.arrive(path)) return 204;
      const localId = paths.find(path);
      if (localId === undefined) return 404;
      if (body.byteLength > mostBytes) return 413;
      const raw = parseJson(new TextDecoder().decode(body));
      if (raw === undefined) return 400;
      const id = headers["webhook-id"];
      const key = keyOf(id, body);
      // A relay's clock may be wrong.
      const at = Math.max(0, Math.min(arrivedAt, clock.now()));
      const payload = readPayload(raw, key, at);
      // Only the event stream has a secret.
      const isOpen = payload.kind !== "events";
      if (!isOpen && !paths.isAuthorized(localId, headers["authorization"] ?? "")) return 401;
      // The status of an ended execution says more than its result, and isn't asked for afterwards.
      if (payload.heard?.kind === "end")
        await Promise.race([this.#poll(localId), wait(clock, longestPoll, undefined)]);
      return await new Promise((answer) => {
        this.#waiting.push({ path, key, hasId: id !== undefined, payload, at, answer });
        this.#plan();
      });
    } catch (error) {
      log.problem("A callback could not be read.", error);
      return 503;
    }
  };

  /** Stores a callback that a person has received elsewhere. @throws StoreError */
  take(localId: string, payload: Payload): void {
    const key = keyOf(undefined, Buffer.from(JSON.stringify(payload.heard ?? payload.events)));
    const { database, clock } = this.#options;
    const letter = { key, hasId: false, payload, at: clock.now() };
    database.write(() => this.#storeIn(localId, [letter]));
  }

  /** Never rejects. */
  async #poll(localId: string): Promise<void> {
    try {
      await this.#options.poll(localId);
    } catch (error) {
      this.#options.log.problem("A status could not be asked for after a callback.", error);
    }
  }

  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0) return;
    this.#isPlanned = true;
    const { clock } = this.#options;
    clock.after(Math.max(0, this.#notBefore - clock.now()), () => {
      this.#isPlanned = false;
      const began = clock.now();
      this.#store(this.#waiting.splice(0, mostAtOnce));
      const now = clock.now();
      this.#notBefore = now + share * (now - began);
      this.#plan();
    });
  }

  #store(parcels: readonly Parcel[]): void {
    const { database, paths, log } = this.#options;
    try {
      // Again, because an execution may have been removed since.
      const stored = database.write(() => {
        const found = groupBy(parcels, ({ path }) => paths.find(path));
        for (const [localId, own] of found) if (localId !== undefined) this.#storeIn(localId, own);
        return found;
      });
      for (const [localId, own] of stored) {
        for (const { answer } of own) answer(localId === undefined ? 404 : 204);
        const events = own.flatMap(({ payload }) => payload.events);
        if (localId !== undefined && events.some(({ type }) => ends.test(type)))
          void this.#poll(localId);
      }
    } catch (error) {
      log.problem("Callbacks could not be stored.", error);
      for (const { answer } of parcels) answer(503);
    }
  }

  #storeIn(localId: string, letters: readonly Letter[]): void {
    // Events have IDs of their own, so their order and repeats don't matter.
    const events = letters.flatMap(({ payload }) => payload.events);
    const change = (current: Execution) =>
      letters.reduce((execution, letter) => this.#apply(execution, letter), current);
    this.#options.store.update(localId, change, { events, withTimes });
  }

  #apply(execution: Execution, letter: Letter): Execution {
    const { heard, kickoffId } = letter.payload;
    if (heard !== undefined && !this.#isNew(execution, heard, letter)) return execution;
    // Another execution's ID would lead its documents and feedback here.
    const isFree = kickoffId !== undefined && this.#options.store.summary(kickoffId) === undefined;
    const started = isFree ? startHeard(execution, kickoffId) : execution;
    if (heard !== undefined) return applyHeard(started, heard, letter.at);
    return started.state === "queued" ? { ...started, state: "running" } : started;
  }

  /** Without an ID, what has the same body is a repeat; after an answer, the same pause is the next one. */
  #isNew({ localId, resumes }: Execution, heard: Heard, { key, hasId }: Letter): boolean {
    const answers = resumes.filter(
      ({ taskId, outcome }) =>
        heard.kind === "pause" && taskId === heard.taskId && outcome !== "refused",
    );
    const isNext = !hasId && answers.length > 0;
    return this.#options.paths.isNew(localId, isNext ? `${key} ${answers.length}` : key);
  }
}

/** A hash, because a sender chooses the ID. */
function keyOf(id: string | undefined, body: Uint8Array): string {
  const hash = createHash("sha256");
  return (id === undefined ? hash.update(body) : hash.update(`id ${id}`)).digest("base64url");
}
