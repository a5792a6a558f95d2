import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";

/** A service that says where it listens, in `service.json` of its data folder. */
export interface Running {
  readonly url: string;
  readonly pid: number;
}

/** The service that runs on a data folder, whichever window started it; nothing where none does. */
export async function findRunning(dataFolder: string): Promise<Running | undefined> {
  const found = await readAddress(path.join(dataFolder, "service.json"));
  return found !== undefined && isAlive(found.pid) ? found : undefined;
}

/** Whether something accepts connections at an address of this machine. A service that is leaving accepts none, though it may hold its data still. */
export async function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 1000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

async function readAddress(file: string): Promise<Running | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(file, "utf8"));
    return isRunning(found) ? { url: found.url, pid: found.pid } : undefined;
  } catch {
    // Not there, or half written: nothing that could be connected to, and it is read again.
    return undefined;
  }
}

function isRunning(found: unknown): found is Running {
  if (typeof found !== "object" || found === null) return false;
  const { url, pid }: Partial<Record<keyof Running, unknown>> = found;
  return typeof url === "string" && isLoopback(url) && typeof pid === "number" && Number.isInteger(pid) && pid > 0;
}

/** The token goes to this address, so it must be one of this machine. */
function isLoopback(url: string): boolean {
  try {
    const { protocol, hostname } = new URL(url);
    return protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost" || hostname === "[::1]");
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
