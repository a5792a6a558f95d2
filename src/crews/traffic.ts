import type { LogOutputChannel } from "vscode";
import type { Traffic } from "../api/transport.ts";

/** `[12 Travel] → POST /kickoff`, `[12 Travel] ← 200 in 180 ms` */
export function logTraffic(
  log: Pick<LogOutputChannel, "debug" | "info" | "warn" | "error">,
  crew: string,
  { id, method, path, status, error, milliseconds }: Traffic,
): void {
  const isPost = method === "POST";
  const head = `[${id} ${crew.replace(/\s+/g, " ")}]`;
  if (milliseconds === undefined) log[isPost ? "info" : "debug"](`${head} → ${method} ${path}`);
  else {
    const outcome = [status, error].filter((each) => each !== undefined).join(" ");
    log[levelOf(isPost, error)](`${head} ← ${outcome} in ${Math.round(milliseconds)} ms`);
  }
}

/** An unknown id may be a pause, and a cancelled request is intended. */
function levelOf(isPost: boolean, error: string | undefined): "debug" | "info" | "warn" | "error" {
  if (error === undefined) return isPost ? "info" : "debug";
  if (isPost) return "error";
  return error === "notFound" || error === "aborted" ? "debug" : "warn";
}
