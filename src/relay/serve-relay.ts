import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  databaseIn,
  lockDataFolder,
  untilDeleted,
  userDataFolder,
} from "../service/data-folder.ts";
import type { RelayServiceOptions } from "./options.ts";
import { openRelay } from "./relay.ts";

/** Relays callbacks until it is asked to stop. @throws {Refusal} */
export async function serveRelay(options: RelayServiceOptions): Promise<void> {
  const folder = options.data ?? join(userDataFolder(process.env), "crewdeck", "relay");
  const lock = await lockDataFolder(folder);
  const database = databaseIn(folder);
  const tokenFile = resolve(folder, "relay-token");
  const token = options.token || keptToken(tokenFile);
  const { url, port, close } = await openRelay({ ...options, database, token, log });
  lock.publish({ url, port, instance: randomUUID() });
  const ended = Promise.race([
    ...["SIGTERM", "SIGINT"].map((signal) => once(process, signal)),
    untilDeleted(database),
  ]);
  // Its output may go into a log, so it has no token.
  const printed = { url, data: folder, ...(options.token ? {} : { tokenFile }) };
  process.stdout.write(`${JSON.stringify(printed)}\n`);
  await ended;
  lock.withdraw();
  await close();
  process.exit(0);
}

/** The same at each start. For this user only. */
function keptToken(file: string): string {
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const token = randomBytes(24).toString("base64url");
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return token;
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
