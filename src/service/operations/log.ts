import { type Secrets, withoutPaths } from "./redact.ts";

export interface LogFields {
  /** By default `warn`, because most entries report a problem. */
  readonly level?: "info" | "warn" | "error";
  readonly execution_id?: string;
  readonly crew?: string;
  /** Whether the message is what a crew printed, which may be a prompt or an output. */
  readonly isOutput?: boolean;
}

/** Characters of a message in JSON. Those who collect logs limit their lines. */
const longestMessage = 4000;

export type Log = (message: string, fields?: LogFields) => void;

/**
 * Creates the log on stderr. The format `text` is for people, and has the messages only. `json` is for programs that collect
 * logs, has one line for each entry, and hides the paths of addresses.
 * @param secrets hidden in all entries. More may be added later
 * @param hasOutput whether it has what crews print
 */
export function createLog(
  format: "text" | "json",
  secrets: Secrets,
  hasOutput: boolean,
  stream: { write(line: string): void } = process.stderr,
): Log {
  return (message, { level = "warn", isOutput = false, ...fields } = {}) => {
    if (isOutput && !hasOutput) return;
    const shown = secrets.hide(message);
    const msg = withoutPaths(shown).slice(0, longestMessage);
    const entry = { level, time: new Date().toISOString(), ...fields, msg };
    stream.write(`${format === "text" ? shown : JSON.stringify(entry)}\n`);
  };
}
