import { redact, withoutPaths } from "./redact.ts";

export type LogFormat = "text" | "json";

/** What an entry has besides its message. */
export interface LogFields {
  /** Most entries report a problem: the default is `warn`. */
  readonly level?: "info" | "warn" | "error";
  readonly execution_id?: string;
  readonly crew?: string;
}

/** Writes one entry of the service's log. */
export type Log = (message: string, fields?: LogFields) => void;

/**
 * A log on stderr, without `secrets`, to which more may be added later. `text` is for a person who reads along: the messages
 * alone. `json` is one line an entry, for a program that collects them, and has no paths of addresses.
 */
export async function createLog(
  format: LogFormat,
  secrets: readonly string[],
  stream?: { write(line: string): void },
): Promise<Log> {
  if (format === "text") {
    const text = stream ?? process.stderr;
    return (message) => void text.write(`${redact(message, secrets)}\n`);
  }
  // Only a server pays for loading it.
  // In a bundle's chunk, a CommonJS module has only this name.
  const { default: pino } = await import("pino");
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    // The last entries of a process that ends are written, too.
    stream ?? pino.destination({ fd: 2, sync: true }),
  );
  return (message, { level = "warn", ...fields } = {}) =>
    logger[level](fields, withoutPaths(redact(message, secrets)));
}

/** A server's log is collected by programs, that of a service on one's own machine is read. */
export function usualLogFormat(isServer: boolean): LogFormat {
  return isServer ? "json" : "text";
}
