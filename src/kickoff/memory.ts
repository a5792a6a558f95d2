import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { readIfThere, replaceWhole } from "../executions/files.ts";
import { keptDraft, keptValues } from "./kept-values.ts";
import { draftSchema, formValues, type Draft } from "./parse.ts";
import type { FormValues } from "./values.ts";

const remembered = v.object({
  version: v.literal(1),
  crew: v.string(),
  draft: v.exactOptional(draftSchema),
  last: v.exactOptional(formValues),
});

/** What is remembered of one crew's form. */
export interface Remembered {
  /** Typed and not sent. */
  readonly draft?: Draft;
  /** As sent last. */
  readonly last?: FormValues;
}

/**
 * Drafts and last sent values, one file a crew, written whole by rename. Files rather than VS Code's memento, because
 * two windows that write the memento overwrite each other. Secrets that stand in a JSON text or in an address are not among what is
 * kept; see {@link keptDraft}. A form goes on without its file: what can't be written is held in this window, and nothing here throws.
 */
export class FormMemory {
  readonly #folder: string;
  readonly #onProblem: (message: string, error: unknown, about?: string) => void;
  /** The last write of each crew, so that writes follow each other in the order they were asked for. */
  readonly #writes = new Map<string, Promise<void>>();
  /** Crews whose file could not be read or written last. */
  readonly #failing = new Set<string>();
  /** What could not be written, newer than what the file holds. */
  readonly #held = new Map<string, Remembered>();

  constructor(options: {
    readonly folder: string;
    readonly onProblem: (message: string, error: unknown, about?: string) => void;
  }) {
    this.#folder = options.folder;
    this.#onProblem = options.onProblem;
  }

  /** Whether what is typed for a crew is kept on disk, as far as that was tried. */
  keeps(crewId: string): boolean {
    return !this.#failing.has(crewId);
  }

  /** What is remembered of a crew, after what is being written. A file that can't be understood is set aside and told. */
  async read(crewId: string): Promise<Remembered> {
    await this.#writes.get(crewId);
    try {
      return this.#held.get(crewId) ?? (await this.#read(crewId));
    } catch (error) {
      this.#fail(crewId, "The kickoff form's values could not be read", error);
      return {};
    }
  }

  /** Keeps what is typed. */
  saveDraft(crewId: string, draft: Draft): Promise<void> {
    return this.#change(crewId, ({ last }) => ({ draft, ...(last === undefined ? {} : { last }) }));
  }

  /** Forgets what is typed, unless a newer draft (another id) has taken its place. */
  dropDraft(crewId: string, draftId: string): Promise<void> {
    return this.#change(crewId, (known) =>
      known.draft?.id === draftId ? withoutDraft(known) : known,
    );
  }

  /** Keeps values as sent last; their draft is done. */
  sent(crewId: string, { id, values }: Draft): Promise<void> {
    return this.#change(crewId, (known) => ({
      ...(known.draft?.id === id ? {} : known),
      last: values,
    }));
  }

  /** Forgets a crew. */
  forget(crewId: string): Promise<void> {
    return this.#queue(crewId, async () => {
      this.#held.delete(crewId);
      await rm(this.#path(crewId), { force: true });
    });
  }

  /** A crew goes by another id now. */
  async move(from: string, to: string): Promise<void> {
    const known = await this.read(from);
    await this.#change(to, () => known);
    // A file that can't be read may hold more, and where the other can't be written, this is all there is on disk.
    if (this.keeps(from) && this.keeps(to)) await this.forget(from);
  }

  #change(crewId: string, change: (known: Remembered) => Remembered): Promise<void> {
    return this.#queue(crewId, async () => {
      let known = this.#held.get(crewId);
      try {
        // Also where more is known than it holds: a file that can't be read is not written over.
        const inFile = await this.#read(crewId);
        known ??= inFile;
        await mkdir(this.#folder, { recursive: true });
        await replaceWhole(
          this.#path(crewId),
          JSON.stringify({ version: 1, crew: crewId, ...kept(change(known)) }),
        );
        this.#held.delete(crewId);
        this.#failing.delete(crewId);
      } catch (error) {
        this.#held.set(crewId, kept(change(known ?? {})));
        this.#fail(crewId, "The kickoff form's values could not be kept", error);
      }
    });
  }

  /** Told once until it works again: each pause in typing tries it. */
  #fail(crewId: string, problem: string, error: unknown): void {
    if (this.keeps(crewId)) this.#onProblem(problem, error);
    this.#failing.add(crewId);
  }

  #queue(crewId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(crewId) ?? Promise.resolve();
    const written = before
      .then(work)
      .catch((error: unknown) =>
        this.#fail(crewId, "The kickoff form's values could not be kept", error),
      );
    this.#writes.set(crewId, written);
    return written;
  }

  /** What a crew's file holds. @throws what the file system throws */
  async #read(crewId: string): Promise<Remembered> {
    const path = this.#path(crewId);
    const text = await readIfThere(path);
    if (text === undefined) return {};
    let known: Remembered;
    try {
      // Another version may have written more.
      known = kept(v.parse(remembered, JSON.parse(text)));
    } catch (error) {
      await rename(path, `${path}.corrupt`);
      this.#onProblem(
        "The kickoff form's values could not be understood and were set aside",
        error,
        `${path}.corrupt`,
      );
      return {};
    }
    return known;
  }

  /** A crew's id is an address: a hash makes a name that every file system takes. */
  #path(crewId: string): string {
    return join(this.#folder, `${createHash("sha256").update(crewId).digest("hex")}.json`);
  }
}

function kept({ draft, last }: Remembered): Remembered {
  return { ...(draft && { draft: keptDraft(draft) }), ...(last && { last: keptValues(last) }) };
}

function withoutDraft({ last }: Remembered): Remembered {
  return last === undefined ? {} : { last };
}
