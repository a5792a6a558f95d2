import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as l10n from "@vscode/l10n";
import { UserError } from "../base/errors.ts";
import { Emitter } from "../base/events.ts";
import { hasCode, readIfThere, replaceWhole } from "../executions/files.ts";
import type { ResumeTarget } from "../executions/resumes.ts";

/** Drafts that are kept at once; the oldest give way. */
const most = 200;
/** Longest text that is kept, in characters. */
const longest = 500_000;

/** Words for one output that were not sent yet. */
export interface Draft extends ResumeTarget {
  readonly localId: string;
  readonly isApprove: boolean;
  readonly text: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Which output a draft is for. */
export type DraftTarget = Pick<Draft, "localId" | "taskId" | "attempt">;

/**
 * Drafts of feedback: one file each in the extension's storage on this machine, so that they outlast a reload and every window
 * sees them. One for an output; it goes when it is sent or discarded, and with its execution.
 */
export class Drafts {
  readonly #folder: string;
  readonly #changed: Emitter<void>;

  constructor(folder: string, onProblem: (message: string, error: unknown) => void) {
    this.#folder = folder;
    this.#changed = new Emitter((error) => onProblem("A listener of the drafts failed.", error));
  }

  /** Fires when this window has kept or removed one. */
  get onDidChange(): Emitter<void>["event"] {
    return this.#changed.event;
  }

  /** Keeps a draft in place of the one for the same output; the person is told if it is too long. @throws UserError, and what the file system throws */
  async keep(draft: Draft): Promise<void> {
    if (draft.text.length > longest)
      throw new UserError(
        l10n.t(
          "The draft is too long to be kept: {0} characters, and {1} are kept at most.",
          draft.text.length,
          longest,
        ),
      );
    await mkdir(this.#folder, { recursive: true });
    await replaceWhole(this.#path(draft), JSON.stringify({ version: 1, ...draft }));
    await this.#prune();
    this.#changed.fire();
  }

  /** The drafts of an execution, oldest first. What cannot be understood is none. */
  async of(localId: string): Promise<readonly Draft[]> {
    return (await this.#read(await this.#names(`${localId}.`))).filter(
      (draft) => draft.localId === localId,
    );
  }

  /** All drafts, oldest first. */
  async all(): Promise<readonly Draft[]> {
    return await this.#read(await this.#names());
  }

  /** The draft for an output. */
  async find(target: DraftTarget): Promise<Draft | undefined> {
    return await readDraft(this.#path(target));
  }

  /** Removes the draft for an output, if there is one. */
  async remove(target: DraftTarget): Promise<void> {
    await rm(this.#path(target), { force: true });
    this.#changed.fire();
  }

  /** Removes all drafts of an execution. */
  async removeAll(localId: string): Promise<void> {
    for (const name of await this.#names(`${localId}.`))
      await rm(join(this.#folder, name), { force: true });
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #read(names: readonly string[]): Promise<readonly Draft[]> {
    const drafts = await Promise.all(names.map((name) => readDraft(join(this.#folder, name))));
    return drafts.filter((draft) => draft !== undefined).sort((a, b) => a.at.localeCompare(b.at));
  }

  async #names(beginning = ""): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter(
        (name) => name.startsWith(beginning) && name.endsWith(".json"),
      );
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }

  async #prune(): Promise<void> {
    const names = await this.#names();
    if (names.length <= most) return;
    const aged = await Promise.all(
      names.map(async (name) => ({ name, time: await modifiedAt(join(this.#folder, name)) })),
    );
    for (const { name } of aged.sort((a, b) => b.time - a.time).slice(most))
      await rm(join(this.#folder, name), { force: true });
  }

  /** A task's id is any text: a hash makes a name that every file system takes. */
  #path({ localId, taskId, attempt }: DraftTarget): string {
    const hash = createHash("sha256")
      .update(JSON.stringify([taskId, attempt]))
      .digest("hex")
      .slice(0, 32);
    return join(this.#folder, `${localId}.${hash}.json`);
  }
}

/** Milliseconds since 1970; a file that is gone meanwhile is the oldest. */
async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return 0;
    throw error;
  }
}

async function readDraft(path: string): Promise<Draft | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const raw: unknown = JSON.parse(text);
    return isDraft(raw) ? raw : undefined;
  } catch {
    // Not JSON, as after a disk that was full: there is nothing in it to show, and the next draft for the output takes its place.
    return undefined;
  }
}

function isDraft(raw: unknown): raw is Draft {
  if (typeof raw !== "object" || raw === null) return false;
  const { localId, taskId, attempt, isApprove, text, at }: Partial<Record<keyof Draft, unknown>> =
    raw;
  return (
    [localId, taskId, text, at].every((value) => typeof value === "string") &&
    typeof attempt === "number" &&
    typeof isApprove === "boolean"
  );
}
