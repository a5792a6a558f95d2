import { copyFileSync, statSync, truncateSync } from "node:fs";

/** Bytes of the file before it begins anew; the last one is kept. */
const usualLimit = 1_000_000;
const mostRecent = 200;

interface Output {
  write(text: string): unknown;
}

/**
 * The log of a service that outlives its windows: standard error, which is a file, and the windows that are connected.
 * @param file standard error's. The system may append to it, too
 */
export class WindowLog {
  readonly recent: string[] = [];
  onLine: (line: string) => void = () => undefined;
  readonly #file: string;
  readonly #limit: number;
  readonly #output: Output;

  constructor(file: string, limit = usualLimit, output: Output = process.stderr) {
    [this.#file, this.#limit, this.#output] = [file, limit, output];
  }

  write(text: string): void {
    this.#output.write(text);
    this.#bound();
    for (const line of text.replace(/\n$/, "").split("\n")) {
      this.recent.push(line);
      if (this.recent.length > mostRecent) this.recent.shift();
      this.onLine(line);
    }
  }

  #bound(): void {
    try {
      if (statSync(this.#file).size < this.#limit) return;
      copyFileSync(this.#file, `${this.#file}.1`);
      truncateSync(this.#file);
    } catch {
      // The folder is gone, which ends the service, or full.
    }
  }
}
