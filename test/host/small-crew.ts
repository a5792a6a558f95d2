import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A crew on this machine that answers `GET /inputs`, and refuses every kickoff as the live dialect does. */
export interface SmallCrew {
  readonly url: string;
  /** The Authorization header of each request, in order. */
  readonly tokens: readonly (string | undefined)[];
  stop(): Promise<void>;
}

/** Starts a crew that knows the token "right", and "forbidden" as one without rights, and asks for two inputs, all of which it misses in a kickoff. */
export async function startSmallCrew(inputs: readonly string[] = ["topic", "audience"]): Promise<SmallCrew> {
  const tokens: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization);
    const allowed = request.headers.authorization === "Bearer right";
    const isKickoff = request.url === "/kickoff";
    const refusal = request.headers.authorization === "Bearer forbidden" ? 403 : 401;
    response.writeHead(allowed ? (isKickoff ? 422 : 200) : refusal, { "content-type": "application/json" });
    const answer = isKickoff ? { detail: `Missing inputs: ${inputs.join(", ")}` } : { inputs };
    response.end(JSON.stringify(allowed ? answer : { error: "Unauthorized", message: "Invalid or missing bearer token" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, tokens, stop };
}
