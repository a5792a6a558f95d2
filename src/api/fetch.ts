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

/** node-fetch with Node's own agents, which VS Code patches to honour its proxy and certificate settings. It is loaded by the first request. */
export const defaultFetch: Fetch = async (url, init) => (await import("node-fetch")).default(url, init);
