import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { asObject } from "../../base/json.ts";
import type { Database } from "../../store/database.ts";
import type { Prefill } from "../callbacks.ts";
import { crewValues, type CrewValues } from "../../store/crew-values.ts";
import { readKickoffJson } from "../kickoff-json.ts";
import { isRequestFile, suggestFileName } from "./name.ts";
import { readRequestFile, writeRequestFile, type RequestFile } from "./request-file.ts";

interface Preset {
  readonly name: string;
  readonly values: Prefill;
}

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
    await this.#takeOverPresets();
    const names = await readdir(this.#folder).catch(() => []);
    const files = await Promise.all(
      names.filter((name) => isRequestFile({ path: name })).map((name) => this.#read(name)),
    );
    return files
      .flatMap((file) => file ?? [])
      .sort((one, other) => (one.label ?? "").localeCompare(other.label ?? ""));
  }

  /** Replaces the crew's file of the same name. */
  async save(crewId: string, name: string, values: Prefill): Promise<void> {
    const same = (await this.list()).find(({ crew, label }) => crew === crewId && label === name);
    await this.#write(same?.path, crewId, name, values);
  }

  async move(from: string, to: string): Promise<void> {
    for (const { path, crew, label = "", values } of await this.list())
      if (crew === from) await this.#write(path, to, label, values);
  }

  async #read(name: string) {
    const file = path.join(this.#folder, name);
    const text = await readFile(file, "utf8").catch(() => undefined);
    return text === undefined ? undefined : { path: file, ...readRequestFile(text) };
  }

  async #write(file: string | undefined, crewId: string, name: string, values: Prefill) {
    // For this user only: they hold inputs.
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const added = suggestFileName(name, { id: randomUUID().slice(0, 8) });
    const text = writeRequestFile(crewId, values, name);
    await writeFile(file ?? path.join(this.#folder, added), text, { mode: 0o600 });
  }

  async #takeOverPresets(): Promise<void> {
    const rows = this.#database.all("SELECT crew_id FROM crew_values WHERE kind = 'presets'");
    for (const { crew_id: id } of rows) {
      const crewId = String(id);
      for (const { name, values } of this.#presets.get(crewId) ?? [])
        await this.#write(undefined, crewId, name, values);
      this.#presets.set(crewId, undefined);
    }
  }
}

function parsePresets(raw: unknown): readonly Preset[] {
  if (!Array.isArray(raw)) throw new TypeError("The presets aren't a list.");
  return raw.map((preset) => {
    const { name, values } = asObject(preset);
    const read = readKickoffJson(JSON.stringify(values ?? null));
    const isWrong = read.root === undefined || read.faults.some(({ kind }) => kind === "wrongType");
    if (typeof name !== "string" || isWrong) throw new TypeError("A preset is invalid.");
    return { name, values: read.values };
  });
}
