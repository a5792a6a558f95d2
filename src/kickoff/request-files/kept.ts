import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { isObject, type UnknownObject } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import type { Prefill } from "../callbacks.ts";
import { crewIdsWith, crewValues } from "../../store/crew-values.ts";
import { isRequestFile, suggestFileName } from "./name.ts";
import { readRequestFile, writeRequestFile } from "./request-file.ts";

const stored = v.array(v.object({ name: v.string(), values: v.custom<UnknownObject>(isObject) }));

export type KeptRequests = ReturnType<typeof keptRequests>;

/** A person's own request files, in the extension's storage: each is named by its label, and names a crew by its ID. */
export function keptRequests(
  database: Database,
  storage: string,
  onUnreadable: (error: unknown, crewId: string) => void,
) {
  const folder = path.join(storage, "requests");
  /** Of version 0.1; they become files. */
  const presets = crewValues(database, "presets", parsePresets, onUnreadable);
  const pathOf = (name: string, id: string) =>
    path.join(folder, suggestFileName(name, { id: id.slice(0, 8) }));
  const write = (file: string, crewId: string, name: string, values: Prefill): void => {
    // For this user only: they hold inputs.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, writeRequestFile(crewId, values, name), { mode: 0o600 });
  };
  const takeOverPresets = (): void => {
    const crewIds = () => crewIdsWith(database, "presets");
    if (crewIds().length === 0) return;
    // Within one transaction, so that no other window writes them, too.
    database.write(() => {
      for (const crewId of crewIds()) {
        for (const { name, values } of presets.get(crewId) ?? []) {
          // After a crash, they are written to the same files.
          const id = createHash("sha256").update(JSON.stringify([crewId, name]));
          write(pathOf(name, id.digest("hex")), crewId, name, values);
        }
        presets.set(crewId, undefined);
      }
    });
  };
  /** Of all crews, by name. A file that can't be read is left out. */
  const list = async () => {
    takeOverPresets();
    const names = await readdir(folder).catch(() => []);
    const requests = names.filter((name) => isRequestFile({ path: name }));
    const files = requests.map(async (name) => {
      const file = path.join(folder, name);
      const text = await readFile(file, "utf8").catch(() => undefined);
      return text === undefined ? [] : { path: file, ...readRequestFile(text) };
    });
    return (await Promise.all(files))
      .flat()
      .sort((one, other) => (one.label ?? "").localeCompare(other.label ?? ""));
  };
  return {
    list,
    async save(crewId: string, name: string, values: Prefill): Promise<void> {
      const same = (await list()).find(({ crew, label }) => crew === crewId && label === name);
      write(same?.path ?? pathOf(name, randomUUID()), crewId, name, values);
    },
    async move(from: string, to: string): Promise<void> {
      for (const { path, crew, label = "", values, faults } of await list())
        // What a person broke by hand stays as it is.
        if (crew === from && faults.every(({ kind }) => kind === "unfinished"))
          write(path, to, label, values);
    },
    async forget(crewId: string): Promise<void> {
      for (const { path, crew } of await list())
        if (crew === crewId) await rm(path, { force: true });
    },
  };
}

function parsePresets(raw: unknown) {
  return v.parse(stored, raw).map(({ name, values }) => {
    const read = readRequestFile(JSON.stringify({ ...values, crew: name }));
    if (read.faults.some(({ kind }) => kind === "schema"))
      throw new TypeError("A preset is invalid.");
    return { name, values: read.values };
  });
}
