import http from "node:http";
import https from "node:https";

/** A subset of what any `fetch` takes. */
export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** A subset of node-fetch's `Response`. */
export interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<string | Uint8Array> | null;
}

export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** No keep-alive: a POST on a kept connection that the server is closing may or may not have arrived. */
const agents = {
  http: new http.Agent({ keepAlive: false }),
  https: new https.Agent({ keepAlive: false }),
};

/** node-fetch, loaded with the first request. VS Code patches Node's modules to apply its proxy and certificate settings. */
export const defaultFetch: Fetch = async (url, init) =>
  await (
    await nodeFetch()
  )(url, {
    ...init,
    agent: ({ protocol }) => (protocol === "https:" ? agents.https : agents.http),
  });

/** Without an agent: if `http.proxySupport` is "on", VS Code sets its own only then. It doesn't keep connections alive either. */
export const agentlessFetch: Fetch = async (url, init) => await (await nodeFetch())(url, init);

async function nodeFetch() {
  return (await import("node-fetch")).default;
}
