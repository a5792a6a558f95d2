import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lockDataFolder, userDataFolder } from "../service/data-folder.ts";
import type { RelayServiceOptions } from "./options.ts";
import { openRelay } from "./relay.ts";

/** Relays callbacks until it is asked to stop. @throws {Refusal} */
export async function serveRelay(options: RelayServiceOptions): Promise<void> {
  const folder = options.data ?? join(userDataFolder(process.env), "crewdeck", "relay");
  const data = await lockDataFolder(folder);
  const tokenFile = resolve(dirname(data.database), "relay-token");
  const token = options.token || keptToken(tokenFile);
  const relay = await openRelay({ ...options, database: data.database, token, log });
  const files = data.keep();
  const { url } = relay;
  data.publish({ url, port: Number(new URL(url).port), instance: randomUUID() });
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    data.withdraw();
    await relay.close();
    data.release();
    process.exit(0);
  };
  process.once("SIGTERM", () => void end());
  process.once("SIGINT", () => void end());
  // Its output may go into a log, so it has no token.
  const printed = { url, data: dirname(data.database), ...(options.token ? {} : { tokenFile }) };
  process.stdout.write(`${JSON.stringify(printed)}\n`);
  await files.noticed;
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
