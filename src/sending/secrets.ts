import { secretsOf, withSecrets } from "../api/callbacks.ts";
import type { PlainCallbacks, SecretCallbacks } from "../api/types.ts";
import type { SecretStorage } from "../base/events.ts";
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

export type CallbackSecrets = ReturnType<typeof callbackSecrets>;

/** Every resume must send them again (specification). Deleted when it ends or isn't tracked. */
export function callbackSecrets({ storage, database, store, log }: CallbackSecretsOptions) {
  const storedIds = (): readonly string[] =>
    database.all("SELECT local_id FROM callback_secrets").map((row) => text(row, "local_id"));
  const remove = async (localId: string): Promise<void> => {
    await storage.delete(prefix + localId);
    database.run("DELETE FROM callback_secrets WHERE local_id = ?", localId);
  };
  const forget = async (localId: string): Promise<void> => {
    const message = "The secrets of a callback could not be deleted; this is tried again later.";
    await remove(localId).catch((error: unknown) => log.problem(message, error));
  };
  /** Unreadable secrets are lost: the person is asked. The storage's error may quote them. */
  const read = async (localId: string): Promise<ReturnType<typeof secretsOf>> => {
    try {
      const json = await storage.get(prefix + localId);
      const stored = asObject(JSON.parse(json ?? "{}"));
      return defined({
        humanInput: textAt(stored, "humanInput"),
        stream: textAt(stored, "stream"),
      });
    } catch {
      log.problem(
        "The secrets of a callback could not be read from the secret storage.",
        new Error("The entry cannot be read."),
      );
      return {};
    }
  };
  const subscription = store.onDidChange(({ changed, removed }) => {
    const done = new Set([...changed.filter(isDone), ...removed].map(({ localId }) => localId));
    if (done.size === 0) return;
    for (const localId of storedIds()) if (done.has(localId)) void forget(localId);
  });
  return {
    /** The execution must be recorded. Rejects if the secrets can't be stored. */
    async keep(localId: string, request: SecretCallbacks): Promise<void> {
      const secrets = secretsOf(request);
      if (Object.keys(secrets).length === 0) return;
      // The row first: a secret without one would never be deleted.
      database.run("INSERT OR IGNORE INTO callback_secrets VALUES (?)", localId);
      await storage.store(prefix + localId, JSON.stringify(secrets));
    },
    /** The callbacks to send again, and the addresses of those whose secret can't be read. */
    async complete({ localId, request }: Pick<Execution, "localId" | "request">) {
      const { humanInputWebhook, webhooks, ...urls } = request?.callbacks ?? {};
      const plain = defined({ humanInputWebhook, webhooks });
      const complete = withSecrets(plain, hasCredentials(plain) ? await read(localId) : {});
      const lost: readonly string[] = (["humanInputWebhook", "webhooks"] as const).flatMap(
        (name) =>
          plain[name]?.authentication && !complete[name]?.authentication ? [plain[name].url] : [],
      );
      return { callbacks: { ...urls, ...complete }, lost };
    },
    /** Deletes secrets that a crash left behind. */
    async sweep(): Promise<void> {
      const stored = storedIds();
      // After reading the rows: an execution is recorded before its secrets are stored.
      store.refresh();
      const open = store.list().filter((execution) => !isDone(execution));
      const needed = new Set(open.map(({ localId }) => localId));
      for (const localId of stored) if (!needed.has(localId)) await forget(localId);
    },
    /** @returns why some could not be deleted; `sweep` tries again */
    async forgetAll(): Promise<readonly unknown[]> {
      const problems: unknown[] = [];
      for (const localId of storedIds())
        await remove(localId).catch((error: unknown) => problems.push(error));
      return problems;
    },
    dispose: () => subscription.dispose(),
  };
}

export function hasCredentials({ humanInputWebhook, webhooks }: PlainCallbacks): boolean {
  return (humanInputWebhook?.authentication ?? webhooks?.authentication) !== undefined;
}
