import { readFileSync, rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import { type Disposable, Emitter, type Event } from "../base/events.ts";
import { readIfThere, replaceWhole } from "./files.ts";

/** Milliseconds between two renewals. */
const RENEW = 5_000;
/** Milliseconds after which a lease that was not renewed belongs to nobody. */
const STALE = 15_000;
/** Milliseconds in which of several windows that find a stale lease at once the last writer shows. */
const SETTLE = 250;

/** What a lease needs. */
export interface LeaseOptions {
  /** The lease's file; its folder is made when missing. */
  readonly file: string;
  readonly clock: Clock;
  /** Names this window among all that ever shared the file. */
  readonly owner: string;
  /** Hears of a file that cannot be read or written; the lease is then not held, and tried again. */
  onProblem(message: string, error: unknown): void;
}

/**
 * Decides which of several windows polls and notifies; never who may write.
 * A window takes it when nobody has renewed it for 15 s, or at any time when its person looks at it. The one that lost it
 * sees so at its next renewal, at most 5 s later; `confirm()` asks at once, for what must not happen twice.
 */
export class Lease implements Disposable {
  readonly #options: LeaseOptions;
  readonly #changed: Emitter<boolean>;
  readonly onDidChange: Event<boolean>;
  #held = false;
  /** Takes part: between `start` or `takeOver`, and `stop`. */
  #isOn = false;
  #disposed = false;
  #cancelTimer: (() => void) | undefined;
  /** One step at a time: a renewal and a take-over must not cross. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) =>
      options.onProblem("A listener of the polling lease failed.", error),
    );
    this.onDidChange = this.#changed.event;
  }

  /** Whether this window polls and notifies. */
  get isHeld(): boolean {
    return this.#held;
  }

  /** Begins to take part. A free lease is held a moment later, when no other window has taken it at the same time. */
  async start(): Promise<void> {
    this.#isOn = true;
    await this.#stepAndGoOn(() => this.#renew());
  }

  /** Takes the lease whoever has it: this window has the person's attention. */
  async takeOver(): Promise<void> {
    this.#isOn = true;
    await this.#stepAndGoOn(() => this.#write());
  }

  /** Takes part no more and gives the lease back, until it is started again. */
  async stop(): Promise<void> {
    this.#isOn = false;
    this.#cancelTimer?.();
    await this.#step(async () => {
      if ((await this.#holder()) === this.#options.owner) {
        await rm(this.#options.file, { force: true });
      }
      this.#setHeld(false);
    });
  }

  /** Whether the lease is held right now, read from the file. */
  async confirm(): Promise<boolean> {
    await this.#step(async () => {
      if (this.#held && (await this.#holder()) !== this.#options.owner) {
        this.#setHeld(false);
      }
    });
    return this.#held;
  }

  /** Gives the lease back at once, so that another window need not wait for it to become stale. */
  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#disposed = true;
    this.#cancelTimer?.();
    this.#changed.dispose();
    const wasHeld = this.#held;
    this.#held = false;
    try {
      if (
        wasHeld &&
        ownerIn(readFileSync(this.#options.file, "utf8"), this.#options.clock.now()) ===
          this.#options.owner
      ) {
        rmSync(this.#options.file, { force: true });
      }
    } catch {
      // Nothing is lost: the file becomes stale in 15 s.
    }
  }

  /** Runs one action after those before it. */
  #step(action: () => Promise<void>): Promise<void> {
    const step = this.#last.then(async () => {
      if (this.#disposed) {
        return;
      }
      try {
        await action();
      } catch (error) {
        this.#setHeld(false);
        this.#options.onProblem(
          "The file that decides which window polls could not be used; trying again.",
          error,
        );
      }
    });
    this.#last = step;
    return step;
  }

  /** Runs one action and the next renewal 5 s later, or as soon as the action says. */
  async #stepAndGoOn(action: () => Promise<number>): Promise<void> {
    let next = RENEW;
    await this.#step(async () => {
      next = await action();
    });
    this.#cancelTimer?.();
    this.#cancelTimer =
      this.#disposed || !this.#isOn
        ? undefined
        : this.#options.clock.after(next, () => void this.#stepAndGoOn(() => this.#renew()));
  }

  async #renew(): Promise<number> {
    const holder = await this.#holder();
    if (holder === this.#options.owner) {
      return await this.#write();
    }
    this.#setHeld(false);
    if (holder === undefined) {
      // Several windows may find it free at once: after a moment the file names the one that has it.
      await this.#put();
      return SETTLE;
    }
    return RENEW;
  }

  async #write(): Promise<number> {
    await this.#put();
    this.#setHeld(true);
    return RENEW;
  }

  async #put(): Promise<void> {
    const { file, owner, clock } = this.#options;
    await mkdir(dirname(file), { recursive: true });
    if (!this.#disposed) {
      await replaceWhole(file, JSON.stringify({ owner, renewedAt: clock.now() }));
    }
  }

  async #holder(): Promise<string | undefined> {
    const text = await readIfThere(this.#options.file);
    return text === undefined ? undefined : ownerIn(text, this.#options.clock.now());
  }

  #setHeld(held: boolean): void {
    if (held !== this.#held && !this.#disposed) {
      this.#held = held;
      this.#changed.fire(held);
    }
  }
}

/** The owner that a lease's text names, unless it is stale, from the future (the clock was set back) or no lease at all. */
function ownerIn(text: string, now: number): string | undefined {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return undefined; // Not a lease: free to take, nothing else is kept in it.
  }
  if (typeof raw !== "object" || raw === null || !("owner" in raw) || !("renewedAt" in raw)) {
    return undefined;
  }
  const { owner, renewedAt } = raw;
  return typeof owner === "string" &&
    typeof renewedAt === "number" &&
    Math.abs(now - renewedAt) < STALE
    ? owner
    : undefined;
}
