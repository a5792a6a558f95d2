import { createHash, timingSafeEqual } from "node:crypto";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getPath } from "hono/utils/url";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isLoopback } from "../base/loopback.ts";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import type { Dialect } from "./dialects.ts";
import { ApiError, messageOf } from "./errors.ts";
import type { Executions } from "./executions.ts";
import type { TokenType } from "./model.ts";
import { readJson, readKickoff, readResume } from "./requests.ts";

export const maxBody = 1_048_576;

export interface AppOptions {
  readonly dialect: Dialect;
  readonly tokens: { readonly token: string; readonly userToken: string };
  readonly executions: Executions;
  readonly readProject: () => Promise<CrewProject>;
  readonly log: (line: string) => void;
}

type Environment = { Variables: { caller: TokenType; isBodyRead: boolean } };

export function createApp(options: AppOptions): Hono<Environment> {
  const { dialect, executions } = options;
  const app = new Hono<Environment>({
    // Clients join addresses in every way.
    getPath: (request) =>
      getPath(request)
        .replace(/\/{2,}/g, "/")
        .replace(/(.)\/$/, "$1"),
  });
  const fail = (c: Context, error: ApiError) => {
    const { status, body } = dialect.error(error);
    if (status === 401) c.header("WWW-Authenticate", "Bearer");
    const code = status as ContentfulStatusCode;
    return typeof body === "string" ? c.text(body, code) : c.json(body, code);
  };

  app.use(async (c, next) => {
    await next();
    // What nobody read of a body would be read as the next request, so this connection can't be used again.
    if (hasBody(c) && !c.get("isBodyRead")) c.header("Connection", "close");
  });
  app.use(async (c, next) => {
    if (!isLoopback(new URL(c.req.url).hostname)) {
      const message = "This service accepts only requests to 127.0.0.1, localhost or [::1]";
      throw new ApiError(403, "Forbidden", message);
    }
    c.set("caller", authenticate(c.req.header("Authorization"), options.tokens));
    const encoding = c.req.header("Content-Encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity")
      throw new ApiError(
        415,
        "Unsupported Media Type",
        `The body is compressed (Content-Encoding: ${encoding}). Send it uncompressed`,
      );
    await next();
  });
  const tooLarge = new ApiError(
    413,
    "Content Too Large",
    `The body is larger than ${maxBody} bytes`,
  );
  app.use(bodyLimit({ maxSize: maxBody, onError: (c) => fail(c, tooLarge) }));

  app.get("/inputs", async (c) => {
    const { inputs } = await readCrew(options, false);
    return c.json({ inputs: dialect.inputs(inputs) });
  });
  app.post("/kickoff", async (c) => {
    const json = readJson(await readBody(c));
    const project = await readCrew(options, true);
    const kickoff = readKickoff(json, project);
    return c.json({ kickoff_id: await executions.kickoff(project, c.var.caller, kickoff) });
  });
  app.post("/resume", async (c) => {
    const resume = readResume(readJson(await readBody(c)));
    return c.json(dialect.resumed(await executions.resume(resume, c.var.caller)));
  });
  app.post("/stop/:id", async (c) => {
    const kickoffId = c.req.param("id").toLowerCase();
    await executions.stop(kickoffId, c.var.caller);
    return c.json({ status: "stopped", kickoffId });
  });
  const status = (c: Context<Environment>) => {
    const id = (c.req.param("id") ?? "").toLowerCase();
    return c.json(dialect.status(id, executions.view(id, c.var.caller)));
  };
  app.get("/:id/status", status);
  app.get("/status/:id", status);

  for (const [path, allowed] of [
    ["/inputs", "GET"],
    ["/kickoff", "POST"],
    ["/resume", "POST"],
    ["/:id/status", "GET"],
    ["/status/:id", "GET"],
    ["/stop/:id", "POST"],
  ] as const) {
    app.all(path, (c) => {
      c.header("Allow", allowed);
      const detail = "Method Not Allowed";
      return fail(c, new ApiError(405, detail, `This address accepts only ${allowed}`, { detail }));
    });
  }
  app.notFound((c) => {
    // Observed. By it a client knows that this is not an unknown execution.
    const detail = "Not Found";
    return fail(c, new ApiError(404, detail, "The requested resource was not found", { detail }));
  });
  app.onError((error, c) => {
    const known = error instanceof ApiError ? error : expected(error);
    if (!known || known.status >= 500) {
      // A known error's message says what is wrong with the crew.
      const problem = known?.message ?? error.stack ?? error.message;
      options.log(`${c.req.method} ${new URL(c.req.url).pathname}: ${problem}`);
    }
    const message = "An unexpected error occurred. See the service's log for details";
    return fail(c, known ?? new ApiError(500, "Internal Server Error", message));
  });
  return app;
}

/** Undefined if it is another error. */
function expected(error: Error): ApiError | undefined {
  // SQLITE_FULL
  if ("errcode" in error && error.errcode === 13) {
    const message = "The disk that keeps the service's data is full. Free some space";
    return new ApiError(500, "Internal Server Error", message);
  }
  if ("code" in error && error.code === "ECONNRESET")
    return new ApiError(400, "Invalid Request", "The connection ended before the request did");
  return undefined;
}

/** Hashes have one length, so they can be compared in constant time. @throws {ApiError} 401 */
function authenticate(header: string | undefined, tokens: AppOptions["tokens"]): TokenType {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  const hash = digest(given ?? "");
  const isBearer = timingSafeEqual(hash, digest(tokens.token));
  const isUser = timingSafeEqual(hash, digest(tokens.userToken));
  if (given !== undefined && (isBearer || isUser)) return isBearer ? "bearer" : "userBearer";
  // Vendor's OpenAPI file, and observed.
  const detail =
    header === undefined ? "Not authenticated" : "Invalid or missing authentication credentials";
  throw new ApiError(401, "Unauthorized", "Invalid or missing bearer token", { detail });
}

function hasBody(c: Context): boolean {
  const length = c.req.header("Content-Length") ?? "0";
  return length !== "0" || c.req.header("Transfer-Encoding") !== undefined;
}

async function readBody(c: Context<Environment>): Promise<string> {
  const text = await c.req.text();
  c.set("isBodyRead", true);
  return text;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Only this service sends `details.crewdeck`, which may say that a kickoff started nothing. */
async function readCrew({ readProject }: AppOptions, isKickoff: boolean): Promise<CrewProject> {
  try {
    return await readProject();
  } catch (error) {
    const position = error instanceof ProjectError ? error.position : undefined;
    const crewdeck = { ...position, ...(isKickoff && { started: false }) };
    const message = `The crew can no longer be read. ${messageOf(error)}`;
    throw new ApiError(500, "Internal Server Error", message, { details: { crewdeck } });
  }
}
