import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { request as send } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { asObject, parseJson } from "../../base/json.ts";
import { modelHeader, modelVariables, type ModelReference } from "../../base/window-protocol.ts";

interface ModelEndpoint {
  readonly url: string;
  readonly token: string;
  readonly gone: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** After this time a client would give the call up, so it receives a sign of life (ms). OpenAI's wait ten minutes. */
const usualBeatMs = 60_000;
/** A window's connection may end a moment after that of the call it answered (ms). */
const goneMs = 1_000;

/**
 * VS Code's models for the crew's Python. Windows come and go, so Python asks the service, and the service asks a window. Without one,
 * a call waits; a call whose window goes is asked of the next one.
 */
export class WindowModels {
  readonly #keys = new Map<string, ModelReference>();
  readonly #onNeed: () => void;
  readonly #beatMs: number;
  readonly #offers = new EventEmitter<{ offer: [] }>().setMaxListeners(0);
  #endpoints: readonly ModelEndpoint[] = [];
  #waiting = 0;

  constructor(onNeed: () => void, beatMs = usualBeatMs) {
    this.#onNeed = onNeed;
    this.#beatMs = beatMs;
  }

  get isNeeded(): boolean {
    return this.#waiting > 0;
  }

  /** What leads Python to a model. @param url of {@link answer}'s routes */
  variables(model: ModelReference, url: string): Readonly<Record<string, string>> {
    const isSame = ({ vendor, id }: ModelReference) => vendor === model.vendor && id === model.id;
    const [known] = [...this.#keys].find(([, each]) => isSame(each)) ?? [];
    // An execution keeps the model that it began with, so a key stands for one model.
    const key = known ?? randomBytes(32).toString("base64url");
    this.#keys.set(key, model);
    // crewAI 1.15.0 sends only names that begin like OpenAI's to OPENAI_BASE_URL.
    return modelVariables({ url, key, model: `gpt-vscode-${model.id}` }, process.env);
  }

  offer(endpoint: ModelEndpoint): void {
    this.#endpoints = [endpoint, ...this.#endpoints];
    endpoint.gone.addEventListener("abort", () => {
      this.#endpoints = this.#endpoints.filter((each) => each !== endpoint);
    });
    this.#offers.emit("offer");
  }

  /** @param path of OpenAI's API, such as `/chat/completions`. Undefined for an unknown key */
  async answer(key: string, path: string, request: Request): Promise<Response | undefined> {
    const model = this.#keys.get(key);
    if (model === undefined) return undefined;
    const body = await request.text();
    const isStream = asObject(parseJson(body))["stream"] === true;
    const asked = this.#ask(model, request.method, path, body, request.signal);
    const over = new AbortController();
    const late = sleep(this.#beatMs, undefined, { signal: over.signal }).catch(() => undefined);
    const early = await Promise.race([asked, late]);
    over.abort();
    return early ? new Response(early.body, early) : lateResponse(asked, isStream, this.#beatMs);
  }

  async #ask(
    model: ModelReference,
    method: string,
    path: string,
    body: string,
    signal: AbortSignal,
  ): Promise<Answer> {
    for (;;) {
      const endpoint = await this.#next(signal);
      try {
        return await call(endpoint, model, method, path, body, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(await isGone(endpoint))) throw error;
      }
    }
  }

  async #next(signal: AbortSignal): Promise<ModelEndpoint> {
    for (;;) {
      const [newest] = this.#endpoints;
      if (newest) return newest;
      this.#wait(1);
      await once(this.#offers, "offer", { signal }).finally(() => this.#wait(-1));
    }
  }

  #wait(more: number): void {
    this.#waiting += more;
    this.#onNeed();
  }
}

async function call(
  { url, token, gone }: ModelEndpoint,
  model: ModelReference,
  method: string,
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      [modelHeader]: encodeURIComponent(JSON.stringify(model)),
    };
    const sent = send(`${url}${path}`, {
      method,
      headers,
      agent: false,
      signal: AbortSignal.any([signal, gone]),
    });
    sent.once("error", reject);
    sent.once("response", (response) => {
      const { statusCode: status = 502, headers: found } = response;
      const type = found["content-type"] ?? "application/json";
      const again = found["x-should-retry"];
      const kept = {
        "content-type": type,
        ...(typeof again === "string" && { "x-should-retry": again }),
      };
      text(response).then((answer) => resolve({ status, headers: kept, body: answer }), reject);
    });
    sent.end(method === "GET" ? undefined : body);
  });
}

async function isGone({ gone }: ModelEndpoint): Promise<boolean> {
  await sleep(goneMs, undefined, { signal: gone }).catch(() => undefined);
  return gone.aborted;
}

/** Begins with signs of life that mean nothing: a comment of an event stream, or a space before JSON. */
function lateResponse(asked: Promise<Answer>, isStream: boolean, beatMs: number): Response {
  const encoder = new TextEncoder();
  const beat = encoder.encode(isStream ? ": waiting for a window\n\n" : " ");
  let timer: NodeJS.Timeout | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(beat);
      timer = setInterval(() => controller.enqueue(beat), beatMs);
      asked
        .then(({ status, body }) => {
          // The status is sent already. OpenAI's clients would repeat a call whose connection breaks, at the person's cost.
          const isEvent = isStream && status !== 200;
          controller.enqueue(encoder.encode(isEvent ? `data: ${body}\n\n` : body));
          controller.close();
        })
        .catch((error: unknown) => controller.error(error))
        .finally(() => clearInterval(timer));
    },
    cancel: () => clearInterval(timer),
  });
  const type = isStream ? "text/event-stream" : "application/json";
  return new Response(stream, { headers: { "content-type": type } });
}
