import assert from "node:assert/strict";
import { waitFor } from "./wait.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

/** A plain client of the API, so that tests see responses unchanged. It never repeats a request. */
export class CrewApi {
  readonly url: string;
  readonly #token: string;
  readonly #fetch: Fetch;

  /** @param fetch by which an app in this process is asked */
  constructor({ url, token }: { url: string; token: string }, fetch: Fetch = globalThis.fetch) {
    this.url = url;
    this.#token = token;
    this.#fetch = fetch;
  }

  async get(path: string): Promise<ApiAnswer> {
    return this.send("GET", path);
  }

  async post(path: string, body: unknown): Promise<ApiAnswer> {
    return this.send("POST", path, JSON.stringify(body));
  }

  async send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const response = await this.#fetch(this.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return readAnswer(response);
  }

  async kickoff(request: object): Promise<string> {
    const answer = await this.post("/kickoff", request);
    if (answer.status !== 200)
      throw new Error(`The kickoff was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return (answer.body as { kickoff_id: string }).kickoff_id;
  }

  async resume(
    id: string,
    task_id: string,
    is_approve: boolean,
    human_feedback = "",
    more: object = {},
  ): Promise<ApiAnswer> {
    const decision = { execution_id: id, task_id, human_feedback, is_approve };
    return this.post("/resume", { ...decision, ...more });
  }

  async status(id: string): Promise<DocumentedStatus> {
    return (await this.get(`/${id}/status`)).body as DocumentedStatus;
  }

  /** Resolves to what waits for feedback, with an attempt if it matters. */
  async untilWaiting(id: string, attempt?: number): Promise<WaitingStatus> {
    return (await this.#until(`attempt ${attempt ?? ""} to wait`, id, (status) => {
      assert.ok(!hasEnded(status), JSON.stringify(status));
      const { pending_human_input: waiting } = status;
      return waiting !== undefined && waiting.attempt === (attempt ?? waiting.attempt);
    })) as WaitingStatus;
  }

  async untilEnded(id: string): Promise<DocumentedStatus> {
    return await this.#until("the end", id, hasEnded);
  }

  async #until(
    what: string,
    id: string,
    is: (status: DocumentedStatus) => boolean,
  ): Promise<DocumentedStatus> {
    const ask = async () => {
      const status = await this.status(id);
      return is(status) && status;
    };
    return await waitFor(what, ask, 120_000);
  }
}

function hasEnded({ status }: DocumentedStatus): boolean {
  return /^(completed|error|stopped)$/.test(status);
}

export async function readAnswer(response: Response): Promise<ApiAnswer> {
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as unknown) : text,
  };
}

/** A status response in the documented dialect, with the fields that tests read. */
export interface DocumentedStatus {
  readonly status: "running" | "completed" | "error";
  readonly execution_time?: number;
  readonly current_task?: string;
  readonly progress?: { readonly completed_tasks: number; readonly total_tasks: number };
  readonly pending_human_input?: {
    readonly task_id: string;
    readonly task_output: string;
    readonly attempt: number;
    /** Of a flow's method, as is the next. */
    readonly message?: string;
    readonly emit_options?: readonly string[] | null;
    readonly default_outcome?: string;
  };
  readonly tasks?: readonly DocumentedTask[];
  readonly result?: { readonly output: string; readonly tasks: readonly DocumentedTask[] };
  readonly error?: string;
  readonly undelivered_callbacks?: readonly UndeliveredCallback[];
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly usage_metrics: { readonly total_tokens: number } | null;
}

type WaitingStatus = DocumentedStatus & Required<Pick<DocumentedStatus, "pending_human_input">>;

interface UndeliveredCallback {
  readonly callback: string;
  readonly count: number;
  readonly attempts: number;
  readonly error?: string;
  readonly next_attempt_at?: string;
  readonly given_up?: true;
}

interface DocumentedTask {
  readonly task_id: string;
  readonly output: string;
  readonly agent: string;
}
