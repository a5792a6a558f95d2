import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** The only host that a proxy knows. VS Code's own requests go to others, and its extension host crashes if these have the certificate of crew.test. */
const known = "crew.test:443";

/** A proxy on this machine that connects tunnels to crew.test to a port of this machine. */
export interface ConnectProxy {
  readonly url: string;
  readonly tunnels: readonly string[];
  stop(): Promise<void>;
}

/** Starts a proxy for `CONNECT`. Its tunnels end at `port`; without a port it requires a name and a password. */
export async function startConnectProxy(port?: number): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on("connection", (socket: Socket) =>
    open.add(socket.once("close", () => open.delete(socket))),
  );
  server.on("connect", ({ url = "" }: IncomingMessage, client: Socket) => {
    if (url !== known) {
      client.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    tunnels.push(url);
    if (port === undefined) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const crew = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      crew.pipe(client).pipe(crew);
    });
    // If one end breaks, the other ends, too; the client reports it.
    crew.on("error", () => client.destroy());
    client.on("close", () => crew.destroy());
    // "close" follows and does the rest.
    client.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
