import { createHash, timingSafeEqual } from "node:crypto";
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isLoopback } from "../base/loopback.ts";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import type { Dialect } from "./dialect.ts";
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
  readonly tokens: { readonly token: string; readonly userToken: string };
  readonly executions: Executions;
  /** @throws {ProjectError} */
  readonly readProject: () => Promise<CrewProject>;
  readonly log: (line: string) => void;
  /** Receives responses that don't match openapi.yaml; for tests. */
  readonly onViolation?: ((problem: string) => void) | undefined;
}

type Environment = { Variables: { caller: TokenType } };

export function createApp(options: AppOptions): Hono<Environment> {
  const { dialect, executions, onViolation } = options;
  const app = new Hono<Environment>();
  const fail = (c: Context, error: ApiError) => {
    const { status, body } = dialect.error(error);
    if (status === 401) c.header("WWW-Authenticate", "Bearer");
    const code = status as ContentfulStatusCode;
    return typeof body === "string" ? c.text(body, code) : c.json(body, code);
  };

  if (onViolation) {
    app.use(async (c, next) => {
      await next();
      for (const problem of await problemsOf(c)) onViolation(problem);
    });
  }
  app.use(async (c, next) => {
    if (!isLoopback(new URL(c.req.url).hostname)) throw foreignHost();
    c.set("caller", authenticate(c.req.header("Authorization"), options.tokens));
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
    const { inputs } = await readCrew(options, false);
    return c.json({ inputs });
  });
  app.post("/kickoff", async (c) => {
    const json = readJson(await c.req.text());
    const project = await readCrew(options, true);
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
      return fail(c, wrongMethod(allowed));
    });
  }
  app.notFound((c) => fail(c, unknownRoute()));
  app.onError((error, c) => {
    const isKnown = error instanceof ApiError;
    if (!isKnown || error.status >= 500) {
      // The stack of a known error doesn't help: its message says what is wrong with the crew.
      const problem = isKnown ? error.message : (error.stack ?? error.message);
      options.log(`${c.req.method} ${new URL(c.req.url).pathname}: ${problem}`);
    }
    return fail(c, isKnown ? error : serverError());
  });
  return app;
}

/** The type of an Authorization header's token. Hashes have one length, so they can be compared in constant time. @throws {ApiError} 401 */
function authenticate(header: string | undefined, tokens: AppOptions["tokens"]): TokenType {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  const hash = digest(given ?? "");
  const isBearer = timingSafeEqual(hash, digest(tokens.token));
  const isUser = timingSafeEqual(hash, digest(tokens.userToken));
  if (given === undefined || (!isBearer && !isUser)) throw unauthorized(header !== undefined);
  return isBearer ? "bearer" : "userBearer";
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** @throws {ApiError} */
async function readCrew({ readProject }: AppOptions, isKickoff: boolean): Promise<CrewProject> {
  try {
    return await readProject();
  } catch (error) {
    const position = error instanceof ProjectError ? error.position : undefined;
    throw unreadableCrew(messageOf(error), position, isKickoff);
  }
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
