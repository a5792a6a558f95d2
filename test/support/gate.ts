import type { ServerResponse } from "node:http";
import { MisbehavingServer, type Behaviour, type SeenRequest } from "./misbehaving-server.ts";

/** What a gate holds: a request before the service gets it, or the service's response. */
type Held = "request" | "answer";

/** A gate before a service that can hold one request or its response, like a slow network. */
export class Gate {
  readonly #server: MisbehavingServer;
  readonly #service: string;
  readonly #holds = new Map<
    string,
    { readonly what: Held; readonly arrived: (release: () => void) => void }
  >();
  readonly #answers = new Map<string, Behaviour>();
  /** Called when a request, or the service's response to it, is at the gate. */
  onPass: (what: Held, request: SeenRequest) => void = () => undefined;

  private constructor(server: MisbehavingServer, service: string) {
    this.#server = server;
    this.#service = service;
    server.otherwise = (response, request) => {
      this.#pass(response, request).catch(() => response.destroy());
    };
  }

  /** Opens a gate before the service at an address. */
  static async before({ url }: { readonly url: string }): Promise<Gate> {
    return new Gate(await MisbehavingServer.start(), url);
  }

  get url(): string {
    return this.#server.url;
  }

  sent(path: string): readonly SeenRequest[] {
    return this.#server.requests.filter((request) => request.path === path);
  }

  /** Resolves when the next request to a path, or its response, is at the gate; call the result to let it pass. */
  hold(path: string, what: Held): Promise<() => void> {
    return new Promise((arrived) => this.#holds.set(path, { what, arrived }));
  }

  /** Answers the next request to a path itself; the service never gets it. */
  answer(path: string, behaviour: Behaviour): void {
    this.#answers.set(path, behaviour);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #pass(response: ServerResponse, request: SeenRequest): Promise<void> {
    const { method, path, headers, body } = request;
    const own = this.#answers.get(path);
    if (own !== undefined) {
      this.#answers.delete(path);
      own(response, request);
      return;
    }
    const passed = Object.entries(headers).flatMap(([name, value]) =>
      ["authorization", "content-type"].includes(name) && typeof value === "string"
        ? [[name, value] as const]
        : [],
    );
    this.onPass("request", request);
    await this.#wait(path, "request");
    const answer = await fetch(this.#service + path, {
      method,
      headers: Object.fromEntries(passed),
      ...(body === "" ? {} : { body }),
    });
    const text = await answer.text();
    this.onPass("answer", request);
    await this.#wait(path, "answer");
    response
      .writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "text/plain",
      })
      .end(text);
  }

  async #wait(path: string, what: Held): Promise<void> {
    const hold = this.#holds.get(path);
    if (hold?.what !== what) return;
    this.#holds.delete(path);
    await new Promise<void>((release) => hold.arrived(release));
  }
}
