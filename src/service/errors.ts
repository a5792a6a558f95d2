import { STATUS_CODES } from "node:http";
import { codeOf } from "../base/errors.ts";
import { UnusableFile } from "../base/files.ts";

/** The message with its cause, which for `fetch` says what happened. Where each address of a host failed, only the errors inside have one. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return cause === "" ? error.message : `${error.message}: ${cause}`;
}

/** Why a file can't be read, as a sentence with its path. */
export function unreadable(file: string, error: unknown): string {
  if (error instanceof UnusableFile) return error.message;
  if (codeOf(error) === "ENOENT") return `There is no file ${file}.`;
  return `${file} can't be read: ${messageOf(error)}.`;
}

/** Of the vendor's OpenAPI file, and of newer HTTP than Node's. */
const titles = new Map([
  [400, "Invalid Request"],
  [413, "Content Too Large"],
  [422, "Validation Error"],
]);

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** `error` of the documented dialect; by default, as the status says. */
  readonly title: string;
  readonly details: object;
  /** `detail` of the live dialect; a list is FastAPI's, for an invalid request (observed). */
  readonly detail: string | readonly { loc: readonly string[]; msg: string; type: string }[];
  readonly liveStatus: number;
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    more: {
      title?: string;
      details?: object;
      detail?: ApiError["detail"];
      liveStatus?: number;
      retryAfter?: number;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.title = more.title ?? titles.get(status) ?? STATUS_CODES[status] ?? "";
    this.details = more.details ?? {};
    this.detail = more.detail ?? message;
    this.liveStatus = more.liveStatus ?? status;
    this.retryAfter = more.retryAfter;
  }
}

export function unknownExecution(id: string): ApiError {
  return new ApiError(404, `No execution found with ID: ${id}`, { title: "Execution not found" });
}

/** 0 is a clean end, 1 an unexpected error. */
const exitCodes = {
  options: 2,
  node: 3,
  project: 4,
  data: 5,
  inUse: 6,
  port: 7,
  python: 8,
  database: 9,
} as const;

/** The service can't start. The message says what to do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: keyof typeof exitCodes;
  readonly url: string | undefined;

  constructor(reason: keyof typeof exitCodes, message: string, url?: string) {
    super(message);
    this.reason = reason;
    this.url = url;
  }
}

export function unusable(file: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(
    "data",
    `${file} can't be used: ${messageOf(error)}. Make it writable, restore it if it is damaged, or choose another folder with --data.`,
  );
}

/** @param forWindows the window that started this process reads the last line of its standard error, which is a file */
export function exitWith({ reason, message, url }: Refusal, forWindows: boolean): void {
  const refused = { refused: { pid: process.pid, reason, message, ...(url && { url }) } };
  process.stderr.write(`${forWindows ? JSON.stringify(refused) : message}\n`);
  process.exit(exitCodes[reason]);
}

/** Why this version of Node, such as `22.13.0`, can't run the service. */
export function nodeProblem(version: string, hasSqlite: boolean): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isRecent = major > 22 || (major === 22 && minor >= 13);
  if (isRecent && hasSqlite) return undefined;
  const found = isRecent ? `Node ${version} was built without it` : `this is Node ${version}`;
  return `Crewdeck needs Node 22.13 or newer with its module node:sqlite, and ${found}. Install a newer Node. VS Code, which includes one, can serve a local crew, too.`;
}
