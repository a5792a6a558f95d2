import { cpSync, existsSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { projectRoot } from "../projects/pyproject.ts";
import { chooseInterpreter, projectInterpreters } from "../projects/interpreters.ts";
import { crewClasses, readProject } from "../projects/read.ts";
import { toRehearse, type CrewProject } from "../projects/types.ts";
import type { Database } from "./database/database.ts";
import type { Processes } from "./crewai/processes.ts";
import { crewaiEngine } from "./crewai/engine.ts";
import { rehearsalEngine, type Engine } from "./engine.ts";
import { messageOf, Refusal, unreadable } from "./errors.ts";
import type { Log } from "./operations/log.ts";
import type { Secrets } from "./operations/redact.ts";
import type { ServiceOptions } from "./options.ts";
import {
  isCrewName,
  readConfig,
  readSmallFile,
  repeatedName,
  type ServerConfig,
  type ServerCrew,
} from "./server/config.ts";
import { crewsAtWork } from "./store.ts";

const workerPackage = "crewdeck_worker";

const workerFolder =
  [workerPackage, `crewai/${workerPackage}`]
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .find((folder) => existsSync(folder)) ?? "";

export interface CrewPlan extends ServerCrew {
  /** Variables of its engine, besides those of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface ServerPlan extends Omit<ServerConfig, "crews"> {
  readonly crews: readonly CrewPlan[];
}

/** Plans the server that a configuration file describes. Options of the command line win over the file. @throws {Refusal} */
export async function planFrom(
  config: string,
  { address, role }: Pick<ServiceOptions, "address" | "role">,
  log: Log,
): Promise<ServerPlan> {
  const file = resolve(config);
  const { crews, ...rest } = await readConfig(file);
  if (crews.length === 0) log(`${file} has no crews, so nothing is served. Describe them in it.`);
  return {
    ...rest,
    ...address,
    // The file's addresses are for API processes. A worker only answers probes.
    ...(role === "worker" && { host: address.host ?? "127.0.0.1", port: 0 }),
    crews: await Promise.all(
      crews.map(async (crew) => ({ ...crew, environment: await readEnvironment(file, crew) })),
    ),
  };
}

async function readEnvironment(
  config: string,
  { name, environmentFile }: ServerCrew,
): Promise<NodeJS.Dict<string>> {
  if (environmentFile === undefined) return {};
  try {
    return parseEnv(await readSmallFile(environmentFile));
  } catch (error) {
    throw new Refusal(
      "options",
      `${config}: the environmentFile of "${name}" can't be used. ${unreadable(environmentFile, error)}`,
    );
  }
}

export function planOf(crews: readonly CrewPlan[]): ServerPlan {
  return {
    ...{ crews, host: "127.0.0.1", port: 0, trustProxy: false, callbackNetworks: [] },
    // Only the person who started the service has its tokens.
    limits: { requestsPerMinute: Infinity, underWayPerCrew: Infinity },
  };
}

/** The crews of the command line. A single crew has no name, because it is served at the root. @throws {Refusal} */
export async function plansOf(
  options: Omit<ServiceOptions, "log">,
  exampleCrew: string,
): Promise<readonly CrewPlan[]> {
  const { engine, python, parallel, dialect } = options;
  const folders = options.folders.length > 0 ? options.folders : [exampleCrew];
  const crews: Pick<CrewPlan, "name" | "folder" | "class">[] = [];
  for (const folder of folders) {
    const name = folders.length > 1 ? basename(resolve(folder)) : "";
    // A folder that can't be read is refused later.
    const classes = await crewClasses(folder).catch(() => []);
    if (classes.length === 0) crews.push({ name, folder });
    for (const each of classes)
      crews.push({ name: name === "" ? each : `${name}-${each}`, folder, class: each });
  }
  const names = crews.map(({ name }) => name);
  const [unfit] = names.filter((name) => crews.length > 1 && !isCrewName(name));
  const repeated = repeatedName(names);
  const refuse = (problem: string) =>
    new Refusal("options", `${problem} Name the crews in a file, and give it with --config.`);
  if (unfit !== undefined)
    throw refuse(
      `The name "${unfit}" can't be part of an address: expected 1 to 63 letters, digits, - and _, but not healthz, readyz or metrics.`,
    );
  if (repeated !== undefined)
    throw refuse(`Two crews have the name "${repeated}", which is part of their addresses.`);
  return crews.map((crew) => ({
    ...{ ...crew, engine, parallel, dialect, environment: {} },
    ...(python !== undefined && { python }),
  }));
}

/**
 * Of executions that have not ended: classes that the folder no longer has, or the only crew that it had, which has no name. They go on
 * with the files that they began with.
 */
export async function formerPlans(
  database: Database,
  plans: readonly CrewPlan[],
): Promise<readonly CrewPlan[]> {
  const [first] = plans;
  if (!first) return [];
  const names = await database.query(crewsAtWork());
  return names
    .filter((name) => !plans.some((each) => each.name === name))
    .map((name) => ({ ...first, name, class: name === "" ? undefined : name }));
}

/** The crew as its files say: all of it for a rehearsal, or what could be read for crewAI. @throws {ProjectError} */
export async function readCrew(
  plan: Pick<CrewPlan, "folder" | "class" | "engine">,
): Promise<CrewProject> {
  const reading = await readProject(plan.folder, plan.class);
  return plan.engine === "rehearsal" ? toRehearse(reading) : reading.project;
}

/** @throws {Refusal} for a crew that can't be read or rehearsed, or a flow that can't run like this */
export async function checkCrew(
  plan: CrewPlan,
  { database, data }: Pick<ServiceOptions, "database" | "data">,
): Promise<void> {
  const { folder, engine } = plan;
  const refuse = (problem: string) =>
    new Refusal("project", `The crew in ${folder} can't be served. ${problem}`);
  const { kind, lacks } = await readCrew(plan).catch((error: unknown) => {
    throw refuse(messageOf(error));
  });
  if (kind === "flow" && engine !== "crewai")
    throw refuse("It is a flow, which can't be rehearsed. Serve it with --engine crewai.");
  if (lacks === "tasks" && engine !== "crewai")
    throw refuse(
      "Only its Python knows all of its tasks and inputs, so it can't be rehearsed. Serve it with --engine crewai.",
    );
  if (kind === "flow" && database !== undefined && data === undefined)
    throw refuse(
      "It is a flow, and crewAI keeps its pauses in files. With --database, give a folder that all processes share with --data.",
    );
}

/** Variables of a server that are not for its crews: its database's, and keys of what receives its spans. */
const serverVariables = /^(PG[A-Z]+|OTEL_EXPORTER_OTLP_([A-Z]+_)?HEADERS)$/i;

/** @param data a folder for what engines keep. @throws {Refusal} without a Python environment */
export async function engineOf(
  plan: CrewPlan,
  data: string,
  {
    taskSeconds,
    isServer,
    role,
    database,
    forWindows,
    processes,
    log,
    secrets,
  }: Pick<ServiceOptions, "taskSeconds" | "isServer" | "role" | "database" | "forWindows"> & {
    readonly processes: Processes;
    readonly log: Log;
    readonly secrets: Secrets;
  },
): Promise<Engine> {
  const { name, folder, engine, python, parallel, environment } = plan;
  if (engine === "rehearsal") return rehearsalEngine(taskSeconds, parallel);
  const root = await projectRoot(folder);
  const crew = relative(root, resolve(folder)).replaceAll(sep, "/");
  const chosen = python ?? (await chooseInterpreter(projectInterpreters(root)))?.python;
  // A process that only answers requests starts none.
  if (chosen === undefined && role !== "api")
    throw new Refusal(
      "python",
      `The project in ${root} has no Python environment. Create one with "uv sync" there, or choose an interpreter with --python, or as "python" in a server's file.`,
    );
  const own = Object.entries(process.env).filter(
    ([variable]) => !(isServer && serverVariables.test(variable)),
  );
  // An update of the extension deletes its folder while this process still works.
  const worker = forWindows ? join(resolve(data), workerPackage) : workerFolder;
  if (forWindows) cpSync(workerFolder, worker, { recursive: true });
  return crewaiEngine({
    folder: root,
    crew,
    hasOthers: crew !== "" || plan.class !== undefined,
    data: join(resolve(data), name),
    python: chosen ?? "",
    program: join(worker, "__main__.py"),
    parallel: parallel ?? 1,
    processes,
    isShared: database !== undefined,
    isOfTeam: isServer,
    env: { ...Object.fromEntries(own), ...environment },
    log,
    secrets,
  });
}
