import { createHmac, timingSafeEqual } from "node:crypto";
import * as l10n from "@vscode/l10n";
import { timeOf } from "../api/read-events.ts";
import { readOptions } from "../api/read-status.ts";
import type { Clock } from "../base/clock.ts";
import type { ProblemLog } from "../base/errors.ts";
import type { SecretStorage } from "../base/events.ts";
import {
  asObject,
  idAt,
  laidOutJson,
  parseJson,
  readable,
  textAt,
  type UnknownObject,
} from "../base/json.ts";
import { text } from "../base/sqlite.ts";
import { fenceFor, oneLine, shortened, shortName } from "../base/text.ts";
import { requestReceived } from "../executions/flow-requests.ts";
import type { CrewRef } from "../executions/model.ts";
import { newExecution } from "../executions/reduce.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { crewIdsWith, crewValues } from "../store/crew-values.ts";
import type { Database } from "../store/database.ts";
import { StoreError } from "../store/errors.ts";
import { statusAfter } from "./inbox.ts";
import { lastSegment, newSecret } from "./paths.ts";
import type { Delivery } from "./routes.ts";

export interface FlowWebhooksOptions {
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "add" | "list" | "refresh" | "update">;
  readonly clock: Clock;
  readonly log: ProblemLog;
  readonly crews: { find(crewId: string): CrewRef | undefined };
  /** Called when a request is refused. The person must know, because a deployment doesn't send it again. @param why whole sentences */
  readonly onRefused: (crew: CrewRef, why: string) => void;
  readonly storage: SecretStorage;
}

