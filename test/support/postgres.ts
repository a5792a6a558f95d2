import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { temporaryFolder } from "./folders.ts";
import { freePort } from "./http-server.ts";
import { installOnce } from "./install-once.ts";
import { needs, problemOf } from "./needs.ts";
import { familyOf, isRunning, signal } from "./processes.ts";
import { waitFor } from "./wait.ts";

export interface PostgresOptions {
  /** Whether what is committed survives a power cut. By default yes; no is faster. */
  readonly isDurable?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

const oldest = 14;
const name = "postgres";

/** Skips the tests of a suite where there is no Postgres. In CI, they fail. */
export function needsPostgres(): void {
  needs(installPostgres);
}

/** For a `describe` at its top: all of its tests have one Postgres, or are skipped. */
export function withPostgres(set: (server: TestPostgres) => unknown): void {
  let server: TestPostgres | undefined;
  needsPostgres();
  before(async () => set((server = await startPostgres({ isDurable: false }))));
  after(() => server?.stop());
}

/** Installs Postgres if it is missing, which takes up to a minute. Resolves to why there can be none here. */
export const installPostgres = () => problemOf("Postgres", programs);

let found: ReturnType<typeof findOrInstall> | undefined;

/** The folder of Postgres's programs. @throws Error that says what to install */
async function programs(): Promise<string> {
  return (found ??= findOrInstall());
}

async function findOrInstall(): Promise<string> {
  if (process.platform === "win32")
    throw new Error("On Windows, the tests start no Postgres. Run them on Linux or macOS.");
  const folder = (await find()) ?? ((await installOnDebian()) ? await find() : undefined);
  if (folder === undefined)
    throw new Error(
      `No Postgres found. Install the server, version ${oldest} or newer, and add the folder of initdb and pg_ctl to PATH.`,
    );
  return folder;
}

async function find(): Promise<string | undefined> {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).map(Number) : [];
  const configured = await run("pg_config", ["--bindir"]).catch(() => "");
  const folders = [
    ...versions.sort((a, b) => b - a).map((version) => path.join(debian, `${version}`, "bin")),
    configured.trim(),
    ...(process.env["PATH"] ?? "").split(path.delimiter),
  ];
  for (const folder of folders)
    // The packages of clients have only some of the programs.
    if (["initdb", "pg_ctl", "postgres"].every((program) => existsSync(path.join(folder, program))))
      if (Number.parseInt(await versionIn(folder)) >= oldest) return folder;
  return undefined;
}

async function versionIn(folder: string): Promise<string> {
  return /\d[\d.]*/.exec(await run(path.join(folder, "pg_ctl"), ["--version"]))?.[0] ?? "";
}

/** Without a cluster of Debian's own. Resolves to whether it could be tried. */
async function installOnDebian(): Promise<boolean> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return false;
  console.log("No Postgres found: installing Debian's package postgresql with apt-get.");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const settings = "/etc/postgresql-common/createcluster.conf";
  await run("apt-get", ["update"], { env });
  await run("apt-get", ["install", "-y", "postgresql-common"], { env });
  await run("pg_conftool", [settings, "set", "create_main_cluster", "off"]);
  await run("apt-get", ["install", "-y", "--no-install-recommends", "postgresql"], { env });
  return true;
}

/** A cluster of Postgres's own format, made once and then copied, with the password of its superuser. */
async function template(bin: string, user: User | undefined): Promise<string> {
  // What it contains is part of its name, so that a change here makes another one.
  return installOnce(`postgres-${await versionIn(bin)}-icu`, async (target) => {
    const folder = temporaryFolder("initdb");
    const password = path.join(folder, "password");
    writeFileSync(password, randomBytes(18).toString("base64url"), { mode: 0o600 });
    for (const file of [folder, password]) if (user) chownSync(file, user.uid, user.gid);
    const login = ["--username", name, "--pwfile", password, "--auth", "scram-sha-256"];
    // Not the locale "C", in which texts have the same order as in SQLite: servers have others.
    const icu = ["--locale-provider", "icu", "--icu-locale", "en-US"];
    const hasIcu = Number.parseInt(await versionIn(bin)) >= 15;
    const text = ["--encoding", "UTF8", "--locale", "C", ...(hasIcu ? icu : [])];
    const data = ["--no-sync", "-D", path.join(folder, "data")];
    await run(path.join(bin, "initdb"), [...login, ...text, ...data], { user });
    await run("cp", ["-a", `${folder}/.`, target]);
  });
}

