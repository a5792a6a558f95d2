import { secretsOf, withSecrets } from "../api/callbacks.ts";
import type { PlainCallbacks, SecretCallbacks } from "../api/types.ts";
import type { Disposable, SecretStorage } from "../base/events.ts";
import type { ProblemLog } from "../base/errors.ts";
import { asObject, defined, textAt } from "../base/json.ts";
import { type Execution, isDone } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import { text } from "../base/sqlite.ts";

const prefix = "crewdeck.callbacks.";

interface CallbackSecretsOptions {
  readonly storage: SecretStorage;
  /** A row for each execution with a secret, because SecretStorage can't list its entries. */
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "list" | "refresh" | "onDidChange">;
  readonly log: ProblemLog;
}

/** Every resume must send them again (specification). Deleted when it ends or isn't tracked. */
export class CallbackSecrets implements Disposable {
  readonly #options: CallbackSecretsOptions;
  readonly #subscription: Disposable;

  constructor(options: CallbackSecretsOptions) {
    this.#options = options;
    this.#subscription = options.store.onDidChange(({ changed, removed }) => {
      const done = new Set([...changed.filter(isDone), ...removed].map(({ localId }) => localId));
      if (done.size === 0) return;
      for (const localId of this.#stored()) if (done.has(localId)) void this.#forget(localId);
    });
  }

  /** The execution must be recorded. Rejects if the secrets can't be stored. */
  async keep(localId: string, request: SecretCallbacks): Promise<void> {
    const secrets = secretsOf(request);
    if (Object.keys(secrets).length === 0) return;
    // The row first: a secret without one would never be deleted.
    this.#options.database.run("INSERT OR IGNORE INTO callback_secrets VALUES (?)", localId);
    await this.#options.storage.store(prefix + localId, JSON.stringify(secrets));
  }

  /** The callbacks to send again, and the addresses of those whose secret can't be read. */
  async complete({ localId, request }: Pick<Execution, "localId" | "request">) {
    const { humanInputWebhook, webhooks, ...urls } = request?.callbacks ?? {};
    const plain = defined({ humanInputWebhook, webhooks });
    const complete = withSecrets(plain, hasCredentials(plain) ? await this.#read(localId) : {});
    const lost: readonly string[] = (["humanInputWebhook", "webhooks"] as const).flatMap((name) =>
      plain[name]?.authentication && !complete[name]?.authentication ? [plain[name].url] : [],
    );
    return { callbacks: { ...urls, ...complete }, lost };
  }

  /** Deletes secrets that a crash left behind. */
  async sweep(): Promise<void> {
    const { store } = this.#options;
    const stored = this.#stored();
    // After reading the rows: an execution is recorded before its secrets are stored.
    store.refresh();
    const open = store.list().filter((execution) => !isDone(execution));
    const needed = new Set(open.map(({ localId }) => localId));
    for (const localId of stored) if (!needed.has(localId)) await this.#forget(localId);
  }

  /** @returns why some could not be deleted; `sweep` tries again */
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

  /** Unreadable secrets are lost: the person is asked. The storage's error may quote them. */
  async #read(localId: string): Promise<ReturnType<typeof secretsOf>> {
    try {
      const json = await this.#options.storage.get(prefix + localId);
      const stored = asObject(JSON.parse(json ?? "{}"));
      return defined({
        humanInput: textAt(stored, "humanInput"),
        stream: textAt(stored, "stream"),
      });
    } catch {
      this.#options.log.problem(
        "The secrets of a callback could not be read from the secret storage.",
        new Error("The entry cannot be read."),
      );
      return {};
    }
  }

  async #forget(localId: string): Promise<void> {
    const message = "The secrets of a callback could not be deleted; this is tried again later.";
    const report = (error: unknown) => this.#options.log.problem(message, error);
    await this.#delete(localId).catch(report);
  }

  async #delete(localId: string): Promise<void> {
    await this.#options.storage.delete(prefix + localId);
    this.#options.database.run("DELETE FROM callback_secrets WHERE local_id = ?", localId);
  }
}

export function hasCredentials({ humanInputWebhook, webhooks }: PlainCallbacks): boolean {
  return (humanInputWebhook?.authentication ?? webhooks?.authentication) !== undefined;
}
