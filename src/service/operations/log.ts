import { copyFileSync, statSync, truncateSync } from "node:fs";
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

/** The format `text` has the messages only; `json` has a line for each entry, and hides the paths of addresses. */
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

/** Bytes of the file before it begins anew; the last one is kept. */
const usualLimit = 1_000_000;
const mostRecent = 200;

interface Output {
  write(text: string): unknown;
}

/** Of a service that outlives its windows. @param file standard error's. The system may append to it, too */
export class WindowLog {
  readonly recent: string[] = [];
  onLine: (line: string) => void = () => undefined;
  readonly #file: string;
  readonly #limit: number;
  readonly #output: Output;

  constructor(file: string, limit = usualLimit, output: Output = process.stderr) {
    [this.#file, this.#limit, this.#output] = [file, limit, output];
  }

  write(text: string): void {
    this.#output.write(text);
    this.#bound();
    for (const line of text.replace(/\n$/, "").split("\n")) {
      this.recent.push(line);
      if (this.recent.length > mostRecent) this.recent.shift();
      this.onLine(line);
    }
  }

  #bound(): void {
    try {
      if (statSync(this.#file).size < this.#limit) return;
      copyFileSync(this.#file, `${this.#file}.1`);
      truncateSync(this.#file);
    } catch {
      // The folder is gone, which ends the service, or full.
    }
  }
}
