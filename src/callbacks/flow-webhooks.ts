import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import { text } from "../base/sqlite.ts";
import { executionOfFlow, requestReceived } from "../executions/flow-requests.ts";
import type { CrewRef } from "../executions/model.ts";
import { newExecution } from "../executions/reduce.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { crewIdsWith, crewValues } from "../store/crew-values.ts";
import type { Database } from "../store/database.ts";
import { StoreError } from "../store/errors.ts";
import { type AskedPerson, readFlowRequest } from "./flow-request.ts";
import { statusAfter } from "./inbox.ts";
import { lastSegment } from "./paths.ts";
import type { Delivery } from "./routes.ts";

export interface FlowWebhooksOptions {
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "add" | "list" | "refresh" | "update">;
  readonly clock: Clock;
  readonly log: ProblemLog;
  readonly crews: { find(crewId: string): CrewRef | undefined };
  /** Called when a request is refused. The person must know, because a deployment doesn't send it again. @param why whole sentences */
  readonly onRefused: (crew: CrewRef, why: string) => void;
  /** VS Code's SecretStorage. */
  readonly storage: {
    get(key: string): PromiseLike<string | undefined>;
    store(key: string, value: string): PromiseLike<void>;
    delete(key: string): PromiseLike<void>;
  };
}

const kind = "flow webhook";
const secretPrefix = "crewdeck.feedbackSecret.";

const notAsked = "It is about another event, or has no ID or no address for an answer.";

/** Receives the webhooks by which flows ask for feedback. Each crew has one path, which never changes. */
export class FlowWebhooks {
  readonly #options: FlowWebhooksOptions;
  readonly #paths;

