import * as vscode from "vscode";
import { CrewClient, type CrewClientOptions } from "../api/client.ts";
import { agentlessFetch, defaultFetch, type Fetch, logTraffic } from "../api/transport.ts";
import { defined } from "../base/json.ts";
import { log } from "../editor/log.ts";

export { CrewClient };

/** With `http.proxySupport` "on", VS Code uses no proxy for a request with an agent. */
export const fetch: Fetch = (url, init) =>
  (vscode.workspace.getConfiguration("http").get("proxySupport") === "on"
    ? agentlessFetch
    : defaultFetch)(url, init);

export function clientOptions(
  nameNow: () => string,
  userAgent: string | undefined,
): CrewClientOptions {
  return {
    fetch,
    onTraffic: (traffic) => logTraffic(log, nameNow(), traffic),
    ...defined({ userAgent }),
  };
}
