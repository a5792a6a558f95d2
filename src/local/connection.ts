import { randomUUID } from "node:crypto";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { asArray, asObject, parseJson } from "../base/json.ts";
import {
  windowPath,
  type HeldDecision,
  type ModelRoute,
  type WindowMessage,
} from "../base/window-protocol.ts";
import type { LocalEngine } from "../crews/types.ts";
import { ServiceError, type Running } from "./service-process.ts";

interface ConnectionOptions {
  /** Its instance was verified: the tokens go there. */
  readonly running: Running;
  readonly token: string;
  readonly userToken: string;
  readonly onChange: () => void;
  /** A line of the service's log, without tokens and keys. */
  readonly onLine: (line: string) => void;
}

const responseMs = 10_000;

export class Connection {
  readonly running: Running;
  readonly token: string;
  readonly userToken: string;
  engine: LocalEngine = "rehearsal";
  /** Of a folder with several crews; undefined if the service doesn't say it. */
  classes: readonly string[] | undefined;
  held: readonly string[] = [];
  needsModels = false;
  readonly closed: Promise<void>;
  readonly #id = randomUUID();
  readonly #options: ConnectionOptions;
  readonly #request: ClientRequest;

  private constructor(options: ConnectionOptions) {
    ({ running: this.running, token: this.token, userToken: this.userToken } = options);
    this.#options = options;
    this.#request = this.#send("GET", `/windows/${this.#id}`);
    this.#request.end();
    this.closed = new Promise((resolve) => this.#request.once("close", resolve));
  }

  /** Resolves with the first line. @throws ServiceError */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    try {
      await connection.#read(await responseTo(connection.#request));
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async decide(type: HeldDecision, ids: readonly string[]): Promise<void> {
    await this.#tell("POST", `/${type}`, { ids });
  }

  /** For projects that are opened from now on; running executions keep what they began with. @throws ServiceError */
  async setRoute(route: ModelRoute): Promise<void> {
    await this.#tell("PUT", "/model", route);
  }

  async offerModels(endpoint: { readonly url: string; readonly token: string }): Promise<void> {
    await this.#tell("PUT", `/windows/${this.#id}/models`, endpoint);
  }

  close(): void {
    this.#request.destroy();
  }

  async #tell(method: string, path: string, body: object): Promise<void> {
    const sent = this.#send(method, path);
    sent.end(JSON.stringify(body));
    (await responseTo(sent)).resume();
  }

  #send(method: string, path: string): ClientRequest {
    const { running, token } = this;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return request(`${running.url}${windowPath}${path}`, { method, headers, agent: false });
  }

  async #read(response: IncomingMessage): Promise<void> {
    const lines = createInterface({ input: response, crlfDelay: Infinity });
    // `closed` reports it.
    for (const emitter of [response, lines]) emitter.on("error", () => undefined);
    await new Promise<void>((resolve, reject) => {
      lines.on("line", (line) => {
        this.#receive(asObject(parseJson(line)));
        resolve();
      });
      lines.once("close", () => reject(new ServiceError("gone", "It ended.")));
    });
  }

  #receive({ line, held, engine, classes, needsModels }: WindowMessage): void {
    if (typeof line === "string") {
      this.#options.onLine(line);
      return;
    }
    if (engine !== undefined) this.engine = engine === "crewai" ? engine : "rehearsal";
    if (classes !== undefined) this.classes = asArray(classes).map(String);
    if (held !== undefined) this.held = asArray(held).map(String);
    if (needsModels !== undefined) this.needsModels = needsModels;
    this.#options.onChange();
  }
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const late = setTimeout(() => sent.destroy(new Error("It does not respond.")), responseMs);
    const settled = () => clearTimeout(late);
    sent.once("response", resolve).once("response", settled).once("close", settled);
    sent.once("error", (error) => reject(new ServiceError("gone", error.message)));
  });
  const { statusCode } = response;
  if (statusCode === 200) return response;
  const answer = `It responded with ${statusCode}: ${(await text(response)).slice(0, 200)}`;
  throw new ServiceError(statusCode === 401 ? "token" : "gone", answer);
}
