import { createHash } from "node:crypto";
import { cp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../../base/errors.ts";
import { readRegularFile } from "../../base/files.ts";

/** Other people's code, build output, and hidden files. */
const skipped =
  /^(\..*|node_modules|venv|env|site-packages|__pycache__|dist|build|out|outputs?|target)$/;
/** What Python or crewAI may read while it builds the crew. */
const copied = /\.(py|ya?ml|jsonc?|toml|md|txt)$/;
/** Of those, what the crew is made of, with its entry. A crew may write the others, such as its report. */
const defining = /\.(py|ya?ml|jsonc|toml)$|(^|[\\/])agents[\\/][^\\/]+\.json$/;
/** A larger file, or so many, is data. */
const limits = { bytes: 1024 * 1024, files: 5000 };

/** Keeps the files of a project as they were when an execution began, so that it ends on the definition that it began with. */
export class Sources {
  readonly #project: string;
  readonly #copies: string;

  constructor(project: string, copies: string) {
    this.#project = project;
    this.#copies = copies;
  }

  #copyOf(executionId: string): string {
    return path.join(this.#copies, executionId);
  }

  /** Copies the project's files unless this execution has its copy. */
  async keep(executionId: string): Promise<void> {
    const copy = this.#copyOf(executionId);
    if ((await stat(copy).catch(() => undefined)) !== undefined) return;
    // Complete under its own name, also after a kill in the middle.
    const partial = `${copy}.partial`;
    await rm(partial, { recursive: true, force: true });
    let count = 0;
    await cp(this.#project, partial, {
      recursive: true,
      filter: async (source) => {
        if (source === this.#project) return true;
        if (skipped.test(path.basename(source))) return false;
        const stats = await stat(source).catch(() => undefined);
        if (stats?.isDirectory() === true) return true;
        if (stats?.isFile() !== true || !copied.test(source) || stats.size > limits.bytes)
          return false;
        return (count += 1) <= limits.files;
      },
    });
    await rename(partial, copy);
  }

  /** The folder to import from: the project's own as long as its definition is the one that the execution began with, else the copy. @param entry the file that defines the crew */
  async folderFor(executionId: string, entry: string): Promise<string> {
    const copy = this.#copyOf(executionId);
    const files = await readdir(copy, { recursive: true, withFileTypes: true }).catch(
      (error: unknown) => {
        // On another machine, which doesn't share the copies, an execution continues with the project as it is there.
        if (codeOf(error) === "ENOENT") return [];
        throw error;
      },
    );
    for (const found of files) {
      const file = path.join(found.parentPath, found.name);
      const name = path.relative(copy, file);
      if (!found.isFile() || !(defining.test(name) || name === path.normalize(entry))) continue;
      const original = path.join(this.#project, name);
      const now = await readRegularFile(original, limits.bytes).catch(() => undefined);
      if (now?.equals(await readFile(file)) !== true) return copy;
    }
    return this.#project;
  }

  async forget(executionId: string): Promise<void> {
    await rm(this.#copyOf(executionId), { recursive: true, force: true });
  }
}

/** A hash of the files that a project is made of. @param entry the path of the file that defines the crew */
export async function versionOf(project: string, entry: string): Promise<string> {
  const hash = createHash("sha256");
  let count = 0;
  const addAll = async (below: string): Promise<void> => {
    const found = await readdir(path.join(project, below), { withFileTypes: true }).catch(() => []);
    for (const each of found.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const name = path.join(below, each.name);
      if (skipped.test(each.name)) continue;
      if (each.isDirectory()) await addAll(name);
      const file = path.join(project, name);
      if (!(defining.test(name) || file === path.normalize(entry))) continue;
      const bytes = await readRegularFile(file, limits.bytes).catch(() => undefined);
      if (bytes === undefined) continue;
      if ((count += 1) > limits.files) return;
      hash.update(`${name}\0${bytes.length}\0`).update(bytes);
    }
  };
  await addAll("");
  return hash.digest("base64url");
}
