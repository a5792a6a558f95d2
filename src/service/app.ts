import { Hono, type Context, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getPath } from "hono/utils/url";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { codeOf } from "../base/errors.ts";
import type { Examples } from "../projects/examples.ts";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import { isLost } from "./database/database.ts";
import type { Dialect } from "./dialects.ts";
import type { Engine } from "./engine.ts";
import { ApiError, messageOf } from "./errors.ts";
import { kickoffKey, type Executions } from "./executions.ts";
import type { FeedbackWebhook } from "./feedback-webhook.ts";
import type { Caller } from "./model.ts";
import type { CallbackNetworks } from "./networks.ts";
import type { Log } from "./operations/log.ts";
import { readFeedback, readJson, readKickoff, readResume } from "./requests.ts";

export const maxBody = 1_048_576;

export interface AppOptions {
  readonly dialect: Dialect;
  /** Its path on a server of several crews; empty for the only one. */
  readonly name: string;
  readonly executions: Executions;
  readonly readProject: () => Promise<CrewProject>;
  /** Like `readProject`, and asks the project's Python for what its files don't say. */
  readonly askInputs?: () => Promise<CrewProject>;
  readonly examples?: (project: CrewProject) => Promise<Examples>;
  readonly networks?: CallbackNetworks | undefined;
  readonly feedbackWebhook?: FeedbackWebhook | undefined;
  readonly engine: Pick<Engine, "costsMoney" | "canDebug">;
  readonly observe?: MiddlewareHandler | undefined;
  readonly log: Log;
}

interface Environment {
  /** Only the address of a feedback webhook has no caller. */
  Bindings: { readonly caller?: Caller };
  Variables: { isBodyRead: boolean };
}

/** The API of one crew, for requests that the server's app has admitted. */
export function createApp(options: AppOptions): Hono<Environment> {
  const { dialect, executions, engine } = options;
  const mountedAt = options.name === "" ? "" : `/${options.name}`;
  const app = new Hono<Environment>({
    getPath: (request) => pathOf(request).slice(mountedAt.length) || "/",
  });
  const fail = (c: Context, error: ApiError) => answerWith(c, dialect, error);

  if (options.observe) app.use(options.observe);
  app.use(async (c, next) => {
    await next();
    // What nobody read of a body would be read as the next request, so this connection can't be used again.
    if (hasBody(c) && !c.get("isBodyRead")) c.header("Connection", "close");
  });
  app.use(async (c, next) => {
    const encoding = c.req.header("Content-Encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity")
      throw new ApiError(
        415,
        `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed`,
      );
    await next();
  });
  const tooLarge = new ApiError(413, `The body is larger than ${maxBody} bytes`);
  const limit = bodyLimit({ maxSize: maxBody, onError: (c) => fail(c, tooLarge) });
  app.use((c, next) => {
    const length = c.req.header("Content-Length");
    // Node keeps a request to its length. To look at its body, the library makes a stream of it, which takes longer than to store a kickoff.
    const isShort = hasBody(c)
      ? Number(length) <= maxBody && c.req.header("Transfer-Encoding") === undefined
      : c.req.method === "GET";
    return isShort ? next() : limit(c, next);
  });

  /**
   * A flow says that it is one: a kickoff needs none of its inputs. Its schema and examples are for forms, and its Python decides.
   * What the project passes itself comes first, in its order.
   */
  const answerInputs = async (project: CrewProject) => {
    const { kind, inputs, inputSchema: schema } = project;
    const given = (await options.examples?.(project)) ?? new Map<string, undefined>();
    const first = [...given.keys()].filter((name) => inputs.includes(name));
    const known = first.flatMap((name) => {
      const example = given.get(name);
      return example === undefined ? [] : [[name, example] as const];
    });
    const crewdeck = {
      ...(kind === "flow" && { kind, ...(schema && { schema }) }),
      ...(known.length > 0 && { examples: Object.fromEntries(known) }),
    };
    return {
      inputs: dialect.inputs([...new Set([...first, ...inputs])]),
      ...(Object.keys(crewdeck).length > 0 && { crewdeck }),
    };
  };
  const route = (
    method: "GET" | "POST",
    path: string,
    answer: (c: Context<Environment>, caller: Caller) => Promise<Response>,
  ) => {
    app.on(method, path, async (c) => {
      if (!c.env.caller) throw unauthorized(undefined);
      return await answer(c, c.env.caller);
    });
    app.all(path, (c) => {
      c.header("Allow", method);
      const more = { detail: "Method Not Allowed" };
      return fail(c, new ApiError(405, `This address accepts only ${method}`, more));
    });
  };
  route("GET", "/inputs", async (c) =>
    c.json(await answerInputs(await readCrew(options.readProject, false))),
  );
  route("POST", "/inputs/ask", async (c) =>
    c.json(await answerInputs(await readCrew(options.askInputs ?? options.readProject, false))),
  );
  route("POST", "/kickoff", async (c, caller) => {
    const body = await readBody(c);
    const json = readJson(body);
    const key = kickoffKey(c.req.header("Idempotency-Key"), caller, mountedAt, body);
    const started = key && (await executions.startedWith(key));
    if (started !== undefined) return c.json({ kickoff_id: started });
    const project = await readCrew(options.readProject, true);
    const kickoff = readKickoff(json, project);
    const { replay, debug_port: port, model, test } = kickoff.rules ?? {};
    if (replay && engine.costsMoney !== true)
      throw new ApiError(400, "A rehearsal calls no model, so there is nothing to replay");
    if ((port ?? model ?? test) !== undefined && engine.canDebug !== true)
      throw new ApiError(400, onlyHere);
    if (test) (await import("./testing/test-file.ts")).checkExpectations(test.expect);
    options.networks?.check(kickoff.callbacks);
    const id = await executions.kickoff(project, caller, kickoff, key);
    return c.json({ kickoff_id: id });
  });
  route("POST", "/resume", async (c, caller) => {
    const resume = readResume(readJson(await readBody(c)));
    options.networks?.check(resume.callbacks);
    return c.json(dialect.resumed(await executions.resume(resume, caller)));
  });
  app.post(`${feedbackPath}*`, async (c) => {
    const key = options.feedbackWebhook?.attemptAt(c.req.path);
    if (!key) throw unknownRoute();
    await executions.answer(key, readFeedback(readJson(await readBody(c))));
    return c.json({ status: "resumed", message: "Feedback received" });
  });
  route("GET", "/executions/:id/audit", async (c, caller) => {
    const entries = await executions.audit(idIn(c), caller);
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    return c.body(lines, 200, linesOfJson);
  });
  route("GET", "/executions/:id/calls", async (c, caller) =>
    c.json({ calls: await executions.calls(idIn(c), caller) }),
  );
  route("GET", "/executions/:id/calls/:number{[0-9]{1,9}}", async (c, caller) =>
    c.json(await executions.call(idIn(c), Number(c.req.param("number")), caller)),
  );
  route("GET", "/executions/:id/recording", async (c, caller) =>
    c.body(await executions.recording(idIn(c), caller), 200, linesOfJson),
  );
  for (const path of ["/:id/status", "/status/:id"])
    route("GET", path, async (c, caller) => {
      const id = idIn(c);
      return c.json(dialect.status(id, await executions.view(id, caller)));
    });
  route("POST", "/stop/:id", async (c, caller) => {
    const kickoffId = idIn(c);
    await executions.stop(kickoffId, caller);
    return c.json({ status: "stopped", kickoffId });
  });

  app.notFound((c) => fail(c, unknownRoute()));
  app.onError((error, c) => {
    const known = error instanceof ApiError ? error : expected(error, c.req.method);
    if (!known || known.status >= 500) {
      // A known error's message says what is wrong with the crew.
      const problem = known?.message ?? error.stack ?? error.message;
      const { method, path } = c.req;
      options.log(`${method} ${path.startsWith(feedbackPath) ? feedbackPath : path}: ${problem}`, {
        level: "error",
      });
    }
    return fail(c, known ?? unexpected());
  });
  return app;
}

