import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** What is kept of a local crew between windows. Holds no token. */
export interface KnownCrew {
  readonly version: 1;
  /** URI of the project's folder, or {@link exampleFolder}. */
  readonly folder: string;
  readonly name: string;
  /** The port it had last; tried first, so that its address stays. 0 before the first start. */
  readonly port: number;
  /** False once a person stopped it or it failed; true also while its window is closed. */
  readonly wanted: boolean;
  /** Why it does not run though nobody stopped it: it ended by itself, or could not be started. */
  readonly failure?: string | undefined;
}

/** Stands for the example crew's folder, which moves with each version of the extension. */
export const exampleFolder = "crewdeck:/example-crew";

/** The local crews that were started on this machine at some time: one folder each, with the service's data and `crew.json`. */
export class KnownCrews {
  readonly #root: string;

  /** @param root folder that holds a folder for each crew; made when needed */
  constructor(root: string) {
    this.#root = root;
  }

  /** Where a crew's service keeps its data. The name is a hash, since a folder's URI is no file name. */
  dataFolder(folder: string): string {
    return path.join(this.#root, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  }

  /** All that can be read, by name. What can't be read is handed to `onProblem` and left out; a file that is no good is set aside before. */
  async list(onProblem: (file: string, error: unknown) => void): Promise<KnownCrew[]> {
    const crews: KnownCrew[] = [];
    for (const name of await namesIn(this.#root)) {
      const file = path.join(this.#root, name, "crew.json");
      try {
        const crew = await readKnown(file);
        if (crew !== undefined) crews.push(crew);
      } catch (error) {
        onProblem(file, await setAside(file, error));
      }
    }
    return crews.sort((one, other) => one.name.localeCompare(other.name));
  }

  /** One crew by its folder; nothing where it was never started, or where its file was no good and is set aside now. Throws where its file can't be read. */
  async read(folder: string): Promise<KnownCrew | undefined> {
    const file = this.#file(folder);
    try {
      return await readKnown(file);
    } catch (error) {
      // Told by `list`, which every window begins with; here the crew is as one that was never started, and its data stays.
      if ((await setAside(file, error)) === error) throw error;
      return undefined;
    }
  }

  /** Keeps a crew, in the place of what was kept before. Other windows see the old or the new content, never a part. */
  async write(crew: KnownCrew): Promise<void> {
    const file = this.#file(crew.folder);
    const temporary = `${file}.${randomUUID()}.tmp`;
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporary, JSON.stringify(crew), { mode: 0o600 });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /** Changes what is kept of a crew; nothing where it is not known. */
  async change(
    folder: string,
    change: Partial<Pick<KnownCrew, "port" | "wanted" | "failure">>,
  ): Promise<void> {
    const current = await this.read(folder);
    if (current !== undefined) await this.write({ ...current, ...change });
  }

  /** Deletes what is kept of a crew, its service's data included. */
  async forget(folder: string): Promise<void> {
    await rm(this.dataFolder(folder), { recursive: true, force: true });
  }

  #file(folder: string): string {
    return path.join(this.dataFolder(folder), "crew.json");
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function readKnown(file: string): Promise<KnownCrew | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const found = parse(text);
  if (isKnown(found)) return found;
  if (isNewer(found))
    throw new Error(`${file} was written by a newer version of Crewdeck, and is left alone.`);
  throw new NoGoodError(`${file} is not a local crew of version 1.`);
}

/** A crew's file that nobody can make sense of. */
class NoGoodError extends Error {
  override readonly name = "NoGoodError";
}

/** Puts a file that is no good under another name, for a person to look at. Returns what there is to tell: the same error for a file that was left alone. */
async function setAside(file: string, error: unknown): Promise<unknown> {
  if (!(error instanceof NoGoodError)) return error;
  const aside = `${file}.corrupt-${Date.now()}`;
  await rename(file, aside);
  return new Error(`${error.message} It was set aside as ${aside}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller tells that it is no good.
    return undefined;
  }
}

function isNewer(found: unknown): boolean {
  return (
    typeof found === "object" &&
    found !== null &&
    "version" in found &&
    typeof found.version === "number" &&
    found.version > 1
  );
}

/** Not there, or a file where a folder is expected. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ENOENT" || error.code === "ENOTDIR")
  );
}

function isKnown(found: unknown): found is KnownCrew {
  if (typeof found !== "object" || found === null) return false;
  const crew: Partial<Record<keyof KnownCrew, unknown>> = found;
  return (
    crew.version === 1 &&
    typeof crew.folder === "string" &&
    typeof crew.name === "string" &&
    Number.isInteger(crew.port) &&
    typeof crew.wanted === "boolean" &&
    ["string", "undefined"].includes(typeof crew.failure)
  );
}
