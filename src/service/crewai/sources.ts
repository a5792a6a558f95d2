import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
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

/**
 * Keeps the files of a project as they were when an execution began, so that it ends on the definition that it began with. What is the
 * same is copied once: a folder named by the hash of its files has the `files`, and an empty file for each of its `users`, the executions.
 */
export function openSources(project: string, copies: string) {
  return { keep, folderFor, forget };

  /** Copies the project's files unless there is a copy of them, or this execution has its own. */
  async function keep(executionId: string): Promise<void> {
    if ((await copyOf(executionId)) !== undefined) return;
    const partial = path.join(copies, `${executionId}.partial`);
    const files = path.join(partial, "files");
    const named = async (folder: string) => path.join(copies, await hashOf(folder, copied));
    while (!(await use(await named(project), executionId))) {
      await removeUnused();
      await rm(partial, { recursive: true, force: true });
      await mkdir(path.join(partial, "users"), { recursive: true });
      await mkdir(files);
      for await (const [name, bytes] of filesIn(project, copied)) {
        await mkdir(path.join(files, path.dirname(name)), { recursive: true });
        await writeFile(path.join(files, name), bytes);
      }
      // As they were copied: somebody may just have edited them.
      const copy = await named(files);
      await rename(partial, copy).catch((error: unknown) => {
        // Otherwise, another execution was faster.
        if (!existsSync(copy)) throw error;
      });
    }
    await rm(partial, { recursive: true, force: true });
  }

  /** The folder to import from: the project's own as long as its definition is the one that the execution began with, else the copy. @param entry the file that defines the crew */
  async function folderFor(executionId: string, entry: string): Promise<string> {
    const copy = await copyOf(executionId);
    // On another machine, which doesn't share the copies, an execution continues with the project as it is there.
    if (copy === undefined) return project;
    for await (const [name, bytes] of filesIn(copy.files, defining, entry)) {
      const now = await contentOf(path.join(project, name));
      if (now?.equals(bytes) !== true) return copy.files;
    }
    return project;
  }

  async function forget(executionId: string): Promise<void> {
    const copy = await copyOf(executionId);
    if (copy) await rm(copy.user, { recursive: true });
    await removeUnused();
  }

  async function copyOf(executionId: string) {
    // Version 0.1 made one for each execution.
    const own = path.join(copies, executionId);
    if (existsSync(own)) return { files: own, user: own };
    for (const name of await hashes()) {
      const user = path.join(copies, name, "users", executionId);
      if (existsSync(user)) return { files: path.join(copies, name, "files"), user };
    }
    return undefined;
  }

  async function removeUnused(): Promise<void> {
    for (const name of await hashes()) {
      const copy = path.join(copies, name);
      // Only an empty folder can be removed like this. From then on, nobody can begin to use the copy.
      const isUsed = await rmdir(path.join(copy, "users")).then(
        () => false,
        (error: unknown) => codeOf(error) !== "ENOENT",
      );
      if (!isUsed) await rm(copy, { recursive: true, force: true });
    }
  }

  async function hashes(): Promise<readonly string[]> {
    await mkdir(copies, { recursive: true });
    const names = await readdir(copies);
    return names.filter((name) => /^[0-9a-f]{64}$/.test(name));
  }
}

export async function versionOf(project: string, entry: string): Promise<string> {
  return await hashOf(project, defining, path.relative(project, entry));
}

async function hashOf(folder: string, which: RegExp, entry?: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const [name, bytes] of filesIn(folder, which, entry))
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  return hash.digest("hex");
}

/** Those whose names match, and the entry, with their content. What can't be read, Python can't import. */
async function* filesIn(folder: string, which: RegExp, entry = "") {
  let count = 0;
  for (const name of await namesIn(folder)) {
    if (!which.test(name) && name !== path.normalize(entry)) continue;
    const bytes = await contentOf(path.join(folder, name));
    if (bytes && (count += 1) > limits.files) return;
    if (bytes) yield [name, bytes] as const;
  }
}

/** In an order that is always the same. @throws for a folder that can't be read, but not for one in it */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  const found = await readdir(folder, { withFileTypes: true });
  for (const each of found.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (skipped.test(each.name)) continue;
    if (!each.isDirectory()) names.push(each.name);
    else
      for (const below of await namesIn(path.join(folder, each.name)).catch(() => []))
        names.push(path.join(each.name, below));
  }
  return names;
}

/** Undefined for what isn't a file, or is too large. */
async function contentOf(file: string): Promise<Buffer | undefined> {
  return await readRegularFile(file, limits.bytes).catch(() => undefined);
}

async function use(copy: string, executionId: string): Promise<boolean> {
  return await writeFile(path.join(copy, "users", executionId), "").then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    },
  );
}
