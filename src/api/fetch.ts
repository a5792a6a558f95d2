import http from "node:http";
import https from "node:https";

/** What a request is made of; a subset of what any `fetch` takes. */
export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** As much of an answer as is read here; a subset of what `fetch` of node-fetch gives. */
export interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<string | Uint8Array> | null;
}

/** Sends one request. Handed in, so that tests can stand in for the network. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

/** Agents that keep no connection: a POST on a kept one, which the server closes just then, may or may not have arrived. */
const agents = {
  http: new http.Agent({ keepAlive: false }),
  https: new https.Agent({ keepAlive: false }),
};

/** node-fetch, loaded by the first request, with a connection for each request. VS Code patches Node's modules to honour its proxy and certificate settings. */
export const defaultFetch: Fetch = async (url, init) =>
  await (
    await nodeFetch()
  )(url, {
    ...init,
    agent: ({ protocol }) => (protocol === "https:" ? agents.https : agents.http),
  });

/** The same without an agent, for a host whose patch brings one of its own only then; it keeps no connection either. */
export const agentlessFetch: Fetch = async (url, init) => await (await nodeFetch())(url, init);

async function nodeFetch() {
  return (await import("node-fetch")).default;
}
