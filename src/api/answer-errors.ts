import * as l10n from "@vscode/l10n";
import { CrewApiError, type CrewApiErrorDetails, type CrewApiErrorKind } from "./errors.ts";
import { lookFirst } from "./look-first.ts";
import { oneLine, shortName } from "./one-line.ts";
import { readErrorBody, type LocalProblem } from "./read-error.ts";
import { refusedToken } from "./refused-token.ts";
import type { TokenType } from "./types.ts";

/** An answer that is no success, its texts already without the token. */
export interface RefusedAnswer {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status: number;
  readonly statusText: string;
  /** The body, or its beginning. */
  readonly text: string;
  /** Milliseconds, where the answer asks for a rest. */
  readonly retryAfterMs?: number | undefined;
  /** Names of the crew's inputs, where they are known. */
  readonly knownInputs?: readonly string[] | undefined;
  /** Whose token the request carried, where that is known. */
  readonly tokenType?: TokenType | undefined;
  /** Whether the local service answered, whose crews have no dashboard. */
  readonly isLocal?: boolean;
}

/** How much of a body an error keeps, in characters. */
const bodyLength = 2000;
/** Characters of the status line's words, and missing inputs that a message names. */
const reasonLength = 100;
const namedInputs = 10;

/** The beginning of a body, as an error keeps it for a person to look at. */
export function excerpt(text: string): string {
  return text.length > bodyLength ? `${text.slice(0, bodyLength)}…` : text;
}

/** Turns an answer other than 2xx and 3xx into an error, by the specification's codes and by what gateways add. */
export function errorOfAnswer(answer: RefusedAnswer): CrewApiError {
  const { status } = answer;
  const body = readErrorBody(answer.text, answer.knownInputs);
  const reason = oneLine(answer.statusText, reasonLength);
  const told = body.message ?? (reason === "" ? l10n.t("status {0}", status) : reason);
  const common = {
    status,
    body: excerpt(answer.text),
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
  };
  // The vendor's OpenAPI file has 400 for missing inputs as well as 422.
  if (status === 422 || (status === 400 && body.missingInputs.length > 0)) {
    return new CrewApiError({ ...common, ...validation(told, body.missingInputs) });
  }
  if (status === 500 && body.own !== undefined) {
    return new CrewApiError({ ...common, ...unreadableProject(answer, told, body.own) });
  }
  const { kind, intro, remedy, reason: unreachable, tokenType } = known(answer);
  const open =
    answer.method === "POST" && (kind === "server" || kind === "gateway" || kind === "timeout");
  return new CrewApiError({
    ...common,
    kind,
    message: sentence(l10n.t("{0} ({1}): {2}", intro, status, told)),
    remedy: open ? `${lookFirst()} ${remedy}` : remedy,
    sent: open ? "maybe" : "no",
    ...(unreachable === undefined ? {} : { reason: unreachable }),
    ...(tokenType === undefined ? {} : { tokenType }),
  });
}

/** A local crew's files can't be read (any more). A kickoff starts nothing then, where the service says so. */
function unreadableProject(
  { method, path }: RefusedAnswer,
  told: string,
  { place, isNotStarted }: LocalProblem,
): Pick<CrewApiErrorDetails, "kind" | "message" | "remedy" | "sent" | "place"> {
  const isOpen = method === "POST" && !(path === "/kickoff" && isNotStarted);
  const correct = l10n.t("Correct the crew's file and try again.");
  return {
    kind: "server",
    message: sentence(told),
    remedy: isOpen
      ? `${lookFirst()} ${correct}`
      : method === "POST"
        ? l10n.t("Nothing was started. Correct the crew's file and kick off again.")
        : correct,
    sent: isOpen ? "maybe" : "no",
    ...(place && { place }),
  };
}

function validation(
  told: string,
  missing: readonly string[],
): Pick<CrewApiErrorDetails, "kind" | "message" | "remedy" | "missingInputs"> {
  return {
    kind: "validation",
    message: sentence(
      missing.length > 0
        ? l10n.t("The crew needs more inputs: {0}", listed(missing))
        : l10n.t("The crew does not accept the values (422): {0}", told),
    ),
    remedy:
      missing.length > 0
        ? l10n.t("Fill them in and send again.")
        : l10n.t("Correct them and send again."),
    missingInputs: missing,
  };
}

function listed(names: readonly string[]): string {
  const list = names.slice(0, namedInputs).map(shortName).join(", ");
  return names.length <= namedInputs
    ? list
    : l10n.t("{0} and {1} more", list, names.length - namedInputs);
}

interface KnownStatus {
  readonly kind: CrewApiErrorKind;
  readonly intro: string;
  readonly remedy: string;
  readonly reason?: "proxy";
  readonly tokenType?: TokenType;
}

/** The specification's and HTTP's own codes. What is said is looked up each time: the words of a person's language are known only when all is loaded. */
const byStatus: Readonly<Record<number, () => KnownStatus>> = {
  404: () => ({
    kind: "notFound",
    intro: l10n.t("The crew does not know this"),
    remedy: l10n.t("Check the crew's address and the ID of the execution."),
  }),
  407: () => ({
    kind: "unreachable",
    intro: l10n.t("The proxy wants you to sign in"),
    remedy: l10n.t("Check VS Code's proxy settings (http.proxy)."),
    reason: "proxy",
  }),
  408: () => ({
    kind: "timeout",
    intro: l10n.t("The request took too long to arrive"),
    remedy: l10n.t("Check your connection and try again."),
  }),
  429: () => ({
    kind: "rateLimited",
    intro: l10n.t("The crew gets too many requests"),
    remedy: l10n.t("Wait a while and try again."),
  }),
};

const gateway = (): KnownStatus => ({
  kind: "gateway",
  intro: l10n.t("The crew could not be reached behind its gateway"),
  remedy: l10n.t("It may be starting or busy: try again in a minute."),
});

/** A resume names a task, too, by an id that a person may have typed (404 "Execution ID or Task ID not found", specification). */
const unknownTask = (): KnownStatus => ({
  kind: "notFound",
  intro: l10n.t("The crew does not know this"),
  remedy: l10n.t(
    "Check the task's ID; if it is right, check the ID of the execution and the crew's address.",
  ),
});

function known({ status, path, tokenType, isLocal = false }: RefusedAnswer): KnownStatus {
  if (status === 401 || status === 403) return refusedToken(status, tokenType, isLocal);
  if (status === 404 && path === "/resume") return unknownTask();
  const one = byStatus[status];
  if (one) return one();
  // 52x and 530 are a content network's own codes for the same.
  if (status === 502 || status === 503 || status === 504 || (status >= 520 && status <= 530))
    return gateway();
  if (status >= 500) {
    return {
      kind: "server",
      intro: l10n.t("The crew failed to answer"),
      remedy: isLocal
        ? l10n.t("Try again later; the local crew's log may say more.")
        : l10n.t("Try again later; the crew's log in the dashboard may say more."),
    };
  }
  return {
    kind: "badRequest",
    intro: l10n.t("The crew refused the request"),
    remedy: l10n.t("See what it says, correct it and try again."),
  };
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
