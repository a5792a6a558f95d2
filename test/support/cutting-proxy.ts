import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Whether a connection is dropped before the query arrives, or its answer is lost. */
export type Cut = "before" | "after";

/** Between a program and Postgres: drops the connection at a chosen query. */
export class CuttingProxy {
  onQuery: (sql: string) => Cut | undefined = () => undefined;
  readonly #port: number;
  readonly #server = createServer((client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();

  static async start(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  private constructor(port: number) {
    this.#port = port;
  }

  through(url: string): string {
    const address = new URL(url);
    address.port = String((this.#server.address() as AddressInfo).port);
    return address.href;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #serve(client: Socket): void {
    const server = connect(this.#port, "127.0.0.1");
    const queries = new QueryReader();
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    server.on("data", (bytes) => client.write(bytes));
    client.on("data", (bytes) => {
      for (const sql of queries.read(bytes)) {
        const cut = this.onQuery(sql);
        if (cut === "before") client.destroy();
        if (cut === "after") {
          // Postgres finishes what it has received, and closes. Only then does the client see a lost connection.
          server.removeAllListeners("data").resume();
          server.end(bytes);
        }
        if (cut) return void client.removeAllListeners("data").resume();
      }
      server.write(bytes);
    });
  }
}

/** Reads the SQL of queries from what a client sends (Postgres' manual, "Message Formats"). */
class QueryReader {
  #rest = Buffer.alloc(0);
  #hasStarted = false;
  readonly #prepared = new Map<string, string>();

  *read(bytes: Buffer): Generator<string> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      // The first message has no type.
      const start = this.#hasStarted ? 1 : 0;
      if (this.#rest.length < start + 4) return;
      const end = start + this.#rest.readInt32BE(start);
      if (this.#rest.length < end) return;
      const type = this.#hasStarted ? String.fromCharCode(this.#rest[0] ?? 0) : "";
      const [first = "", second = ""] = this.#rest.toString("utf8", start + 4, end).split("\0");
      this.#rest = this.#rest.subarray(end);
      this.#hasStarted = true;
      // Parse: the statement's name and its text. Bind: the portal's name and the statement's. Query: a text.
      if (type === "P") this.#prepared.set(first, second);
      if (type === "B") yield this.#prepared.get(second) ?? "";
      if (type === "Q") yield first;
    }
  }
}
