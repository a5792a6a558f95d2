import { messageOf } from "../errors.ts";
import type { Log } from "../operations/log.ts";
import { parseServerConfig, readConfigText, type ServerConfig } from "./config.ts";

/** How often the file is read again (ms). */
const lookMs = 1000;

export type LiveConfig = ReturnType<typeof openLiveConfig>;

/**
 * Follows changes of the tokens and limits in a configuration file. An invalid change is logged, and the last valid tokens
 * and limits stay in force.
 * @param first the file's text at the start
 */
export function openLiveConfig(file: string, first: string, log: Log) {
  const started = parseServerConfig(file, first);
  let current = started;
  let seen: string | undefined = first;
  const complain = (error: unknown) =>
    log(`The tokens and limits of ${file} stay as they were: ${messageOf(error)}`);

  /** Compares the text, because file times are too coarse, and some drives report no changes. */
  async function look(): Promise<void> {
    let text: string;
    try {
      text = await readConfigText(file);
    } catch (error) {
      if (seen !== undefined) complain(error);
      seen = undefined;
      return;
    }
    if (text === seen) return;
    seen = text;
    try {
      current = parseServerConfig(file, text);
      const isFixed = JSON.stringify(fixedPart(current)) === JSON.stringify(fixedPart(started));
      if (isFixed) log(`Read ${file} again.`, { level: "info" });
      else log(`Read ${file} again. Crews and addresses change at the next start.`);
    } catch (error) {
      complain(error);
    }
  }

  const timer = setInterval(() => void look(), lookMs).unref();
  return {
    tokens: () => current.tokens,
    limits: () => current.limits,
    look,
    stop: () => clearInterval(timer),
  };
}

/** The part of a configuration that takes effect only at the next start. */
function fixedPart({ crews, publicUrl, trustProxy, host, port }: ServerConfig): unknown {
  return { crews, publicUrl, trustProxy, host, port };
}
