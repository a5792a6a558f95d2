import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** A proxy on this machine that leads every tunnel to one port, whatever host it was asked for. */
export interface ConnectProxy {
  readonly url: string;
  /** What tunnels were asked for, such as "crew.test:443". */
  readonly tunnels: readonly string[];
  stop(): Promise<void>;
}

/** Starts a proxy that knows `CONNECT`; `port` is where its tunnels end, and without one it wants a name and a password. */
export async function startConnectProxy(port?: number): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on("connection", (socket: Socket) =>
    open.add(socket.once("close", () => open.delete(socket))),
  );
  server.on("connect", ({ url = "" }: IncomingMessage, client: Socket) => {
    tunnels.push(url);
    if (port === undefined) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const crew = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      crew.pipe(client).pipe(crew);
    });
    // One end that breaks off ends the other; what that means is for the client to say.
    crew.on("error", () => client.destroy());
    client.on("close", () => crew.destroy());
    // Its "close" follows, and is all there is to do about it.
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
