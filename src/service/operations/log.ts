import { type Secrets, withoutPaths } from "./redact.ts";

export type LogFormat = "text" | "json";

/** What an entry has besides its message. */
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

/** Writes one entry of the service's log. */
export type Log = (message: string, fields?: LogFields) => void;

/**
 * Creates the log on stderr. The format `text` is for people, and has the messages only. `json` is for programs that collect
 * logs, has one line for each entry, and hides the paths of addresses.
 * @param secrets hidden in all entries. More may be added later
 * @param hasOutput whether it has what crews print
 */
export async function createLog(
  format: LogFormat,
  secrets: Secrets,
  hasOutput: boolean,
  stream?: { write(line: string): void },
): Promise<Log> {
  if (format === "text") {
    const text = stream ?? process.stderr;
    return (message, { isOutput = false } = {}) => {
      if (hasOutput || !isOutput) text.write(`${secrets.hide(message)}\n`);
    };
  }
  // Loaded only where it is used. In a bundle, a CommonJS module has no other export than `default`.
  const { default: pino } = await import("pino");
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    // Synchronous, so that the last entries of a process are written, too.
    stream ?? pino.destination({ fd: 2, sync: true }),
  );
  return (message, { level = "warn", isOutput = false, ...fields } = {}) => {
    if (hasOutput || !isOutput)
      logger[level](fields, withoutPaths(secrets.hide(message)).slice(0, longestMessage));
  };
}

/** Programs collect the log of a server. People read the log of a service on their own machine. */
export function usualLogFormat(isServer: boolean): LogFormat {
  return isServer ? "json" : "text";
}