const feedbackPath = "/feedback/";

const linesOfJson = { "Content-Type": "application/x-ndjson" };

function idIn(c: Context): string {
  return (c.req.param("id") ?? "").toLowerCase();
}

/** Without empty segments: clients join addresses in every way. */
export function pathOf(request: Request): string {
  return getPath(request)
    .replace(/\/{2,}/g, "/")
    .replace(/(.)\/$/, "$1");
}

export function answerWith(c: Context, dialect: Dialect, error: ApiError): Response {
  const { status, body } = dialect.error(error);
  if (status === 401) c.header("WWW-Authenticate", "Bearer");
  if (error.retryAfter !== undefined) c.header("Retry-After", String(error.retryAfter));
  const code = status as ContentfulStatusCode;
  return typeof body === "string" ? c.text(body, code) : c.json(body, code);
}

const onlyHere =
  "Only a crew that runs with crewAI on one's own machine can be debugged, tested, or run with another model";

/** Observed. It tells a client that the execution isn't unknown. */
export function unknownRoute(): ApiError {
  return new ApiError(404, "The requested resource was not found", { detail: "Not Found" });
}

function expected(error: Error, method: string): ApiError | undefined {
  // SQLITE_FULL, and Postgres' disk_full.
  if (("errcode" in error && error.errcode === 13) || codeOf(error) === "53100") {
    const message = "The disk that keeps the service's data is full. Free some space";
    return new ApiError(500, message);
  }
  if (codeOf(error) === "ECONNRESET" && error.message === "aborted")
    return new ApiError(400, "The connection ended before the request did");
  if (isLost(error)) {
    const doubt = method === "GET" ? "" : ". What you sent may have been stored";
    const message = `The service's database can't be reached${doubt}`;
    return new ApiError(503, message, { retryAfter: 5 });
  }
  return undefined;
}

export function unexpected(): ApiError {
  return new ApiError(500, "An unexpected error occurred. See the service's log for details");
}

export function unauthorized(header: string | undefined): ApiError {
  // Vendor's OpenAPI file, and observed.
  const detail =
    header === undefined ? "Not authenticated" : "Invalid or missing authentication credentials";
  return new ApiError(401, "Invalid or missing bearer token", { detail });
}

export function hasBody(c: Context): boolean {
  const length = c.req.header("Content-Length") ?? "0";
  return length !== "0" || c.req.header("Transfer-Encoding") !== undefined;
}

async function readBody(c: Context<Environment>): Promise<string> {
  const text = await c.req.text();
  c.set("isBodyRead", true);
  return text;
}

/** Only this service sends `details.crewdeck`, which may say that a kickoff started nothing. */
async function readCrew(read: AppOptions["readProject"], isKickoff: boolean): Promise<CrewProject> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const position = error instanceof ProjectError ? error.position : undefined;
    const crewdeck = { ...position, ...(isKickoff && { started: false }) };
    const message = `The crew can no longer be read. ${messageOf(error)}`;
    throw new ApiError(500, message, { details: { crewdeck } });
  }
}
