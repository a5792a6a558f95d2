import { createHash } from "node:crypto";
import { type Clock, wait } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { applyReport, startReported } from "../executions/callback-report.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import { StoreError } from "../store/errors.ts";
import type { Paths } from "./paths.ts";
import { type Payload, readPayload } from "./payload.ts";
import { mostBytes, type Receive } from "./routes.ts";

const batchSize = 1_000;
/** How long storing a crew's result waits for the crew's status (ms). */
const longestPoll = 2_000;
/** Events that end an execution. The status is then asked for, because it says more than the event. */
const ends = /^(crew_kickoff|flow)_(completed|failed|finished)$/;

interface InboxOptions {
  readonly database: Pick<Database, "write">;
  readonly store: Pick<ExecutionStore, "list" | "refresh" | "summary" | "update">;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly poll: (localId: string) => Promise<unknown>;
  readonly log: ProblemLog;
}

interface Callback {
  readonly key: string;
  /** Whether its sender gave it an ID. Only a repeat of the same callback has the same ID. */
  readonly hasId: boolean;
  readonly payload: Payload;
  /** When it arrived, perhaps at a relay (ms since 1970). */
  readonly at: number;
}

interface WaitingCallback extends Callback {
  readonly path: string;
  readonly answer: (status: number) => void;
}

/** Stores callbacks in batches. A callback is answered once it is stored, and a repeat is ignored. */
export class Inbox {
  readonly #options: InboxOptions;
  #waiting: WaitingCallback[] = [];
  #isPlanned = false;
  /** When the next batch may be stored (ms since 1970). */
  #notBefore = 0;
  /** Paths and executions with a callback that was refused or left out, which is logged once. */
  readonly #reported = new Set<string>();

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  readonly receive: Receive = async ({ path, headers, body, arrivedAt = Infinity }) => {
    const { paths, clock } = this.#options;
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
      // Ask for the status first: it says more than the result, and an ended execution isn't polled.
      if (payload.report?.kind === "end")
        await Promise.race([this.#poll(localId), wait(clock, longestPoll, undefined)]);
      return await new Promise((answer) => {
        this.#waiting.push({ path, key, hasId: id !== undefined, payload, at, answer });
        this.#plan();
      });
    } catch (error) {
      return this.#failed(path, error);
    }
  };

  take(localId: string, payload: Payload): void {
    const key = keyOf(undefined, Buffer.from(JSON.stringify(payload.report ?? payload.events)));
    const { database, clock } = this.#options;
    const callback = { key, hasId: false, payload, at: clock.now() };
    database.write(() => this.#storeFor(localId, [callback]));
  }

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
      this.#store(this.#waiting.splice(0, batchSize));
      const now = clock.now();
      // So that the editor stays responsive.
      this.#notBefore = now + 2 * (now - began);
      this.#plan();
    });
  }

  #store(callbacks: readonly WaitingCallback[]): void {
    const { database, store, paths } = this.#options;
    try {
      // Another window may have just tracked the execution that a callback names.
      store.refresh();
      // Look the paths up again: an execution may have been removed since.
      const stored = database.write(() =>
        [...Map.groupBy(callbacks, ({ path }) => paths.find(path))].map(([localId, all]) => {
          if (localId === undefined) return { localId: "", all, own: [] };
          const own = all.filter((each) => !this.#isOthers(localId, each));
          if (own.length > 0) this.#storeFor(localId, own);
          return { localId, all, own };
        }),
      );
      for (const { localId, all, own } of stored) {
        const refused = localId === "" ? 404 : 409;
        for (const each of all) each.answer(own.includes(each) ? 204 : refused);
        if (localId !== "" && own.length < all.length)
          this.#reportOnce(
            localId,
            "A callback was refused.",
            new Error("It names another execution than the one whose path it came by."),
          );
        const events = own.flatMap(({ payload }) => payload.events);
        if (events.some(({ type }) => ends.test(type))) void this.#poll(localId);
      }
    } catch (error) {
      // The others of a batch must not come again because of one.
      if (statusAfter(error) !== 503 && callbacks.length > 1)
        for (const each of callbacks) this.#store([each]);
      else {
        const status = this.#failed(callbacks[0]?.path ?? "", error);
        for (const { answer } of callbacks) answer(status);
      }
    }
  }

  #failed(path: string, error: unknown): number {
    const status = statusAfter(error);
    if (status === 503) this.#options.log.problem("Callbacks could not be stored.", error);
    else this.#reportOnce(path, "A callback can't be read, and is left out.", error);
    return status;
  }

  #reportOnce(about: string, doing: string, error: unknown): void {
    if (this.#reported.has(about)) return;
    this.#reported.add(about);
    this.#options.log.problem(doing, error);
  }

  /** Whether the callback names another execution that is known here: nobody may approve a draft of another run. */
  #isOthers(localId: string, { payload }: Callback): boolean {
    const { store } = this.#options;
    // Crews take IDs in any case.
    const named = new Set(payload.executionIds.map((id) => id.toLowerCase()));
    for (const id of store.summary(localId)?.kickoffIds ?? []) named.delete(id.toLowerCase());
    return (
      named.size > 0 &&
      store.list().some(({ kickoffIds }) => kickoffIds.some((id) => named.has(id.toLowerCase())))
    );
  }

  #storeFor(localId: string, callbacks: readonly Callback[]): void {
    // Events have IDs of their own, so their order and repeats don't matter.
    const events = callbacks.flatMap(({ payload }) => payload.events);
    const change = (current: Execution) =>
      callbacks.reduce((execution, callback) => this.#apply(execution, callback), current);
    this.#options.store.update(localId, change, events);
  }

  #apply(execution: Execution, callback: Callback): Execution {
    const { report, kickoffId } = callback.payload;
    if (report !== undefined && !this.#isNew(execution, callback)) return execution;
    const started = kickoffId === undefined ? execution : startReported(execution, kickoffId);
    if (report !== undefined) return applyReport(started, report, callback.at);
    return started.state === "queued" ? { ...started, state: "running" } : started;
  }

  /** Without an ID, the same body is a repeat, but after an answer it reports the next pause. */
  #isNew({ localId, resumes }: Execution, { key, hasId, payload: { report } }: Callback): boolean {
    const answers = resumes.filter(
      ({ taskId, outcome }) =>
        report?.kind === "pause" && taskId === report.taskId && outcome !== "refused",
    );
    const isNext = !hasId && answers.length > 0;
    return this.#options.paths.isNew(localId, isNext ? `${key} ${answers.length}` : key);
  }
}

/** Identifies a callback: by a hash, because the sender chooses the ID, which may be long. */
function keyOf(id: string | undefined, body: Uint8Array): string {
  const hash = createHash("sha256");
  return (id === undefined ? hash.update(body) : hash.update(`id ${id}`)).digest("base64url");
}

/** The HTTP status of a failure: 503 if the callback may come again, 422 if that would fail in the same way, and block the next. */
export function statusAfter(error: unknown): 503 | 422 {
  return error instanceof StoreError ? 503 : 422;
}
