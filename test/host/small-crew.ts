import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A crew on this machine that answers `GET /inputs` only. */
export interface SmallCrew {
  readonly url: string;
  /** The Authorization header of each request, in order. */
  readonly tokens: readonly (string | undefined)[];
  stop(): Promise<void>;
}

/** Starts a crew that knows the token "right" and asks for two inputs. */
export async function startSmallCrew(): Promise<SmallCrew> {
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    const allowed = request.headers.authorization === "Bearer right";
    response.writeHead(allowed ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(allowed ? { inputs: ["topic", "audience"] } : { error: "Unauthorized", message: "Invalid or missing bearer token" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, tokens, stop };
}
