import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { bearerOf } from "../../base/bearer.ts";
import { asArray, asObject, parseJson, textAt } from "../../base/json.ts";
import { isLoopback } from "../../base/loopback.ts";
import {
  modelIn,
  windowPath,
  type HeldDecision,
  type WindowMessage,
} from "../../base/window-protocol.ts";
import type { Engine } from "../engine.ts";
import { messageOf } from "../errors.ts";
import type { Fetch } from "../listener.ts";
import type { Log } from "../operations/log.ts";
import type { Tokens } from "../server/tokens.ts";
import type { Service } from "../service.ts";
import { WindowModels } from "./models.ts";

interface WindowsOptions {
  readonly tokens: Pick<Tokens, "find">;
  readonly engines: readonly Engine[];
  readonly classes: readonly string[];
  readonly service: Pick<Service, "held" | "decide" | "isBusy">;
  /** How long nothing may run without a window before {@link WindowRoutes.idle} resolves (ms). */
  readonly leaveMs: number;
  readonly recent: () => readonly string[];
  readonly log: Log;
  readonly beatMs?: number;
}

export type WindowRoutes = ReturnType<typeof createWindows>;

export function createWindows(options: WindowsOptions) {
  const { service, engines, tokens, leaveMs, log, beatMs } = options;
  const windows = new Map<string, { send(message: WindowMessage): void; gone: AbortSignal }>();
  const models = new WindowModels(() => tell({ needsModels: models.isNeeded }), beatMs);
  let url = "";

  function tell(message: WindowMessage): void {
    for (const window of windows.values()) window.send(message);
  }

  function lead({ variables, model }: ReturnType<typeof readRoute>): void {
    const given = model ? models.variables(model, `${url}${windowPath}/models`) : variables;
    for (const engine of engines) engine.setEnvironment?.(given);
  }

  function connect(id: string, first: WindowMessage): Response {
    const encoder = new TextEncoder();
    const gone = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (message: WindowMessage) =>
          controller.enqueue(encoder.encode(`${JSON.stringify(message)}\n`));
        windows.set(id, { send, gone: gone.signal });
        send(first);
        for (const line of options.recent()) send({ line });
      },
      cancel() {
        windows.delete(id);
        gone.abort();
      },
    });
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  }

  const app = new Hono().basePath(windowPath);
  app.use(async (c, next) => {
    if (!isLoopback(new URL(c.req.url).hostname)) return c.json({ error: "Forbidden" }, 403);
    await next();
  });
  // For the crew's Python: the key stands for a model, and opens nothing else.
  app.all("/models/*", async (c) => {
    const key = bearerOf(c.req.header("authorization")) ?? "";
    const path = c.req.path.slice(`${windowPath}/models`.length);
    const answer = await models.answer(key, path, c.req.raw);
    return answer ?? c.json({ error: { message: "The key is unknown." } }, 401);
  });
  app.use(async (c, next) => {
    if (tokens.find(bearerOf(c.req.header("authorization")))?.kind !== "organization")
      return c.json({ error: "Unauthorized" }, 401);
    await next();
  });
  app.get("/windows/:id", async (c) =>
    connect(c.req.param("id"), {
      engine: engines[0]?.name ?? "",
      classes: options.classes,
      held: await service.held(),
      needsModels: models.isNeeded,
    }),
  );
  app.put("/windows/:id/models", async (c) => {
    const window = windows.get(c.req.param("id"));
    const given = asObject(parseJson(await c.req.text()));
    const [at, token] = [textAt(given, "url"), textAt(given, "token")];
    if (window === undefined || at === undefined || token === undefined)
      return c.json({ error: "Not Found" }, 404);
    models.offer({ url: at, token, gone: window.gone });
    return c.json({});
  });
  app.put("/model", async (c) => {
    lead(readRoute(parseJson(await c.req.text())));
    return c.json({});
  });
  for (const type of ["continue", "discard"] satisfies HeldDecision[])
    app.post(`/${type}`, async (c) => {
      const { ids } = asObject(parseJson(await c.req.text()));
      return c.json({ held: await service.decide(type, asArray(ids).map(String)) });
    });
  app.onError((error, c) => {
    log(`${c.req.method} ${c.req.path}: ${messageOf(error)}`, { level: "error" });
    return c.json({ error: { message: messageOf(error) } }, 502);
  });

  return {
    before:
      (inner: Fetch): Fetch =>
      (request) =>
        new URL(request.url).pathname.startsWith(`${windowPath}/`)
          ? app.fetch(request)
          : inner(request),
    tell,
    /** Call it once it listens, before it answers anything. @param first the model, as the window that started it gives it */
    listens(at: string, first: unknown): void {
      url = at;
      lead(readRoute(first));
    },
    /** Resolves when no window has been connected for a while, and nothing has run or been queued; the door is closed then. */
    async idle(door: Record<"close" | "open", () => Promise<unknown>>): Promise<void> {
      const isUsed = async () => windows.size > 0 || (await service.isBusy());
      for (;;) {
        let since = performance.now();
        while (performance.now() - since < leaveMs) {
          await sleep(Math.min(leaveMs / 4, 5_000));
          if (await isUsed()) since = performance.now();
        }
        await door.close();
        if (!(await isUsed())) return;
        await door.open();
      }
    },
  };
}

export function readRoute(given: unknown) {
  const { variables, model: named } = asObject(given);
  const model = modelIn(named);
  const texts = Object.entries(asObject(variables)).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return { variables: Object.fromEntries(texts), model };
}
