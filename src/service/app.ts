import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ProjectError, type CrewProject } from "../projects/types.ts";
import { answerProblems } from "./answer-check.ts";
import { authenticator, isLoopback, type Tokens } from "./auth.ts";
import type { Dialect, Reply } from "./dialect.ts";
import {
  ApiError,
  foreignHost,
  serverError,
  tooLarge,
  unknownRoute,
  unreadableCrew,
  wrongMethod,
} from "./errors.ts";
import type { Executions } from "./executions.ts";
import { messageOf } from "./messages.ts";
import type { TokenType } from "./model.ts";
import { readJson, readKickoff } from "./requests.ts";

/** Bytes of a request's body that are read at most. */
export const maxBody = 1_048_576;

/** What the routes need. */
export interface AppOptions {
  readonly dialect: Dialect;
  readonly tokens: Tokens;
  readonly executions: Executions;
  /** Reads the crew as it is now. @throws {ProjectError} */
  readonly readProject: () => Promise<CrewProject>;
  readonly log: (line: string) => void;
  /** In tests: hears of each answer that is not as openapi.yaml says. */
  readonly onViolation?: ((problem: string) => void) | undefined;
}

type Environment = { Variables: { caller: TokenType } };

/** The routes of the API. */
export function createApp(options: AppOptions): Hono<Environment> {
  const { dialect, executions } = options;
  const authenticate = authenticator(options.tokens);
  const app = new Hono<Environment>();

  const { onViolation } = options;
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
    if (error instanceof ApiError && error.status < 500) return send(c, dialect.error(error));
    // Whoever reads the log of a crew wants to know what is wrong with it, not where the service noticed.
    options.log(
      `${c.req.method} ${new URL(c.req.url).pathname}: ${error instanceof ApiError ? error.message : (error.stack ?? error.message)}`,
    );
    return send(
      c,
      dialect.error(
        error instanceof ApiError
          ? error
          : serverError("An unexpected error occurred; the service's log says more"),
      ),
    );
  });
  return app;
}

/** The crew as it is now. @throws {ApiError} */
async function readCrew(
  { readProject }: AppOptions,
  { isKickoff = false } = {},
): Promise<CrewProject> {
  try {
    return await readProject();
  } catch (error) {
    throw unreadableCrew(
      messageOf(error),
      error instanceof ProjectError ? error.position : undefined,
      isKickoff,
    );
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
  const contentType = (c.res.headers.get("Content-Type") ?? "").split(";")[0] ?? "";
  const text = await c.res.clone().text();
  const body: unknown = contentType === "application/json" ? JSON.parse(text) : text;
  const { method } = c.req;
  if (method === "HEAD") return [];
  const problems = answerProblems({
    method,
    path: new URL(c.req.url).pathname,
    status: c.res.status,
    contentType,
    body,
  });
  return problems.map((problem) => `${problem} in ${text.slice(0, 500)}`);
}
