import type { CallbackUrls, SecretCallbacks } from "../api/types.ts";
import type { Disposable } from "../base/events.ts";
import { withAuthentication } from "../executions/plain-callbacks.ts";
import { type Execution, type ExecutionSummary, hasEnded } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Database } from "../store/database.ts";
import { text } from "../store/row.ts";

const prefix = "crewdeck.callbacks.";

/** Where secrets lie: VS Code's SecretStorage, as far as it is needed here. */
export interface SecretStorage {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** What {@link CallbackSecrets} works with. */
export interface CallbackSecretsOptions {
  readonly storage: SecretStorage;
  /** Has a row for each execution with a secret: SecretStorage can't list its entries, and a crash must leave none behind. */
  readonly database: Database;
  readonly store: Pick<ExecutionStore, "list" | "refresh" | "onDidChange">;
  readonly onProblem: (message: string, error: unknown) => void;
}

/** The callbacks of an execution as a resume sends them again. */
export interface CompletedCallbacks {
  readonly callbacks: CallbackUrls & SecretCallbacks;
  /** Addresses of callbacks whose secret does not read back; among `callbacks` they are without authentication. */
  readonly lost: readonly string[];
}

/** The secrets of one execution as they are stored. */
interface Stored {
  readonly humanInput?: string;
  readonly stream?: string;
}

/**
 * The secrets of callbacks, one entry of SecretStorage for each execution, and nowhere else. They are there from before the
 * kickoff leaves, because every resume must send them again (specification), until no resume can come any more: the execution
 * has ended with no feedback under way, or is not tracked (any more).
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

  /** Keeps the secrets of a request, if it has any, for an execution that is on record. Rejects when they cannot be kept. */
  async keep(localId: string, { humanInputWebhook, webhooks }: SecretCallbacks): Promise<void> {
    const [humanInput, stream] = [
      secretOf(humanInputWebhook?.authentication),
      secretOf(webhooks?.authentication),
    ];
    const stored: Stored = {
      ...(humanInput === undefined ? {} : { humanInput }),
      ...(stream === undefined ? {} : { stream }),
    };
    if (Object.keys(stored).length === 0) return;
    // The row first: a secret that nothing leads to would stay for ever.
    this.#options.database.run("INSERT OR IGNORE INTO callback_secrets VALUES (?)", localId);
    await this.#options.storage.store(prefix + localId, JSON.stringify(stored));
  }

  /** The callbacks of an execution with their secrets. Reads no secret where there is none. */
  async complete({
    localId,
    request,
  }: Pick<Execution, "localId" | "request">): Promise<CompletedCallbacks> {
    const { humanInputWebhook, webhooks, ...urls } = request?.callbacks ?? {};
    const stored = hasCredentials(request?.callbacks) ? await this.#read(localId) : {};
    const humanInput =
      humanInputWebhook &&
      withAuthentication(
        humanInputWebhook,
        withSecret(humanInputWebhook.authentication, stored.humanInput),
      );
    const stream =
      webhooks && withAuthentication(webhooks, withSecret(webhooks.authentication, stored.stream));
    const lost = [
      ...(humanInputWebhook?.authentication && !humanInput?.authentication
        ? [humanInputWebhook.url]
        : []),
      ...(webhooks?.authentication && !stream?.authentication ? [webhooks.url] : []),
    ];
    return {
      callbacks: {
        ...urls,
        ...(humanInput && { humanInputWebhook: humanInput }),
        ...(stream && { webhooks: stream }),
      },
      lost,
    };
  }

  /** Deletes secrets that a crash left behind: of executions that have ended or are not tracked. */
  async sweep(): Promise<void> {
    const { store } = this.#options;
    const stored = this.#stored();
    // After these are read: an execution is recorded before its secrets are stored.
    store.refresh();
    const needed = new Set(
      store
        .list()
        .filter((execution) => !isDone(execution))
        .map(({ localId }) => localId),
    );
    for (const localId of stored) if (!needed.has(localId)) await this.#forget(localId);
  }

  /** Deletes the secrets of all executions. @returns why some could not be deleted; their rows stay, and this is tried again later */
  async forgetAll(): Promise<readonly unknown[]> {
    const problems: unknown[] = [];
    for (const localId of this.#stored())
      await this.#delete(localId).catch((error: unknown) => problems.push(error));
    return problems;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  /** Local ids of the executions that may have secrets. */
  #stored(): readonly string[] {
    return this.#options.database
      .all("SELECT local_id FROM callback_secrets")
      .map((row) => text(row, "local_id"));
  }

  /** What cannot be read, whatever the reason, is lost for now: the person is asked, and the error of the storage, which may quote it, is not reported. */
  async #read(localId: string): Promise<Stored> {
    try {
      const raw: unknown = JSON.parse((await this.#options.storage.get(prefix + localId)) ?? "{}");
      return isStored(raw) ? raw : {};
    } catch {
      this.#options.onProblem(
        "The secrets of a callback could not be read from the secret storage.",
        new Error("The entry cannot be read."),
      );
      return {};
    }
  }

  async #forget(localId: string): Promise<void> {
    await this.#delete(localId).catch((error: unknown) =>
      this.#options.onProblem(
        "The secrets of a callback could not be deleted; this is tried again later.",
        error,
      ),
    );
  }

  async #delete(localId: string): Promise<void> {
    await this.#options.storage.delete(prefix + localId);
    this.#options.database.run("DELETE FROM callback_secrets WHERE local_id = ?", localId);
  }
}

/** Whether no resume can come any more: feedback that is under way may still bring an id under which the execution goes on. */
function isDone(execution: ExecutionSummary): boolean {
  return hasEnded(execution) && execution.resumes.every(({ outcome }) => outcome !== "sending");
}

function hasCredentials(
  callbacks: NonNullable<ExecutionSummary["request"]>["callbacks"] | undefined,
): boolean {
  return (
    callbacks?.humanInputWebhook?.authentication !== undefined ||
    callbacks?.webhooks?.authentication !== undefined
  );
}

type Bearer = { readonly strategy: "bearer"; readonly token: string };
type Basic = { readonly strategy: "basic"; readonly username: string; readonly password: string };
type PlainBearer = Omit<Bearer, "token">;
type PlainBasic = Omit<Basic, "password">;

function secretOf(authentication: Bearer | Basic | undefined): string | undefined {
  return authentication?.strategy === "basic" ? authentication.password : authentication?.token;
}

function withSecret(plain: PlainBearer | undefined, secret: string | undefined): Bearer | undefined;
function withSecret(
  plain: PlainBearer | PlainBasic | undefined,
  secret: string | undefined,
): Bearer | Basic | undefined;
function withSecret(
  plain: PlainBearer | PlainBasic | undefined,
  secret: string | undefined,
): Bearer | Basic | undefined {
  if (plain === undefined || secret === undefined) return undefined;
  return plain.strategy === "basic"
    ? { strategy: "basic", username: plain.username, password: secret }
    : { strategy: "bearer", token: secret };
}

function isStored(raw: unknown): raw is Stored {
  if (typeof raw !== "object" || raw === null) return false;
  const { humanInput, stream }: { humanInput?: unknown; stream?: unknown } = raw;
  return [humanInput, stream].every((secret) => secret === undefined || typeof secret === "string");
}
