import assert from "node:assert/strict";
import path from "node:path";
import postgres from "postgres";
import { defined } from "../../../src/base/json.ts";
import type { CrewProject } from "../../../src/projects/types.ts";
import type { AppOptions } from "../../../src/service/app.ts";
import { documentedDialect, liveDialect } from "../../../src/service/dialects.ts";
import { cipherWith, keyPlace } from "../../../src/service/encryption.ts";
import type { CallbackNetworks } from "../../../src/service/networks.ts";
import type { Engine } from "../../../src/service/engine.ts";
import type { FeedbackWebhook } from "../../../src/service/feedback-webhook.ts";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { createOperations } from "../../../src/service/operations/operations.ts";
import { createServerApp } from "../../../src/service/server/server-app.ts";
import { ownTokens, type Tokens } from "../../../src/service/server/tokens.ts";
import { openService, type ServedCrew, type Service } from "../../../src/service/service.ts";
import { openStorage, type Place, type Storage } from "../../../src/service/storage.ts";
import { rows, type Database } from "../../../src/service/database/database.ts";
import { schema } from "../../../src/service/database/postgres.ts";
import { openPostgresDatabase } from "../../../src/service/database/postgres.ts";
import { versionTable } from "../../../src/service/database/schema.ts";
import { openSqlite, type Row } from "../../../src/base/sqlite.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { answerProblems } from "../../support/answer-check.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { readAnswer, type ApiAnswer, type DocumentedStatus } from "../../support/crew-api.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { assertVendorDescribes } from "../../support/vendor-schemas.ts";
import { waitFor } from "../../support/wait.ts";

/** Three tasks; the second one waits for a person. */
export const crew: CrewProject = {
  kind: "classic",
  entry: "crew.py",
  name: "example",
  agents: [
    {
      name: "researcher",
      role: "Researcher of {topic}",
      goal: "Find facts",
      backstory: "Knows {topic}",
    },
    { name: "writer", role: "Writer", goal: "Write", backstory: "Writes" },
  ],
  tasks: [
    {
      id: "research",
      description: "Research {topic}",
      expectedOutput: "Notes for {audience}",
      agent: "researcher",
      humanInput: false,
    },
    {
      id: "draft",
      description: "Write a draft",
      expectedOutput: "A draft",
      agent: "writer",
      humanInput: true,
    },
    {
      id: "polish",
      description: "Polish the draft",
      expectedOutput: "A text",
      agent: "writer",
      humanInput: false,
    },
  ],
  inputs: ["topic", "audience"],
};

/** Valid inputs of `crew`. */
export const inputs = { topic: "tides", audience: "sailors" };

export interface HarnessOptions extends Partial<Pick<AppOptions, "examples">> {
  /** Of the crew. */
  readonly name?: string;
  /** By default T and U. */
  readonly tokens?: Pick<Tokens, "find">;
  readonly mostAtWork?: number;
  readonly project?: CrewProject;
  readonly readProject?: () => Promise<CrewProject>;
  readonly askInputs?: () => Promise<CrewProject>;
  readonly engine?: Engine;
  readonly maxProcesses?: number;
  readonly dialect?: "documented" | "live";
  /** The folder of an earlier service. */
  readonly folder?: string;
  readonly callbackBackoffMs?: number;
  readonly callbackTimeoutMs?: number;
  readonly networks?: CallbackNetworks;
  readonly feedbackWebhook?: FeedbackWebhook;
  /** Of its operations; without it, it has none. */
  readonly operations?: Partial<Parameters<typeof createOperations>[0]>;
}

/** Of all services of these tests. */
const key = Buffer.alloc(32, "test");
export const cipher = cipherWith(key);
export const secretKey = keyPlace("", { CREWDECK_SECRET_KEY: key.toString("base64") });

/** Whether these tests run on Postgres instead of SQLite. */
export const onPostgres = process.env["CREWDECK_TEST_DATABASE"] === "postgres";

/** SQL: each execution has something to do, as after a kill. */
export const workAgain = onPostgres
  ? `UPDATE crewdeck_jobs.job SET state = 'created', completed_on = NULL WHERE id IN (
       SELECT DISTINCT ON (singleton_key) id FROM crewdeck_jobs.job ORDER BY singleton_key, created_on DESC)`
  : `UPDATE executions SET phase = 'queued'
     WHERE ended_at IS NULL AND id NOT IN (SELECT execution_id FROM attempts WHERE state = 'waiting')`;

