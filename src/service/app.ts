import { createHash, timingSafeEqual } from "node:crypto";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import type { Dialect, Reply } from "./dialect.ts";
import {
  ApiError,
  foreignHost,
  messageOf,
  serverError,
  tooLarge,
  unauthorized,
  unknownRoute,
  unreadableCrew,
  wrongMethod,
} from "./errors.ts";
import type { Executions } from "./executions.ts";
import type { TokenType } from "./model.ts";
import { answerProblems } from "./openapi.ts";
import { readJson, readKickoff } from "./requests.ts";

/** Limit of a request's body in bytes. */
export const maxBody = 1_048_576;

export interface AppOptions {
  readonly dialect: Dialect;
  /** The tokens that the service accepts. */
  readonly tokens: { readonly token: string; readonly userToken: string };
  readonly executions: Executions;
  /** @throws {ProjectError} */
  readonly readProject: () => Promise<CrewProject>;
  /** Logs a line for the user of the service. */
  readonly log: (line: string) => void;
  /** Receives responses that don't match openapi.yaml; for tests. */
  readonly onViolation?: ((problem: string) => void) | undefined;
}

type Environment = { Variables: { caller: TokenType } };

/** The routes of the API. */
export function createApp(options: AppOptions): Hono<Environment> {
  const { dialect, executions, onViolation } = options;
  const authenticate = authenticator(options.tokens);
  const app = new Hono<Environment>();

  if (onViolation) {
    app.use(async (c, next) => {
      await next();
      for (const problem of await problemsOf(c)) onViolation(problem);
    });
  }
  app.use(async (c, next) => {
    if (!isLoopback(new URL(c.req.url).hostname)) throw foreignHost();
    c.set("caller", authenticate(c.req.header("Authorization")));
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: maxBody,
      onError: () => {
        throw tooLarge(maxBody);
      },
    }),
  );

  app.get("/inputs", async (c) => {
    const { inputs } = await readCrew(options);
    return c.json({ inputs });
  });
  app.post("/kickoff", async (c) => {
    const json = readJson(await c.req.text());
    const project = await readCrew(options, { isKickoff: true });
    const kickoff = readKickoff(json, project.inputs);
    return c.json({ kickoff_id: await executions.kickoff(project, c.var.caller, kickoff) });
  });
  app.post("/resume", async (c) => {
    const resume = dialect.readResume(readJson(await c.req.text()));
    return c.json(dialect.resumed(await executions.resume(resume, c.var.caller, dialect.renames)));
  });
  const status = (c: Context<Environment>) => {
    const id = c.req.param("id") ?? "";
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
  ] as const) {
    app.all(path, (c) => {
      c.header("Allow", allowed);
      return send(c, dialect.error(wrongMethod(allowed)));
    });
  }
  app.notFound((c) => send(c, dialect.error(unknownRoute())));
  app.onError((error, c) => {
    const isKnown = error instanceof ApiError;
    if (!isKnown || error.status >= 500) {
      // The stack of a known error doesn't help: its message says what is wrong with the crew.
      const problem = isKnown ? error.message : (error.stack ?? error.message);
      options.log(`${c.req.method} ${new URL(c.req.url).pathname}: ${problem}`);
    }
    return send(c, dialect.error(isKnown ? error : serverError()));
  });
  return app;
}

/** Makes a function that returns which token an Authorization header has, or throws the 401. Hashes have one length, so they can be compared in constant time. */
function authenticator({
  token,
  userToken,
}: AppOptions["tokens"]): (header: string | undefined) => TokenType {
  const bearer = digest(token);
  const userBearer = digest(userToken);
  return (header) => {
    const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
    const hash = digest(given ?? "");
    const isBearer = timingSafeEqual(hash, bearer);
    const isUser = timingSafeEqual(hash, userBearer);
    if (given === undefined || (!isBearer && !isUser)) throw unauthorized(header !== undefined);
    return isBearer ? "bearer" : "userBearer";
  };
}

/** Whether a host is this machine. Another name may belong to a web page and resolve to this machine (DNS rebinding). */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** @throws {ApiError} */
async function readCrew(
  { readProject }: AppOptions,
  { isKickoff = false } = {},
): Promise<CrewProject> {
  try {
    return await readProject();
  } catch (error) {
    const position = error instanceof ProjectError ? error.position : undefined;
    throw unreadableCrew(messageOf(error), position, isKickoff);
  }
}

function send(c: Context, { status, body }: Reply): Response {
  if (status === 401) c.header("WWW-Authenticate", "Bearer");
  const type = typeof body === "string" ? "text/plain; charset=UTF-8" : "application/json";
  return c.body(typeof body === "string" ? body : JSON.stringify(body), {
    status: status as 400,
    headers: { "Content-Type": type },
  });
}

async function problemsOf(c: Context): Promise<string[]> {
  const { method } = c.req;
  if (method === "HEAD") return [];
  const contentType = (c.res.headers.get("Content-Type") ?? "").split(";")[0] ?? "";
  const text = await c.res.clone().text();
  const body: unknown = contentType === "application/json" ? JSON.parse(text) : text;
  const problems = answerProblems({
    method,
    path: new URL(c.req.url).pathname,
    status: c.res.status,
    contentType,
    body,
  });
  return problems.map((problem) => `${problem} in ${text.slice(0, 500)}`);
}
