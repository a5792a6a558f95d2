import type { LogOutputChannel } from "vscode";
import type { Traffic } from "../api/traffic.ts";

/**
 * Logs one half of an exchange: `[12 Travel] → POST /kickoff` when it leaves and `[12 Travel] ← 200 in 180 ms` when it ended.
 * What starts or resumes something is told at the level "info", questions at "debug", what went wrong at "warning", and for a POST
 * at "error". Bodies come at "trace" only (`isTracing`: whether the log is at that level). No line holds a token: traffic carries none.
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

/** A crew that does not know an id may only be pausing, and what was cancelled was meant to be: neither is worth a warning. */
function levelOf(isPost: boolean, error: string | undefined): "debug" | "info" | "warn" | "error" {
  if (error === undefined) return isPost ? "info" : "debug";
  if (isPost) return "error";
  return error === "notFound" || error === "aborted" ? "debug" : "warn";
}
