import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Clock } from "../../../src/base/clock.ts";
import { Database } from "../../../src/store/database.ts";
import { StoreError } from "../../../src/store/errors.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { atEndOfTest } from "../../support/ends.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import type { Answer, Request } from "./worker.ts";

export const newFolder = (): string => temporaryFolder("store");

/** Opens a window's database, and collects its reports. */
export function openDatabase(folder: string, clock: Clock = new FakeClock()) {
  const problems: string[] = [];
  const damage: string[] = [];
  const database = new Database({
    folder,
    clock,
    log: { problem: (doing, error) => problems.push(`${doing} ${String(error)}`) },
    onDamage: (message) => damage.push(message),
  });
  let changes = 0;
  database.onDidChangeElsewhere(() => changes++);
  atEndOfTest(() => database.dispose());
  return { database, problems, damage, changes: () => changes, file: fileIn(folder) };
}

export const fileIn = (folder: string): string => path.join(folder, "crewdeck.db");

/** A second process with a database in the folder. */
export class Worker {
  readonly #process: ChildProcess;

  constructor(folder: string) {
    this.#process = fork(path.join(import.meta.dirname, "worker.ts"), [folder]);
    this.#process.setMaxListeners(0);
    atEndOfTest(() => this.#process.kill("SIGKILL"));
  }

  /** Sends a request. @throws Error with the text of the worker's error */
  async ask(request: Request): Promise<Answer> {
    this.#process.send(request);
    const [answer] = (await once(this.#process, "message")) as [Answer];
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
}

/** Stores a crew's value in its own transaction. */
export function put(database: Database, crew: string, json: string): void {
  database.run("INSERT OR REPLACE INTO crew_values VALUES ('test', ?, ?)", crew, json);
}

/** The crews with a value. */
export function crews(database: Database): readonly unknown[] {
  return database
    .all("SELECT crew_id, json FROM crew_values WHERE kind = 'test' ORDER BY rowid")
    .map((row) => row["crew_id"]);
}

/** Whether an error says that the database can't be used for this reason. */
export const fails =
  (kind: StoreError["kind"], text = /./) =>
  (error: unknown) =>
    error instanceof StoreError && error.kind === kind && text.test(error.message);

/** Runs statements in a file, as another program might. */
export function sql(file: string, statements: string): void {
  const connection = openSqlite(file);
  try {
    connection.exec(statements);
  } finally {
    connection.close();
  }
}