  constructor(options: FlowWebhooksOptions) {
    this.#options = options;
    const { database, log } = options;
    this.#paths = crewValues(database, kind, String, (error) =>
      log.problem("The path of a crew's flows can't be read.", error),
    );
  }

  /** The crew's secret path. Creates it at the first call. */
  path(crewId: string): string {
    const { database } = this.#options;
    return database.write(() => {
      const known = this.#paths.get(crewId);
      if (known !== undefined) return known;
      const path = randomBytes(32).toString("base64url");
      this.#paths.set(crewId, path);
      return path;
    });
  }

  isPath(path: string): boolean {
    return this.#crewAt(path) !== undefined;
  }

  /** Stores the secret that signs the crew's requests. Rejects if VS Code can't store it. */
  async setSecret(crewId: string, secret: string): Promise<void> {
    // Add the row first: only the secrets of crews with a row are ever deleted.
    this.path(crewId);
    await this.#options.storage.store(secretPrefix + crewId, secret);
  }

  async hasSecret(crewId: string): Promise<boolean> {
    return (await this.#options.storage.get(secretPrefix + crewId)) !== undefined;
  }

  /** The crew's address changed; the deployment still sends to the path. */
  async move(fromId: string, toId: string): Promise<void> {
    const { database, storage } = this.#options;
    if (!this.crewIds().includes(fromId)) return;
    const secret = await storage.get(secretPrefix + fromId);
    const update = "UPDATE OR REPLACE crew_values SET crew_id = ? WHERE kind = ? AND crew_id = ?";
    database.run(update, toId, kind, fromId);
    if (secret !== undefined) await storage.store(secretPrefix + toId, secret);
    await storage.delete(secretPrefix + fromId);
  }

  async forget(crewId: string): Promise<void> {
    await this.#options.storage.delete(secretPrefix + crewId);
    this.#paths.set(crewId, undefined);
  }

  /** The IDs of the crews that have a path. */
  crewIds(): readonly string[] {
    return crewIdsWith(this.#options.database, kind);
  }

  /** Undefined if the path isn't a crew's. Otherwise the HTTP status: 2xx once the request is stored, 503 if it may come again. */
  async receive(delivery: Delivery): Promise<number | undefined> {
    const { crews, clock, log } = this.#options;
    const { headers, body, isRewritten = false, arrivedAt = clock.now() } = delivery;
    try {
      const crewId = this.#crewAt(delivery.path);
      if (crewId === undefined) return undefined;
      const crew = crews.find(crewId);
      if (crew === undefined) return 404;
      const secret = await this.#secretOf(crewId);
      // Without a secret, no signature can be checked.
      if (secret === undefined) return this.#refuse("secret", crew);
      const problem = signatureProblem(headers, body, secret, arrivedAt);
      if (problem === "wrong" && isRewritten) return this.#refuse("rewritten", crew);
      if (problem !== undefined) return this.#refuse(problem, crew);
      const asked = readFlowRequest(new TextDecoder().decode(body));
      if (asked !== undefined) this.#take(crew, asked);
      else log.problem("A flow's webhook asks no person.", new Error(notAsked), crew.name);
      return 200;
    } catch (error) {
      const status = statusAfter(error);
      if (status === 503) log.problem("A flow's request could not be stored.", error);
      else log.problem("A flow's request can't be read, and is left out.", error);
      return status;
    }
  }

  /** @throws StoreError */
  async #secretOf(crewId: string): Promise<string | undefined> {
    try {
      return await this.#options.storage.get(secretPrefix + crewId);
    } catch (error) {
      throw new StoreError("failed", "The crew's feedback secret can't be read.", error);
    }
  }

  #crewAt(path: string): string | undefined {
    const select = "SELECT crew_id FROM crew_values WHERE kind = ? AND json = ?";
    const row = this.#options.database.get(select, kind, JSON.stringify(lastSegment(path)));
    return row && text(row, "crew_id");
  }

  #refuse(problem: "secret" | "missing" | "wrong" | "rewritten" | "old", crew: CrewRef): number {
    const why = {
      secret: l10n.t("The crew has no feedback secret on this machine."),
      missing: l10n.t("It has no X-Signature or no X-Timestamp."),
      wrong: l10n.t("Its signature doesn't fit the crew's feedback secret."),
      rewritten: l10n.t(
        "Its signature can't be checked, because a relay such as smee.io doesn't pass on what was signed. Flows need a tunnel, or a relay of your own.",
      ),
      old: l10n.t("It was not signed within the last 5 minutes by this machine's clock."),
    }[problem];
    const { log, onRefused } = this.#options;
    log.problem("A flow's request was refused.", new Error(why), crew.name);
    onRefused(crew, why);
    return 401;
  }

  #take(crew: CrewRef, { request, ids, label }: AskedPerson): void {
    const { database, store, clock } = this.#options;
    const { id } = request;
    // Another window may have just tracked it.
    store.refresh();
    database.write(() => {
      const own = store.list().filter((each) => each.crew.id === crew.id);
      if (own.some(({ requestIds = [] }) => requestIds.includes(id))) return;
      const now = clock.now();
      const execution = executionOfFlow(own, ids);
      if (execution !== undefined)
        store.update(execution.localId, (current) => requestReceived(current, request, now));
      else {
        const [kickoffId = id] = ids;
        const tracked = newExecution({ crew, origin: "tracked", kickoffId, label }, clock);
        store.add(requestReceived(tracked, request, now));
      }
    });
  }
}

/** How far a signature's time may be from now (ms). An older one may be a recorded request that somebody sends again. */
const validFor = 5 * 60_000;

/** Checks a flow's webhook. Returns why it isn't accepted, or undefined if its signature is valid. @param now ms since 1970 */
function signatureProblem(
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  secret: string,
  now: number,
): "missing" | "wrong" | "old" | undefined {
  const given = headers["x-signature"]?.trim();
  const timestamp = headers["x-timestamp"]?.trim();
  if (given === undefined || timestamp === undefined) return "missing";
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
  const hex = /^(?:sha256=)?([\da-f]{64})$/i.exec(given)?.[1] ?? "";
  const signature = Buffer.from(hex, "hex");
  // `timingSafeEqual` needs equal lengths, which are no secret.
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return "wrong";
  const at = timeOf(timestamp);
  return at === undefined || Math.abs(now - at) > validFor ? "old" : undefined;
}

/** Milliseconds since 1970. The format isn't published, so seconds, milliseconds and ISO 8601 are read. */
function timeOf(timestamp: string): number | undefined {
  const number = Number(timestamp);
  const at = Number.isNaN(number)
    ? Date.parse(timestamp)
    : Math.abs(number) < 1e11
      ? number * 1000
      : number;
  return Number.isNaN(at) ? undefined : at;
}
