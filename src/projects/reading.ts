import * as l10n from "@vscode/l10n";
import { AsyncLocalStorage } from "node:async_hooks";
import { isUtf8 } from "node:buffer";
import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../base/errors.ts";
import { readRegularFile } from "../base/files.ts";
import type { Place } from "./source.ts";
import { ProjectError } from "./types.ts";

export interface TextFile {
  readonly file: string;
  readonly text: string;
}

const mostProblems = 200;

/** How a project is read, past its problems: where its text comes from, and what is wrong with it. */
export class Reading {
  readonly folder: string;
  /** Files that can't be parsed: what is missing in them is no problem of its own. */
  readonly broken = new Set<string>();
  readonly parsed = new Map<string, Place>();
  readonly #problems = new Map<string, ProjectError>();
  readonly #textOf: (file: string) => string | undefined;

  /** @param textOf the text of a file that is being edited; undefined for one on disk */
  constructor(folder: string, textOf: (file: string) => string | undefined = () => undefined) {
    this.folder = folder;
    this.#textOf = textOf;
  }

  get problems(): readonly ProjectError[] {
    return [...this.#problems.values()];
  }

  report(error: ProjectError): void {
    const { file, line, column } = error.position ?? {};
    const place = file === undefined ? error.text : `${file}:${line}:${column}`;
    const isNew = !this.#problems.has(place) && !this.broken.has(file ?? "");
    if (isNew && this.#problems.size < mostProblems) this.#problems.set(place, error);
  }

  async attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      this.report(error);
      return undefined;
    }
  }

  async text(file: string): Promise<TextFile> {
    const edited = this.#textOf(file);
    return edited === undefined ? await readText(this.folder, file) : { file, text: edited };
  }

  async python(file: string): Promise<string> {
    return await this.text(file).then(
      ({ text }) => text,
      () => "",
    );
  }
}

/** What the readings of {@link remembering} look at. */
const looks = new AsyncLocalStorage<Set<string>>();

/** File systems may keep times in steps of up to this (ms): a file that has just changed can change again without another time. */
const unsettledMs = 2_000;

/** Reads only if a file or folder that the last reading has looked at may have changed. */
export function remembering<T>(read: () => Promise<T>): () => Promise<T> {
  let seen = new Set<string>();
  let known: { readonly result: T; readonly stamps: string } | undefined;
  return async () => {
    const before = await stampsOf(seen);
    if (known?.stamps === before.stamps) return known.result;
    seen = new Set();
    const result = await looks.run(seen, read);
    const { stamps, changedAt } = await stampsOf(seen);
    // Nothing has changed meanwhile.
    const isSure = stamps === before.stamps && changedAt < Date.now() - unsettledMs;
    known = isSure ? { result, stamps } : undefined;
    return result;
  };
}

async function stampsOf(files: ReadonlySet<string>) {
  const found = await Promise.all(
    [...files].map(async (file) => [file, await look(file)] as const),
  );
  const times = found.map(([file, stats]) => [
    ...[file, stats?.ino, stats?.size, stats?.mtimeMs, stats?.ctimeMs],
  ]);
  return {
    stamps: JSON.stringify(times),
    changedAt: Math.max(0, ...found.map(([, stats]) => stats?.ctimeMs ?? 0)),
  };
}

async function look(file: string): Promise<Stats | undefined> {
  looks.getStore()?.add(file);
  return await stat(file).catch(() => undefined);
}

export async function isFile(file: string): Promise<boolean> {
  return (await look(file))?.isFile() ?? false;
}

export async function isFolder(folder: string): Promise<boolean> {
  return (await look(folder))?.isDirectory() ?? false;
}

export async function foldersIn(folder: string): Promise<string[]> {
  return await namesIn(folder, (entry) => entry.isDirectory());
}

export async function pythonFilesIn(root: string, folder: string): Promise<string[]> {
  const isPython = (entry: Dirent) => entry.isFile() && entry.name.endsWith(".py");
  const names = await namesIn(path.join(root, folder), isPython);
  return names.map((name) => path.posix.join(folder, name));
}

async function namesIn(folder: string, isMeant: (entry: Dirent) => boolean): Promise<string[]> {
  looks.getStore()?.add(folder);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter(isMeant).map(({ name }) => name);
  return names.sort();
}

/** Definitions are small; a larger file is a mistake. */
const largestBytes = 256 * 1024;

export async function readText(folder: string, file: string): Promise<TextFile> {
  const error = (problem: string) => new ProjectError(problem, { file, line: 1, column: 1 });
  const place = path.resolve(folder, file);
  looks.getStore()?.add(place);
  const bytes = await readRegularFile(place, largestBytes).catch((cause: unknown) => {
    throw error(l10n.t("The file can't be read: {0}", messageOf(cause)));
  });
  // The decoder drops a byte order mark. UTF-16 of Latin letters is valid UTF-8 with zeros.
  if (isUtf8(bytes) && !bytes.includes(0))
    return { file, text: new TextDecoder("utf-8").decode(bytes) };
  throw error(
    l10n.t(
      "The file is not UTF-8 text, as crewAI needs it. Open it in its encoding with “Reopen with Encoding” in the status bar, then save it with “Save with Encoding” and UTF-8.",
    ),
  );
}
