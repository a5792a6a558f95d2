import { secretsOf, withSecrets } from "../api/callbacks.ts";
import type { SecretCallbacks } from "../api/types.ts";
import type { Disposable } from "../base/events.ts";
import { defined, isObject, textAt } from "../base/json.ts";
import { type Execution, type ExecutionSummary, isDone } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import { text } from "../base/sqlite.ts";

const prefix = "crewdeck.callbacks.";

/** A subset of VS Code's SecretStorage. */
export interface SecretStorage {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

interface CallbackSecretsOptions {
  readonly storage: SecretStorage;
  /** Has a row for each execution with a secret: SecretStorage can't list its entries, and a crash must leave none behind. */
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "list" | "refresh" | "onDidChange">;
  readonly onProblem: (message: string, error: unknown) => void;
}

/**
 * The secrets of callbacks, one entry of SecretStorage for each execution, and nowhere else. They are stored before the kickoff is sent,
 * because every resume must send them again (specification), and deleted when no resume can come any more: the execution has ended with
 * no feedback being sent, or is not tracked.
 */
export class CallbackSecrets implements Disposable {
  readonly #options: CallbackSecretsOptions;
  readonly #subscription: Disposable;

  constructor(options: CallbackSecretsOptions) {
    this.#options = options;
    this.#subscription = options.store.onDidChange(({ changed, removed }) => {
      const done = [...changed.filter(isDone), ...removed].filter(({ request }) =>
        hasCredentials(request?.callbacks),
      );
      for (const { localId } of done) void this.#forget(localId);
    });
  }

  /** Stores the secrets of a request, if it has any, for an execution that is recorded. Rejects when they can't be stored. */
  async keep(localId: string, request: SecretCallbacks): Promise<void> {
    const secrets = secretsOf(request);
    if (Object.keys(secrets).length === 0) return;
    // The row first: a secret without one would never be deleted.
    this.#options.database.run("INSERT OR IGNORE INTO callback_secrets VALUES (?)", localId);
    await this.#options.storage.store(prefix + localId, JSON.stringify(secrets));
  }

  /** The callbacks to send again with a resume, and the addresses of those whose secret can't be read: they are without authentication. */
  async complete({ localId, request }: Pick<Execution, "localId" | "request">) {
    const { humanInputWebhook, webhooks, ...urls } = request?.callbacks ?? {};
    const plain = defined({ humanInputWebhook, webhooks });
    const complete = withSecrets(plain, hasCredentials(plain) ? await this.#read(localId) : {});
    const lost: readonly string[] = (["humanInputWebhook", "webhooks"] as const).flatMap((name) =>
      plain[name]?.authentication && !complete[name]?.authentication ? [plain[name].url] : [],
    );
    return { callbacks: { ...urls, ...complete }, lost };
  }

  /** Deletes secrets that a crash left behind: of executions that have ended or are not tracked. */
  async sweep(): Promise<void> {
    const { store } = this.#options;
    const stored = this.#stored();
    // After the rows are read: an execution is recorded before its secrets are stored.
    store.refresh();
    const open = store.list().filter((execution) => !isDone(execution));
    const needed = new Set(open.map(({ localId }) => localId));
    for (const localId of stored) if (!needed.has(localId)) await this.#forget(localId);
  }

  /** Deletes the secrets of all executions. @returns why some could not be deleted; their rows stay, so that `sweep` tries again */
  async forgetAll(): Promise<readonly unknown[]> {
    const problems: unknown[] = [];
    for (const localId of this.#stored())
      await this.#delete(localId).catch((error: unknown) => problems.push(error));
    return problems;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #stored(): readonly string[] {
    return this.#options.database
      .all("SELECT local_id FROM callback_secrets")
      .map((row) => text(row, "local_id"));
  }

  /** What can't be read is lost, for whatever reason: the person is asked. The storage's error may quote it, so it isn't reported. */
  async #read(localId: string): Promise<ReturnType<typeof secretsOf>> {
    try {
      const raw: unknown = JSON.parse((await this.#options.storage.get(prefix + localId)) ?? "{}");
      if (!isObject(raw)) return {};
      return defined({ humanInput: textAt(raw, "humanInput"), stream: textAt(raw, "stream") });
    } catch {
      this.#options.onProblem(
        "The secrets of a callback could not be read from the secret storage.",
        new Error("The entry cannot be read."),
      );
      return {};
    }
  }

  async #forget(localId: string): Promise<void> {
    try {
      await this.#delete(localId);
    } catch (error) {
      const message = "The secrets of a callback could not be deleted; this is tried again later.";
      this.#options.onProblem(message, error);
    }
  }

  async #delete(localId: string): Promise<void> {
    await this.#options.storage.delete(prefix + localId);
    this.#options.database.run("DELETE FROM callback_secrets WHERE local_id = ?", localId);
  }
}

/** Whether a callback needs a secret. */
export function hasCredentials(
  callbacks: NonNullable<ExecutionSummary["request"]>["callbacks"] | undefined,
): boolean {
  return (
    callbacks?.humanInputWebhook?.authentication !== undefined ||
    callbacks?.webhooks?.authentication !== undefined
  );
}