const kind = "flow webhook";
const secretKey = (crewId: string) => `crewdeck.feedbackSecret.${crewId}`;

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

  path(crewId: string): string {
    return this.#paths.change(crewId, (known = newSecret()) => known);
  }

  isPath(path: string): boolean {
    return this.#crewAt(path) !== undefined;
  }

  async setSecret(crewId: string, secret: string): Promise<void> {
    // Add the row first: only the secrets of crews with a row are ever deleted.
    this.path(crewId);
    await this.#options.storage.store(secretKey(crewId), secret);
  }

  /** The crew's address changed; the deployment still sends to the path. */
  async move(fromId: string, toId: string): Promise<void> {
    const { database, storage } = this.#options;
    if (!this.crewIds().includes(fromId)) return;
    const secret = await storage.get(secretKey(fromId));
    const update = "UPDATE OR REPLACE crew_values SET crew_id = ? WHERE kind = ? AND crew_id = ?";
    database.run(update, toId, kind, fromId);
    if (secret !== undefined) await storage.store(secretKey(toId), secret);
    await storage.delete(secretKey(fromId));
  }

  async forget(crewId: string): Promise<void> {
    await this.#options.storage.delete(secretKey(crewId));
    this.#paths.set(crewId, undefined);
  }

  crewIds(): readonly string[] {
    return crewIdsWith(this.#options.database, kind);
  }

  /** Undefined if the path isn't a crew's. Otherwise the HTTP status: 2xx once the request is stored, 503 if it may come again. */
  async receive(delivery: Delivery): Promise<number | undefined> {
    const { crews, log, onRefused } = this.#options;
    try {
      const crewId = this.#crewAt(delivery.path);
      if (crewId === undefined) return undefined;
      const crew = crews.find(crewId);
      if (crew === undefined) return 404;
      const why = this.#refusalOf(delivery, await this.#secretOf(crewId));
      if (why !== undefined) {
        log.problem("A flow's request was refused.", new Error(why), crew.name);
        onRefused(crew, why);
        return 401;
      }
      const asked = readFlowRequest(new TextDecoder().decode(delivery.body));
      if (asked !== undefined) this.#take(crew, asked);
      else {
        const notAsked = "It is about another event, or has no ID or no address for an answer.";
        log.problem("A flow's webhook asks no person.", new Error(notAsked), crew.name);
      }
      return 200;
    } catch (error) {
      const status = statusAfter(error);
      if (status === 503) log.problem("A flow's request could not be stored.", error);
      else log.problem("A flow's request can't be read, and is left out.", error);
      return status;
    }
  }

  async #secretOf(crewId: string): Promise<string | undefined> {
    try {
      return await this.#options.storage.get(secretKey(crewId));
    } catch (error) {
      throw new StoreError("failed", "The crew's feedback secret can't be read.", error);
    }
  }

  #crewAt(path: string): string | undefined {
    const select = "SELECT crew_id FROM crew_values WHERE kind = ? AND json = ?";
    const row = this.#options.database.get(select, kind, JSON.stringify(lastSegment(path)));
    return row && text(row, "crew_id");
  }

  #refusalOf(delivery: Delivery, secret: string | undefined): string | undefined {
    const { headers, body, isRewritten, arrivedAt = this.#options.clock.now() } = delivery;
    const { "x-signature": given = "", "x-timestamp": stamp = "" } = headers;
    const timestamp = stamp.trim();
    if (secret === undefined) return l10n.t("The crew has no feedback secret on this machine.");
    const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest();
    const hex = /^(?:sha256=)?([\da-f]{64})$/i.exec(given.trim())?.[1] ?? "";
    const signature = Buffer.from(hex, "hex");
    // `timingSafeEqual` needs equal lengths, which are no secret.
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
      return isRewritten
        ? l10n.t(
            "Its signature can't be checked, because a relay such as smee.io doesn't pass on what was signed. Flows need a tunnel, or a relay of your own.",
          )
        : l10n.t("Its signature doesn't fit the crew's feedback secret.");
    // The format isn't published: seconds, milliseconds or ISO 8601.
    const number = Number(timestamp);
    const at = timeOf(Number.isNaN(number) ? timestamp : number);
    // An older one may be a recorded request that somebody sends again.
    return at !== undefined && Math.abs(arrivedAt - at) <= validFor
      ? undefined
      : l10n.t("It was not signed within the last 5 minutes by this machine's clock.");
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
      const execution = own.find(({ kickoffIds, flowId }) =>
        ids.some((each) => each === flowId || kickoffIds.includes(each)),
      );
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

/** How far a signature's time may be from now (ms). */
const validFor = 5 * 60_000;

type AskedPerson = NonNullable<ReturnType<typeof readFlowRequest>>;

/** Undefined if it asks for no feedback, or has no ID or no address for the answer. */
export function readFlowRequest(body: string) {
  const payload = asObject(parseJson(body));
  const request = asObject(payload["request"]);
  const id = idAt(request, "id", "request_id");
  const callbackUrl =
    textAt(payload, "callback_url", "callbackUrl") ?? textAt(request, "callback_url");
  const isAsked = (textAt(payload, "event") ?? "new_request") === "new_request";
  if (id === undefined || callbackUrl === undefined || !isAsked) return undefined;
  const taskId = textAt(request, "method_name", "methodName") ?? "human_feedback";
  const message = textAt(request, "message") ?? "";
  // In a flow's state, `id` is the ID of the flow, which is also that of its execution.
  const ids = [
    idAt(request, "flow_id", "flowId"),
    idAt(request, "kickoff_id", "execution_id"),
    idAt(asObject(request["metadata"]), "kickoff_id", "execution_id"),
    idAt(asObject(request["state"]), "id"),
  ].filter((each) => each !== undefined);
  return {
    request: {
      ...{ id, taskId, callbackUrl },
      options: readOptions(request),
      output: outputOf(request, message),
    },
    /** Of the flow and its execution; the flow's own is first. */
    ids: ids.length === 0 ? [id] : [...new Set(ids)],
    label: oneLine(message, 60) || shortName(taskId),
  };
}

function outputOf(request: UnknownObject, message: string): string {
  const output = readable(request["method_output"] ?? request["output"]) ?? "";
  return [
    shortened(message, 100_000),
    shortened(output, 200_000),
    jsonPart(l10n.t("State"), asObject(request["state"])),
    jsonPart(l10n.t("Metadata"), asObject(request["metadata"])),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function jsonPart(heading: string, object: UnknownObject): string {
  if (Object.keys(object).length === 0) return "";
  const json = shortened(laidOutJson(object), 100_000);
  const fence = fenceFor(json);
  return `**${heading}**\n\n${fence}json\n${json}\n${fence}`;
}
