import type { LogOutputChannel } from "vscode";
import type { Traffic } from "../api/traffic.ts";

/**
 * `[12 Travel] → POST /kickoff`, `[12 Travel] ← 200 in 180 ms`: a POST as "info" or "error", a GET
 * as "debug" or "warning".
 */
export function logTraffic(
  log: Pick<LogOutputChannel, "trace" | "debug" | "info" | "warn" | "error">,
  isTracing: boolean,
  crew: string,
  traffic: Traffic,
): void {
  const { id, method, path, body } = traffic;
  const isPost = method === "POST";
  const head = `[${id} ${crew.replace(/\s+/g, " ")}]`;
  if (traffic.kind === "request") {
    log[isPost ? "info" : "debug"](`${head} → ${method} ${path}`);
  } else {
    const { status, error, milliseconds } = traffic;
    const line = `${head} ← ${[status, error].filter((each) => each !== undefined).join(" ")} in ${Math.round(milliseconds)} ms`;
    log[levelOf(isPost, error)](line);
  }
  if (isTracing && body !== undefined)
    log.trace(`${head} ${traffic.kind === "request" ? "→" : "←"} ${body()}`);
}

/** An unknown id may be a pause, and a cancelled request is intended. */
function levelOf(isPost: boolean, error: string | undefined): "debug" | "info" | "warn" | "error" {
  if (error === undefined) return isPost ? "info" : "debug";
  if (isPost) return "error";
  return error === "notFound" || error === "aborted" ? "debug" : "warn";
}