let server: Promise<TestPostgres> | undefined;
/** The addresses of databases, by the harnesses' folders. */
const databases = new Map<string, Promise<string>>();

/** Emptied databases: to make one and its tables costs more than most tests do. */
const spare: string[] = [];

/** The database of a harness's folder. */
function databaseOf(folder: string): Promise<string> {
  server ??= startPostgres({ isDurable: false });
  const found = databases.get(folder);
  if (found) return found;
  const url = spare.pop();
  const made = url ? Promise.resolve(url) : server.then((running) => running.createDatabase());
  databases.set(folder, made);
  return made;
}

/** Empties the database of a folder for another harness, unless a service that was left running still uses it. */
async function giveBack(folder: string): Promise<void> {
  const url = await databases.get(folder);
  databases.delete(folder);
  if (url === undefined) return;
  const sql = postgres(url, { max: 1 });
  try {
    const [used] = await sql`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    if (used) return;
    const tables = await sql`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = ${schema} AND tablename <> ${versionTable}`;
    // The order doesn't matter without the triggers of foreign keys.
    const deletes = tables.map(({ name }) => `DELETE FROM ${String(name)};`);
    await sql.unsafe(
      `SET session_replication_role = replica; ${deletes.join(" ")} DELETE FROM crewdeck_jobs.job`,
    );
    spare.push(url);
  } finally {
    await sql.end();
  }
}

interface Opened {
  readonly database: Database;
  readonly service: Service;
  readonly served: ServedCrew;
  /** The crew's own, behind what looks at tokens. */
  readonly crewApp: ReturnType<Service["appOf"]>;
  readonly app: ReturnType<typeof frontOf>;
}

/** What a server has before its crews' own apps. The tokens are T and U. */
export function frontOf(
  crews: Parameters<typeof createServerApp>[0]["crews"],
  log: (line: string) => void = () => undefined,
  tokens: Pick<Tokens, "find"> = ownTokens({ token: "T", userToken: "U" }),
) {
  const app = createServerApp({
    ...{ crews, log, trustProxy: false, requestsPerMinute: Infinity },
    tokens: { noteUse: () => undefined, find: (bearer) => tokens.find(bearer) },
  });
  return {
    fetch: (request: Request, env: object = {}) => app.fetch(request, env),
    request: async (address: string, init?: RequestInit) => await app.request(address, init, {}),
  };
}

/** A service of one crew on a storage. */
export function openOn(
  storage: Storage,
  log: (line: string) => void,
  options: HarnessOptions = {},
  onHeld: (ids: readonly string[]) => void = () => undefined,
): Opened {
  const served = {
    name: options.name ?? "",
    engine: options.engine ?? rehearsalEngine(0),
    dialect: options.dialect === "live" ? liveDialect : documentedDialect,
    readProject: options.readProject ?? (() => Promise.resolve(options.project ?? crew)),
    ...defined({ askInputs: options.askInputs, examples: options.examples }),
    feedbackWebhook: options.feedbackWebhook,
  };
  const service = openService({
    storage,
    role: "both",
    crews: [served],
    maxProcesses: options.maxProcesses ?? 16,
    callbackBackoffMs: options.callbackBackoffMs ?? 10,
    // On a busy machine, an answer may take long: then a callback would come twice.
    callbackTimeoutMs: options.callbackTimeoutMs ?? 60_000,
    networks: options.networks,
    operations:
      options.operations &&
      createOperations({
        ...{ database: storage.database, crews: [served.name], isLocal: true, version: "1.2.3" },
        log,
        ...options.operations,
      }),
    log,
    onHeld,
  });
  const crewApp = service.appOf(served, options.mostAtWork);
  const app = frontOf([{ ...served, fetch: crewApp.fetch }], log, options.tokens);
  return { database: storage.database, service, served, crewApp, app };
}

/** Fails if an answer does not match openapi.yaml. */
export function assertDescribed(method: string, path: string, answer: ApiAnswer): void {
  const { status, body, headers } = answer;
  const [contentType = ""] = (headers.get("Content-Type") ?? "").split(";");
  assert.deepEqual(answerProblems({ method, path, status, contentType, body }), []);
}

/** A member of each. */
export function valuesOf<T, K extends keyof T>(
  list: readonly T[] | undefined,
  member: K,
): T[K][] | undefined {
  return list?.map((each) => each[member]);
}

/** Callbacks of a kickoff or a resume to paths below an address. */
export const callbacksTo = (base: string) => ({
  taskWebhookUrl: `${base}/task`,
  stepWebhookUrl: `${base}/step`,
  crewWebhookUrl: `${base}/crew`,
});

/** The body of an error in the documented dialect. */
export function errorBody(error: string, message: string, details = {}, detail = message) {
  return { error, message, details, detail };
}

export const messageOf = ({ body }: ApiAnswer) => (body as { readonly message: string }).message;

/** Asks an app as the organization's token; with a body by POST. */
export async function ask(
  app: Opened["app"],
  path: string,
  body?: object,
  method = body ? "POST" : "GET",
): Promise<ApiAnswer> {
  const text = body && { body: JSON.stringify(body) };
  const headers = { Authorization: "Bearer T" };
  return readAnswer(await app.request(path, { method, headers, ...text }));
}

/** The real service in this process, without a socket. */
export class Harness {
  readonly folder: string;
  readonly log: string[] = [];
  /** What was left each time a person decided about held executions. */
  readonly left: (readonly string[])[] = [];
  readonly #opening: Promise<Opened>;
  #opened: Opened | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HarnessOptions = {}) {
    this.folder = options.folder ?? temporaryFolder("service");
    const log = (line: string) => void this.log.push(line);
    this.#opening = this.#place()
      .then((place) => openStorage(place, secretKey, log))
      .then((storage) => this.#open(storage, options));
    harnesses.add(this);
    atEndOfTest(endServices);
  }

  async #place(): Promise<Place> {
    if (!onPostgres) return { file: this.#file };
    return { url: await databaseOf(this.folder), connections: 5 };
  }

  #open(storage: Storage, options: HarnessOptions): Opened {
    const log = (line: string) => void this.log.push(line);
    return (this.#opened = openOn(storage, log, options, (ids) => this.left.push(ids)));
  }

  /** Only once it is open. */
  get #now(): Opened {
    return this.#opened ?? assert.fail("The service isn't open yet.");
  }

  get database(): Database {
    return this.#now.database;
  }

  get service(): Service {
    return this.#now.service;
  }

  get app(): Opened["app"] {
    return this.#now.app;
  }

  get crewApp(): Opened["crewApp"] {
    return this.#now.crewApp;
  }

  get #file(): string {
    return path.join(this.folder, "crewdeck.sqlite");
  }

  async opened(): Promise<void> {
    await this.#opening;
  }

  async start(): Promise<this> {
    await (await this.#opening).service.work();
    return this;
  }

  /** Changes or reads the service's tables behind its back. */
  async sql(text: string, ...values: (string | number)[]): Promise<readonly Row[]> {
    if (onPostgres) {
      const database = await openPostgresDatabase(
        await databaseOf(this.folder),
        1,
        () => undefined,
      );
      const found = await database.query(rows(text, ...values));
      await database.close();
      return found;
    }
    const database = openSqlite(this.#file);
    const found = database.prepare(text).all(...values);
    database.close();
    return found;
  }

  /** Fails if the response does not match openapi.yaml. */
  async request(
    method: string,
    address: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const text =
      body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const { app, served } = await this.#opening;
    const place = served.name === "" ? address : `/${served.name}${address}`;
    const answer = await readAnswer(
      await app.request(place, {
        method,
        headers: { Authorization: "Bearer T", ...headers },
        ...text,
      }),
    );
    if (method === "HEAD") return answer;
    const { pathname } = new URL(address, "http://localhost");
    assertDescribed(method, pathname, answer);
    if (served.dialect === documentedDialect)
      assertVendorDescribes(pathname, answer.status, answer.body);
    return answer;
  }

  async kickoff(request: object = { inputs }, token = "T"): Promise<string> {
    const { status, body } = await this.request("POST", "/kickoff", request, {
      Authorization: `Bearer ${token}`,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { kickoff_id: string }).kickoff_id;
  }

  /** Resolves to the execution's ID when its first attempt waits. */
  async kickoffUntilWaiting(request?: object): Promise<string> {
    const id = await this.kickoff(request);
    await this.untilWaiting(id);
    return id;
  }

  /** Approves the first output of an execution; resolves to its ID when it has ended. */
  async complete(request?: object): Promise<string> {
    const id = await this.kickoffUntilWaiting(request);
    await this.approve(id);
    return id;
  }

  async status(id: string): Promise<DocumentedStatus> {
    return (await this.request("GET", `/${id}/status`)).body as DocumentedStatus;
  }

  /** Resolves when the attempt waits. */
  async untilWaiting(id: string, attempt = 1): Promise<DocumentedStatus> {
    return waitFor(`attempt ${attempt} to wait`, async () => {
      const status = await this.status(id);
      assert.equal(status.status, "running", JSON.stringify(status));
      return status.pending_human_input?.attempt === attempt && status;
    });
  }

  async untilEnded(id: string): Promise<DocumentedStatus> {
    return waitFor("the execution to end", async () => {
      const status = await this.status(id);
      return status.status !== "running" && status;
    });
  }

  async resume(
    id: string,
    isApprove: boolean,
    feedback: string,
    more: object = {},
  ): Promise<ApiAnswer> {
    return this.request("POST", "/resume", {
      execution_id: id,
      task_id: "draft",
      human_feedback: feedback,
      is_approve: isApprove,
      ...more,
    });
  }

  /** Rejects an output; resolves when the next attempt waits. */
  async reject(id: string, next: number, feedback: string, more: object = {}) {
    assert.equal((await this.resume(id, false, feedback, more)).status, 200);
    return await this.untilWaiting(id, next);
  }

  /** Approves the last output that waits; resolves to the status at the end. */
  async approve(id: string, feedback = "", more: object = {}): Promise<DocumentedStatus> {
    assert.equal((await this.resume(id, true, feedback, more)).status, 200);
    return await this.untilEnded(id);
  }

  /** Resolves when no execution has something to do. */
  async untilAsleep(): Promise<void> {
    const jobs = onPostgres
      ? "SELECT 1 AS found FROM crewdeck_jobs.job WHERE state < 'completed'"
      : "SELECT 1 AS found FROM executions WHERE ended_at IS NULL AND phase IN ('queued', 'running')";
    await waitFor("nothing to do", async () => (await this.sql(jobs)).length === 0);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#opening.then(({ service }) => service.close()));
  }

  /** Closes the service and removes its data. */
  async end(): Promise<void> {
    await this.close();
    if (onPostgres) await giveBack(this.folder);
    harnesses.delete(this);
  }
}

const harnesses = new Set<Harness>();
const receivers: CallbackReceiver[] = [];

/** The service of the test that runs. It ends with the test, and so do all others. */
export let harness: Harness;

/** Replaces the test's service by one that has not started. */
export function openHarness(options: HarnessOptions = {}): void {
  harness = new Harness(options);
}

/** Replaces the test's service; the earlier one ends, unless this one is on its folder. */
export async function serve(options: HarnessOptions = {}): Promise<void> {
  if (harnesses.has(harness) && harness.folder !== options.folder) await harness.end();
  openHarness(options);
  await harness.start();
}

/** Restarts the test's service, after these changes of its data. */
export async function restart(options: HarnessOptions = {}, ...changes: string[]): Promise<void> {
  await harness.close();
  for (const change of changes) await harness.sql(change);
  await serve({ ...options, folder: harness.folder });
}

/** Receives callbacks until the test ends. */
export async function openReceiver(host?: string, port = 0): Promise<CallbackReceiver> {
  const receiver = new CallbackReceiver();
  await receiver.start(port, host);
  receivers.push(receiver);
  atEndOfTest(endServices);
  return receiver;
}

async function endServices(): Promise<void> {
  // First: a service finishes what it is sending.
  for (const receiver of receivers.splice(0)) await receiver.stop();
  for (const open of [...harnesses].reverse()) await open.end();
}
