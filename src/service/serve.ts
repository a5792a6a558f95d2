import { randomBytes, randomUUID } from "node:crypto";
import { constants, setPriority } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { isLoopback } from "../base/loopback.ts";
import { untilAsked } from "../base/process.ts";
import { readExamples } from "../projects/examples.ts";
import { projectRoot } from "../projects/pyproject.ts";
import { remembering } from "../projects/reading.ts";
import { serviceLog, windowProtocol } from "../base/window-protocol.ts";
import { Processes, usualMost } from "./crewai/processes.ts";
import { versionOf } from "./crewai/sources.ts";
import {
  checkCrew,
  engineOf,
  formerPlans,
  planFrom,
  planOf,
  plansOf,
  readCrew,
  type CrewPlan,
  type ServerPlan,
} from "./crews.ts";
import { databaseIn, defaultDataFolder, lockDataFolder, untilDeleted } from "./data-folder.ts";
import { documentedDialect, liveDialect } from "./dialects.ts";
import { keyPlace } from "./encryption.ts";
import type { Engine } from "./engine.ts";
import { createFeedbackWebhook } from "./feedback-webhook.ts";
import { Refusal, unusable } from "./errors.ts";
import { createListener, type Fetch } from "./listener.ts";
import { CallbackNetworks } from "./networks.ts";
import { createPythonInputs } from "./python-inputs.ts";
import { createLog, WindowLog, type Log } from "./operations/log.ts";
import type { Operations } from "./operations/operations.ts";
import { Secrets } from "./operations/redact.ts";
import type { ServiceOptions } from "./options.ts";
import { createServerApp } from "./server/server-app.ts";
import { openTokens, ownTokens, type Tokens } from "./server/tokens.ts";
import { openService, type ServedCrew, type Service } from "./service.ts";
import { openStorage, type Storage } from "./storage.ts";
import { createWindows, readRoute, type WindowRoutes } from "./windows/windows.ts";

/** How long an API process that is asked to stop still takes requests (ms): a proxy asks every few seconds whether it is ready. */
const noticedMs = 5000;

/** How long what has arrived may take when no window needs the service (ms): a window that has connected meanwhile keeps its connection. */
const doorMs = 500;

/** Also in `service.json`: a client verifies the process before it sends a token. */
const instanceHeader = "Crewdeck-Instance";

/**
 * How long a connection is kept that nobody uses (ms). Longer than load balancers keep theirs, up to ten minutes: one that sends
 * on a connection that is just being closed can't know whether a kickoff has arrived.
 */
const keepAliveMs = 620_000;

type OwnTokens = Parameters<typeof ownTokens>[0];
type Settings = Omit<ServiceOptions, "log"> & { readonly log: Log; readonly secrets: Secrets };

