import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { isObject, type UnknownObject } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import type { Prefill } from "../callbacks.ts";
import { crewIdsWith, crewValues, type CrewValues } from "../../store/crew-values.ts";
import { isRequestFile, suggestFileName } from "./name.ts";
import { readRequestFile, writeRequestFile, type RequestFile } from "./request-file.ts";

interface Preset {
  readonly name: string;
  readonly values: Prefill;
}
const presets = v.array(v.object({ name: v.string(), values: v.custom<UnknownObject>(isObject) }));

/** A person's own request files, in the extension's storage: each is named by its label, and names a crew by its ID. */
export class KeptRequests {
  readonly #folder: string;
  /** Of version 0.1; they become files. */
  readonly #presets: CrewValues<readonly Preset[]>;
  readonly #database: Database;

  constructor(
    database: Database,
    storage: string,
    onUnreadable: (error: unknown, crewId: string) => void,
  ) {
    this.#database = database;
    this.#folder = path.join(storage, "requests");
    this.#presets = crewValues(database, "presets", parsePresets, onUnreadable);
  }

  /** Of all crews, by name. A file that can't be read is left out. */
  async list(): Promise<readonly (RequestFile & { readonly path: string })[]> {
    this.#takeOverPresets();
    const names = await readdir(this.#folder).catch(() => []);
    const requests = names.filter((name) => isRequestFile({ path: name }));
    const files = requests.map(async (name) => {
      const file = path.join(this.#folder, name);
      const text = await readFile(file, "utf8").catch(() => undefined);
      return text === undefined ? [] : { path: file, ...readRequestFile(text) };
    });
    return (await Promise.all(files))
      .flat()
      .sort((one, other) => (one.label ?? "").localeCompare(other.label ?? ""));
  }

  /** Replaces the crew's file of the same name. */
  async save(crewId: string, name: string, values: Prefill): Promise<void> {
    const same = (await this.list()).find(({ crew, label }) => crew === crewId && label === name);
    this.#write(same?.path ?? this.#path(name, randomUUID()), crewId, name, values);
  }

  async move(from: string, to: string): Promise<void> {
    for (const { path, crew, label = "", values, faults } of await this.list())
      // What a person broke by hand stays as it is.
      if (crew === from && faults.every(({ kind }) => kind === "unfinished"))
        this.#write(path, to, label, values);
  }

  async forget(crewId: string): Promise<void> {
    for (const { path, crew } of await this.list())
      if (crew === crewId) await rm(path, { force: true });
  }

  #path(name: string, id: string): string {
    return path.join(this.#folder, suggestFileName(name, { id: id.slice(0, 8) }));
  }

  #write(file: string, crewId: string, name: string, values: Prefill): void {
    // For this user only: they hold inputs.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, writeRequestFile(crewId, values, name), { mode: 0o600 });
  }

  #takeOverPresets(): void {
    const crewIds = () => crewIdsWith(this.#database, "presets");
    if (crewIds().length === 0) return;
    // Within one transaction, so that no other window writes them, too.
    this.#database.write(() => {
      for (const crewId of crewIds()) {
        for (const { name, values } of this.#presets.get(crewId) ?? []) {
          // After a crash, they are written to the same files.
          const id = createHash("sha256").update(JSON.stringify([crewId, name]));
          this.#write(this.#path(name, id.digest("hex")), crewId, name, values);
        }
        this.#presets.set(crewId, undefined);
      }
    });
  }
}

function parsePresets(raw: unknown): readonly Preset[] {
  return v.parse(presets, raw).map(({ name, values }) => {
    const read = readRequestFile(JSON.stringify({ ...values, crew: name }));
    if (read.faults.some(({ kind }) => kind === "schema"))
      throw new TypeError("A preset is invalid.");
    return { name, values: read.values };
  });
}
