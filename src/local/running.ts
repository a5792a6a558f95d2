import { readFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";

/** A service that says where it listens, in `service.json` of its data folder. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  /** What its answers carry; another one at each start. */
  readonly instance: string;
}

/** The service that runs on a data folder, whichever window started it; nothing where none does. */
export async function findRunning(dataFolder: string): Promise<Running | undefined> {
  const found = await readAddress(path.join(dataFolder, "service.json"));
  return found !== undefined && isAlive(found.pid) ? found : undefined;
}

/**
 * Whether the service that wrote down its address is what answers there, by an id that it sends with every answer: its port may be another
 * program's by now, which must not get the token. None is sent with this request. A service that is leaving does not answer, though it may hold its data still.
 */
export async function answers({ url, instance }: Running): Promise<boolean> {
  return await new Promise((resolve) => {
    const asked = request(url, { method: "HEAD", timeout: 1000, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.headers["crewdeck-instance"] === instance);
    });
    asked.once("error", () => resolve(false));
    asked.once("timeout", () => asked.destroy(new Error("Nobody answered in time.")));
    asked.end();
  });
}

async function readAddress(file: string): Promise<Running | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(file, "utf8"));
    return isRunning(found)
      ? { url: found.url, pid: found.pid, instance: found.instance }
      : undefined;
  } catch {
    // Not there, or half written: nothing that could be connected to, and it is read again.
    return undefined;
  }
}

function isRunning(found: unknown): found is Running {
  if (typeof found !== "object" || found === null) return false;
  const { url, pid, instance }: Partial<Record<keyof Running, unknown>> = found;
  return (
    typeof url === "string" &&
    isLoopback(url) &&
    typeof pid === "number" &&
    Number.isInteger(pid) &&
    pid > 0 &&
    typeof instance === "string" &&
    instance !== ""
  );
}

/** The token goes to this address, so it must be one of this machine. */
function isLoopback(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return (
      protocol === "http:" &&
      (hostname === "127.0.0.1" || hostname === "localhost" || hostname === "[::1]")
    );
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, but belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