/** Serves until it is asked to stop, its parent ends, or no window needs it. @throws {Refusal} */
export async function serve(
  given: ServiceOptions,
  exampleCrew: string,
  version: string,
): Promise<void> {
  const own = { token: given.token || newToken(), userToken: given.userToken || newToken() };
  const secrets = secretsOf(given, own);
  const tokens = ownTokens(own);
  const windowLog = given.forWindows
    ? new WindowLog(join(given.data ?? "", serviceLog))
    : undefined;
  const log = createLog(given.log, secrets, given.logOutput, windowLog);
  const options = { ...given, log, secrets };
  const server =
    options.config === undefined
      ? planOf(await plansOf(options, exampleCrew))
      : await planFrom(options.config, options, log);
  const { crews } = server;
  // Requests are answered first, whatever work there is. Python's processes inherit it.
  if (options.role === "worker") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  await checkPlan(options, server);

  const { database, connections } = options;
  const folder = options.data ?? usualFolder(options, crews);
  const file = databaseIn(folder);
  const data = database === undefined ? await lockDataFolder(folder) : undefined;
  if (data && options.data === undefined)
    log(`Executions are kept in ${folder}`, { level: "info" });
  const place = database === undefined ? { file } : { url: database, connections };
  const storage = await openStorage(place, keyPlace(folder, process.env), log);
  const listening = { url: server.publicUrl?.replace(/\/$/, "") ?? "" };
  const processes = new Processes(options.maxProcesses ?? usualMost());
  const openAll = (list: readonly CrewPlan[]) =>
    Promise.all(
      list.map((crew) => openCrew(crew, options, { folder, storage }, listening, processes)),
    );
  const served = await openAll(crews);
  const former = windowLog ? await openAll(await formerPlans(storage.database, crews)) : [];
  const all = [...served, ...former];
  const engines = all.map(({ engine }) => engine);
  const leave = () => {
    for (const engine of engines) engine.close?.();
    data?.withdraw();
  };
  try {
    const service = openService({
      ...options,
      ...{ storage, crews: all, maxProcesses: processes.most },
      isOneProject: options.forWindows,
      networks: networksOf(options, server),
      operations: await openOperations(options, server, version, storage),
      onHeld: (held) => windows?.tell({ held }),
    });
    const windows = windowLog && windowRoutes(windowLog, served, engines, service, options, tokens);
    const fetch =
      options.role === "worker"
        ? refuseAsWorker
        : fetchOf(
            server,
            served,
            service,
            options.config === undefined ? tokens : await openTokens(storage.database, log),
            log,
          );
    const instance = randomUUID();
    const listener = createListener(
      windows?.before(fetch) ?? service.operations?.before(fetch) ?? fetch,
      { keepAliveTimeout: keepAliveMs },
      { [instanceHeader]: instance },
    );
    const { host } = server;
    const { url, port } = await listener.open(host, options.port ?? server.port);
    listening.url ||= url;
    const route = parseJson(process.env["CREWDECK_MODEL_ROUTE"] ?? "");
    if (windows) windows.listens(url, route);
    else for (const engine of engines) engine.setEnvironment?.(readRoute(route).variables);
    data?.publish({ url, port, instance, ...(windows && { protocol: windowProtocol }) });
    const asked = untilAsked(options.lifeline);
    if (!windows) announce(options, url, own, served);
    askPython(options, served);
    const door = {
      close: () => Promise.race([listener.close(), sleep(doorMs)]),
      open: () => listener.open(host, port),
    };
    const work = async () => {
      await service.work();
      if (options.unfinished !== "hold")
        await service.decide(options.unfinished, await service.held());
      if (!windows) reportHeld(await service.held(), log);
      await (windows?.idle(door) ?? asked);
    };
    await Promise.race([asked, work(), ...(data ? [untilDeleted(file)] : [])]);
    await drain(options, service, listener);
    // Running executions continue at the next start, as after a kill, or in another process.
    leave();
    // SQLite writes all to one file at once, which can then be copied.
    if (data) void storage.database.close();
    process.exit(0);
  } catch (error) {
    leave();
    throw codeOf(error) === "ERR_SQLITE_ERROR" ? unusable(file, error) : error;
  }
}

/** To which a server may send callbacks. Undefined on one's own machine, where all may be receivers. */
function networksOf(
  { isServer, callbackNetworks = "" }: Settings,
  server: ServerPlan,
): CallbackNetworks | undefined {
  const own = callbackNetworks === "" ? [] : callbackNetworks.split(",");
  return isServer ? new CallbackNetworks([...own, ...server.callbackNetworks]) : undefined;
}

/** @throws {Refusal} for a crew or an option that can't be served like this */
async function checkPlan(options: Settings, { crews, publicUrl }: ServerPlan): Promise<void> {
  for (const { environment } of crews) options.secrets.addVariables(Object.entries(environment));
  for (const crew of crews) await checkCrew(crew, options);
  if (options.role === "worker" && options.feedbackWebhook && publicUrl === undefined)
    throw new Refusal(
      "options",
      "--feedback-webhook: a worker takes no answers. Name the address of the API processes with --public-url, or as publicUrl in the configuration.",
    );
}

/** Answers what has arrived, and what still arrives until a proxy has noticed that it should ask another process. */
async function drain(
  { drainMs, role }: Settings,
  service: Service,
  listener: ReturnType<typeof createListener>,
): Promise<void> {
  if (drainMs > 0) {
    listener.drain();
    const noticed = role === "worker" ? undefined : sleep(Math.min(drainMs, noticedMs));
    await Promise.all([service.drain(drainMs), noticed]);
  }
  await Promise.race([listener.close(), sleep(drainMs)]);
}

/** What only Python knows of a crew is asked now, if this process may. A request hears why it isn't known. */
function askPython({ role }: Settings, crews: readonly ServedCrew[]): void {
  const ask = () => {
    for (const { readProject } of crews) readProject().catch(() => undefined);
  };
  ask();
  // No request tells a worker that the files have changed.
  if (role === "worker") setInterval(ask, 60_000).unref();
}

function windowRoutes(
  windowLog: WindowLog,
  crews: readonly ServedCrew[],
  engines: readonly Engine[],
  service: Service,
  { leaveMs, log }: Settings,
  tokens: Tokens,
): WindowRoutes {
  const windows = createWindows({
    ...{ service, engines, leaveMs, log, tokens },
    classes: crews.map(({ name }) => name).filter((name) => name !== ""),
    recent: () => windowLog.recent,
  });
  windowLog.onLine = (line) => windows.tell({ line });
  return windows;
}

