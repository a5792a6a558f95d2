import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonFilesIn, readIfThere, replaceWhole } from "../executions/files.ts";

/** What went wrong with a file; whoever hears it finds the words. */
export type CrewFileProblem =
  | { readonly kind: "notKept" }
  /** It could not be understood. */
  | { readonly kind: "setAside"; readonly path: string };

/** How {@link CrewFiles} keeps its values. */
export interface CrewFilesOptions<Value> {
  readonly folder: string;
  /** Understands what a file holds; throws where it cannot. */
  readonly parse: (raw: unknown) => Value;
  readonly onProblem: (problem: CrewFileProblem, error: unknown) => void;
}

/**
 * One JSON file a crew, written whole by rename. Files rather than VS Code's memento, because two windows that write the memento
 * overwrite each other. For what is no secret only.
 */
export class CrewFiles<Value extends object> {
  readonly #options: CrewFilesOptions<Value>;
  /** The last write of each crew, so that writes follow each other in the order they were asked for. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(options: CrewFilesOptions<Value>) {
    this.#options = options;
  }

  /** What is kept of a crew, after what is being written. A file that can't be understood is set aside and told; what the file system throws is thrown. */
  async read(crewId: string): Promise<Value | undefined> {
    await this.#writes.get(crewId);
    return await this.#read(crewId);
  }

  /** What is kept of all crews, as far as it can be understood. */
  async all(): Promise<readonly Value[]> {
    const values = await Promise.all(
      (await jsonFilesIn(this.#options.folder)).map((path) => this.#readFile(path)),
    );
    return values.filter((value) => value !== undefined);
  }

  /** Changes what is kept of a crew; with nothing left, its file goes. Never throws: what goes wrong is told, and `false` comes back. */
  change(
    crewId: string,
    change: (known: Value | undefined) => Value | undefined,
  ): Promise<boolean> {
    let isKept = false;
    const before = this.#writes.get(crewId) ?? Promise.resolve();
    const written = before
      .then(async () => {
        await this.#write(crewId, change(await this.#read(crewId)));
        isKept = true;
      })
      .catch((error: unknown) => {
        this.#options.onProblem({ kind: "notKept" }, error);
      });
    this.#writes.set(crewId, written);
    return written.then(() => isKept);
  }

  async #write(crewId: string, value: Value | undefined): Promise<void> {
    if (value === undefined) {
      await rm(this.#path(crewId), { force: true });
    } else {
      await mkdir(this.#options.folder, { recursive: true });
      await replaceWhole(
        this.#path(crewId),
        JSON.stringify({ version: 1, crew: crewId, ...value }),
      );
    }
  }

  async #read(crewId: string): Promise<Value | undefined> {
    return await this.#readFile(this.#path(crewId));
  }

  async #readFile(path: string): Promise<Value | undefined> {
    const { parse, onProblem } = this.#options;
    const text = await readIfThere(path);
    if (text === undefined) return undefined;
    try {
      return parse(JSON.parse(text));
    } catch (error) {
      const aside = `${path}.corrupt`;
      await rename(path, aside);
      onProblem({ kind: "setAside", path: aside }, error);
      return undefined;
    }
  }

  /** A crew's id is an address: a hash makes a name that every file system takes. */
  #path(crewId: string): string {
    return join(this.#options.folder, `${createHash("sha256").update(crewId).digest("hex")}.json`);
  }
}
