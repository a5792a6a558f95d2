import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { asObject, type UnknownObject } from "../../src/base/json.ts";
import { waitFor } from "./wait.ts";

/** What a debugger of VS Code does with debugpy's adapter: it waits for a Python that connects to it. */
export class DapClient {
  readonly #socket: Socket;
  readonly #received: UnknownObject[] = [];
  #rest = Buffer.alloc(0);
  #seq = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data: Buffer) => this.#take(data));
  }

  /** @param packages the folder of debugpy */
  static async open(python: string, packages: string) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const args = ["-m", "debugpy.adapter", "--host", "127.0.0.1", "--port", String(port)];
    const adapter = spawn(python, args, { env: { ...process.env, PYTHONPATH: packages } });
    const socket = await waitFor("the adapter", async () => {
      const tried = connect(port, "127.0.0.1");
      return await once(tried, "connect").then(
        () => tried,
        () => undefined,
      );
    });
    return { client: new DapClient(socket), end: () => adapter.kill() };
  }

  send(command: string, args: object = {}): void {
    const body = JSON.stringify({
      ...{ seq: (this.#seq += 1), type: "request", command, arguments: args },
    });
    this.#socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  async ask(command: string, args: object = {}): Promise<UnknownObject> {
    this.send(command, args);
    const seq = this.#seq;
    return await this.#until(`the answer to ${command}`, (one) => one["request_seq"] === seq);
  }

  event(name: string): Promise<UnknownObject> {
    return this.#until(`the event ${name}`, (one) => one["event"] === name);
  }

  /** Its body. */
  async #until(what: string, is: (one: UnknownObject) => boolean): Promise<UnknownObject> {
    const found = await waitFor(what, () => this.#received.find(is), 60_000);
    return asObject(found["body"]);
  }

  #take(data: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#rest.toString("latin1", 0, 100));
      const [start, length] = [head?.[0].length ?? 0, Number(head?.[1])];
      if (!head || this.#rest.length < start + length) return;
      const body = this.#rest.toString("utf8", start, start + length);
      this.#received.push(asObject(JSON.parse(body)));
      this.#rest = this.#rest.subarray(start + length);
    }
  }
}