/**
 * Starts a Postgres on a free port of this machine, with an empty cluster of its own. However this process ends, its Postgres
 * ends, too, and its folder is removed.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  const bin = await programs();
  const user = await ownUser();
  const source = await template(bin, user);
  // Its guardian removes it, when it has ended.
  const folder = mkdtempSync(path.join(tmpdir(), "crewdeck-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const guardian = guard(folder, bin, user);
  try {
    const data = path.join(folder, "data");
    await run("cp", ["-a", path.join(source, "data"), data]);
    const port = await freePort();
    appendFileSync(path.join(data, "postgresql.conf"), settingsOf(port, options));
    const password = readFileSync(path.join(source, "password"), "utf8");
    const control = async (action: string) => {
      const how = ["-D", data, "--log", path.join(folder, "log"), "--wait", "--silent"];
      const mode = action === "restart" ? ["--mode", "immediate"] : [];
      await run(path.join(bin, "pg_ctl"), [action, ...how, ...mode], { user });
    };
    await control("start");
    return new TestPostgres({ bin, folder, port, password, guardian, control });
  } catch (error) {
    const log = path.join(folder, "log");
    if (existsSync(log)) console.error(readFileSync(log, "utf8"));
    await end(guardian, folder);
    throw error;
  }
}

function settingsOf(port: number, { isDurable = true, settings = {} }: PostgresOptions): string {
  // What is committed survives a crash of Postgres, which tests make: "synchronous_commit" stays on.
  const quick = { fsync: "off", full_page_writes: "off" };
  const all = {
    port: `${port}`,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // After a crash, all files are synced one by one otherwise, which takes seconds.
    ...(process.platform === "linux" && { recovery_init_sync_method: "syncfs" }),
    shared_buffers: "32MB",
    // A team has a pool in each process.
    max_connections: "200",
    ...(isDurable ? {} : quick),
    ...settings,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key} = '${value}'\n`);
  return `\n${lines.join("")}`;
}

interface Parts {
  readonly bin: string;
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  readonly guardian: Socket;
  readonly control: (action: "start" | "restart") => Promise<void>;
}

export class TestPostgres {
  readonly port: number;
  /** Of the database `postgres`, as its superuser. */
  readonly url: string;
  readonly #parts: Parts;
  #databases = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.port = parts.port;
    this.url = this.#urlOf(name);
  }

  async createDatabase(): Promise<string> {
    const database = `test_${(this.#databases += 1)}`;
    const sql = postgres(this.url, { max: 1 });
    try {
      await sql.unsafe(`CREATE DATABASE ${database}`);
    } finally {
      await sql.end();
    }
    return this.#urlOf(database);
  }

  async run(program: string, args: readonly string[]): Promise<void> {
    await run(path.join(this.#parts.bin, program), args);
  }

  /** Ends it as a crash does, without a checkpoint, and starts it again on the same port. Also starts it after `kill`. */
  async restart(): Promise<void> {
    await this.#parts.control("restart");
  }

  /** Ends all its processes with SIGKILL; connections are refused until `restart`. */
  async kill(): Promise<void> {
    const family = this.#signal("SIGKILL");
    await waitFor("Postgres to end", () => !family.some(isRunning));
    // pg_ctl takes a process that its parent has not seen end for one that runs.
    rmSync(this.#pidFile);
  }

  /** Stops all its processes without ending them, so that it answers nothing, or lets them continue. */
  pause(isPaused: boolean): void {
    this.#signal(isPaused ? "SIGSTOP" : "SIGCONT");
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    await end(this.#parts.guardian, this.#parts.folder);
  }

  log(): string {
    return readFileSync(path.join(this.#parts.folder, "log"), "utf8");
  }

  get #pidFile(): string {
    return path.join(this.#parts.folder, "data", "postmaster.pid");
  }

  #signal(which: NodeJS.Signals): readonly number[] {
    const leader = Number.parseInt(readFileSync(this.#pidFile, "utf8"));
    const family = familyOf(leader).map(({ pid }) => pid);
    for (const pid of family) signal(pid, which);
    return family;
  }

  #urlOf(database: string): string {
    return `postgres://${name}:${this.#parts.password}@127.0.0.1:${this.port}/${database}`;
  }
}

/**
 * Starts a process that ends Postgres and removes its folder when the stream closes: also when this process is killed. It
 * doesn't keep this one from ending. It is no child of this one, whose children end with a failed test.
 */
function guard(folder: string, bin: string, user: User | undefined): Socket {
  const end = `read -r _ <&3; "$1/pg_ctl" stop --silent --mode immediate -D "$2/data"; rm -rf "$2"`;
  const starter = spawn(
    "/bin/sh",
    ["-c", `{ ${end}; } >/dev/null 2>&1 &`, "guardian", bin, folder],
    // Node closes the standard streams when the starter ends. Ctrl+C in a terminal reaches only this process.
    { stdio: ["ignore", "ignore", "ignore", "pipe"], detached: true, ...user },
  );
  starter.unref();
  const stream = starter.stdio[3];
  assert.ok(stream instanceof Socket);
  return stream.unref();
}

async function end(guardian: Socket, folder: string): Promise<void> {
  guardian.end();
  await waitFor("Postgres to end", () => !existsSync(folder));
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

async function ownUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (option: string) => {
    const of = (user: string) => run("id", [option, user]);
    return Number(await of(name).catch(() => of("nobody")));
  };
  return { uid: await id("-u"), gid: await id("-g") };
}

/** Resolves to what a program prints. @throws Error with what it reports */
async function run(
  program: string,
  args: readonly string[],
  { env, user }: { readonly env?: NodeJS.ProcessEnv; readonly user?: User | undefined } = {},
): Promise<string> {
  // Postgres needs a folder that its user may read.
  const child = spawn(program, args, {
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
    env,
    ...user,
  });
  let output = "";
  let problem = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return output;
  throw new Error(`${path.basename(program)} ${args[0]} failed with code ${code}: ${problem}`);
}
