import { readFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { asObject, numberAt, parseJson } from "../base/json.ts";
import { isLoopback } from "../base/loopback.ts";
import { isRunning } from "../base/process.ts";

/** What a service writes to `service.json`. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  /** A header of its responses, new at each start. */
  readonly instance: string;
  /** Undefined for a service that isn't for windows, or ends with its own. */
  readonly protocol: number | undefined;
}

export async function findRunning(dataFolder: string): Promise<Running | undefined> {
  // The file may be missing or half written.
  const file = await readFile(path.join(dataFolder, "service.json"), "utf8").catch(() => "");
  const found = asObject(parseJson(file));
  const { url, pid, instance } = found;
  const protocol = numberAt(found, "protocol");
  if (typeof url !== "string" || !isOnThisMachine(url)) return undefined;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0 || !isRunning(pid))
    return undefined;
  return typeof instance === "string" && instance !== ""
    ? { url, pid, instance, protocol }
    : undefined;
}

/**
 * Whether the service itself responds. The request has no token: the port may belong to another
 * program. A stopping service doesn't respond, though it may still hold its data.
 */
export async function answers({ url, instance }: Running): Promise<boolean> {
  return await new Promise((resolve) => {
    const sent = request(url, { method: "HEAD", timeout: 1000, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.headers["crewdeck-instance"] === instance);
    });
    sent.once("error", () => resolve(false));
    sent.once("timeout", () => sent.destroy(new Error("No response in time.")));
    sent.end();
  });
}

function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && isLoopback(hostname);
}