/** The secrets that this process knows. A crew's Python gets most of its variables, and may print them. */
export function secretsOf(options: ServiceOptions, tokens: OwnTokens): Secrets {
  const { database, metricsToken = "", feedbackWebhook, spans } = options;
  const password = URL.parse(database ?? "")?.password ?? "";
  const variables = Object.entries(process.env).filter(([name]) =>
    /(key|token|secret|password)$/i.test(name),
  );
  return new Secrets([
    ...[tokens.token, tokens.userToken, metricsToken, feedbackWebhook?.secret ?? ""],
    ...[password, decodeURIComponent(password)],
    ...Object.values(spans?.headers ?? {}),
    ...variables.map(([, value = ""]) => value),
  ]);
}

/** Undefined for a service of windows: they don't watch it, and it starts sooner. */
async function openOperations(
  options: Settings,
  { host, publicUrl, trustProxy, crews }: ServerPlan,
  version: string,
  { database }: Storage,
): Promise<Operations | undefined> {
  if (options.forWindows) return undefined;
  const { createOperations } = await import("./operations/operations.ts");
  const isLocal = isLoopback(host) && publicUrl === undefined && !trustProxy;
  const names = crews.map(({ name }) => name);
  return createOperations({ ...options, database, crews: names, isLocal, version });
}

function usualFolder({ config }: Settings, [crew]: readonly CrewPlan[]): string {
  const place = config === undefined ? (crew?.folder ?? "") : dirname(resolve(config));
  return defaultDataFolder(place, process.env);
}

/** @param listening where the service listens, once it does */
async function openCrew(
  crew: CrewPlan,
  options: Settings,
  { folder, storage }: { readonly folder: string; readonly storage: Storage },
  listening: { readonly url: string },
  processes: Processes,
): Promise<ServedCrew> {
  const { name, dialect } = crew;
  const { feedbackWebhook: webhook } = options;
  const log: Log = (message, fields) =>
    options.log(message, name === "" ? fields : { crew: name, ...fields });
  const address = () => (name === "" ? listening.url : `${listening.url}/${name}`);
  const engine = await engineOf(crew, folder, { ...options, processes, log });
  return {
    name,
    engine,
    dialect: dialect === "live" ? liveDialect : documentedDialect,
    ...createPythonInputs({
      ...{ name, engine, database: storage.database, log },
      read: remembering(() => readCrew(crew)),
      version: async ({ entry }) =>
        await versionOf(await projectRoot(crew.folder), resolve(crew.folder, entry)),
      asks: options.role === "api" ? "elsewhere" : options.forWindows ? "allowed" : "itself",
    }),
    examples: ({ entry }) => readExamples(crew.folder, entry),
    feedbackWebhook: webhook && createFeedbackWebhook({ ...webhook, address }),
  };
}

function refuseAsWorker(): Response {
  const message =
    "This process is a worker, which answers only /healthz, /readyz and /metrics. Send other requests to an API process";
  // What nobody read of a body would be read as the next request.
  const headers = { Connection: "close" };
  return Response.json({ error: "Not Found", message }, { status: 404, headers });
}

function fetchOf(
  server: ServerPlan,
  crews: readonly ServedCrew[],
  service: Service,
  tokens: Tokens,
  log: Log,
): Fetch {
  const { requestsPerMinute, underWayPerCrew } = server.limits;
  const mounted = crews.map((crew) => ({
    ...crew,
    fetch: service.appOf(crew, underWayPerCrew).fetch,
  }));
  return createServerApp({ ...server, crews: mounted, tokens, requestsPerMinute, log }).fetch;
}

function announce(
  options: Settings,
  url: string,
  tokens: OwnTokens,
  crews: readonly ServedCrew[],
): void {
  const { role, config } = options;
  const engine = [...new Set(crews.map(({ engine }) => engine.name))].join(", ");
  const own = config === undefined && role !== "worker" ? tokens : {};
  const names =
    crews.length > 1 || config !== undefined ? { crews: crews.map(({ name }) => name) } : {};
  process.stdout.write(`${JSON.stringify({ url, ...own, engine, role, ...names })}\n`);
}

function reportHeld(ids: readonly string[], log: Log): void {
  if (ids.length === 0) return;
  log(
    `Unfinished executions were interrupted: ${ids.join(", ")}. Start the service again with --on-restart continue to let them continue, or with --on-restart discard to end them.`,
  );
}

function newToken(): string {
  return randomBytes(24).toString("base64url");
}
