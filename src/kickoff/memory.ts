import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { hasCode, replaceWhole } from "../executions/files.ts";
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
 * kept; see {@link keptDraft}.
 */
export class FormMemory {
  readonly #folder: string;
  readonly #onProblem: (message: string, error: unknown, about?: string) => void;
  /** The last write of each crew, so that writes follow each other in the order they were asked for. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(options: { readonly folder: string; readonly onProblem: (message: string, error: unknown, about?: string) => void }) {
    this.#folder = options.folder;
    this.#onProblem = options.onProblem;
  }

  /** What is remembered of a crew, after what is being written. A file that can't be understood is set aside and told. */
  async read(crewId: string): Promise<Remembered> {
    await this.#writes.get(crewId);
    return await this.#read(crewId);
  }

  /** Keeps what is typed. Never throws: a form goes on without its memory, and the problem is told. */
  saveDraft(crewId: string, draft: Draft): Promise<void> {
    return this.#change(crewId, ({ last }) => ({ draft, ...(last === undefined ? {} : { last }) }));
  }

  /** Forgets what is typed, unless a newer draft (another id) has taken its place. */
  dropDraft(crewId: string, draftId: string): Promise<void> {
    return this.#change(crewId, (known) => (known.draft?.id === draftId ? withoutDraft(known) : known));
  }

  /** Keeps values as sent last; their draft is done. */
  sent(crewId: string, { id, values }: Draft): Promise<void> {
    return this.#change(crewId, (known) => ({ ...(known.draft?.id === id ? {} : known), last: values }));
  }

  /** Forgets a crew. */
  forget(crewId: string): Promise<void> {
    return this.#queue(crewId, () => rm(this.#path(crewId), { force: true }));
  }

  /** A crew goes by another id now. */
  async move(from: string, to: string): Promise<void> {
    const known = await this.read(from);
    await this.#change(to, () => known);
    await this.forget(from);
  }

  #change(crewId: string, change: (known: Remembered) => Remembered): Promise<void> {
    return this.#queue(crewId, async () => {
      const known = change(await this.#read(crewId));
      await mkdir(this.#folder, { recursive: true });
      await replaceWhole(this.#path(crewId), JSON.stringify({ version: 1, crew: crewId, ...kept(known) }));
    });
  }

  #queue(crewId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(crewId) ?? Promise.resolve();
    const written = before.then(work).catch((error: unknown) => {
      this.#onProblem("The kickoff form's values could not be kept", error);
    });
    this.#writes.set(crewId, written);
    return written;
  }

  async #read(crewId: string): Promise<Remembered> {
    const path = this.#path(crewId);
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      if (!hasCode(error, "ENOENT")) this.#onProblem("The kickoff form's values could not be read", error);
      return {};
    }
    try {
      // Another version may have written more.
      return kept(v.parse(remembered, JSON.parse(text)));
    } catch (error) {
      this.#onProblem("The kickoff form's values could not be understood and were set aside", error, `${path}.corrupt`);
      await rename(path, `${path}.corrupt`);
      return {};
    }
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
