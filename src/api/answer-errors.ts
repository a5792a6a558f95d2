import * as l10n from "@vscode/l10n";
import { defined } from "../base/json.ts";
import { oneLine, shortName } from "../base/text.ts";
import { CrewApiError, outcome, type CrewApiErrorDetails } from "./errors.ts";
import { readErrorBody, type LocalProblem } from "./read-error.ts";
import type { Outgoing } from "./transport.ts";
import type { TokenType } from "./types.ts";

/** Without the token. */
interface RefusedAnswer extends Pick<Outgoing<unknown>, "method" | "path">, Recipient {
  readonly status: number;
  readonly statusText: string;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
  readonly tokenType?: TokenType | undefined;
}

/** Whom a request is for. */
export interface Recipient {
  /** A crew on this machine, which the extension started. */
  readonly isLocal?: boolean;
  /** Not the crew: its flow waits for an answer there. The address's path is a secret. */
  readonly isOutside?: boolean;
}

const [bodyLength, reasonLength] = [2000, 100];
/** How many missing inputs a message names. */
const namedInputs = 10;

export function excerpt(text: string): string {
  return text.length > bodyLength ? `${text.slice(0, bodyLength)}…` : text;
}

/** By the specification's codes and those of gateways. */
export function errorOfAnswer(answer: RefusedAnswer): CrewApiError {
  const { status, method } = answer;
  const body = readErrorBody(answer.text);
  const reason = oneLine(answer.statusText, reasonLength);
  const said = body.message ?? (reason === "" ? l10n.t("status {0}", status) : reason);
  const { retryAfterMs } = answer;
  const common = { status, body: excerpt(answer.text), ...defined({ retryAfterMs }) };
  // The vendor's OpenAPI file also has 400 for missing inputs.
  if (!answer.isOutside && (status === 422 || (status === 400 && body.missingInputs.length > 0)))
    return new CrewApiError({ ...common, ...validation(said, body.missingInputs) });
  if (status === 500 && body.own !== undefined)
    return new CrewApiError({ ...common, ...unreadableProject(answer, said, body.own) });
  if (status === 503 && body.own?.isNotStarted === true)
    return new CrewApiError({ ...common, ...unknownInputs(answer, said, body.own) });
  const { kind, intro, remedy, ...details } = known(answer, said);
  const isOpen = method === "POST" && ["server", "gateway", "timeout"].includes(kind);
  return new CrewApiError({
    ...common,
    kind,
    message: sentence(l10n.t("{0} ({1}): {2}", intro, status, said)),
    ...outcome(isOpen, retryAfterMs === undefined ? remedy : waiting(retryAfterMs)),
    ...(body.own?.canKeepChanged === true && { canKeepChanged: true }),
    ...details,
  });
}

/** The service says whether a kickoff started nothing. */
function unreadableProject(
  { method, path }: RefusedAnswer,
  said: string,
  { place, isNotStarted }: LocalProblem,
): CrewApiErrorDetails {
  const isUnstarted = method === "POST" && path === "/kickoff" && isNotStarted;
  const remedy = isUnstarted
    ? l10n.t("Nothing was started. Fix the crew's file and kick off again.")
    : l10n.t("Fix the crew's file and try again.");
  const result = outcome(method === "POST" && !isUnstarted, remedy);
  return { kind: "server", message: sentence(said), ...result, ...defined({ place }) };
}

/** Of a crew whose files don't say its inputs. Nothing was started. */
function unknownInputs(
  { isLocal = false, retryAfterMs }: RefusedAnswer,
  said: string,
  problem: LocalProblem,
): CrewApiErrorDetails {
  // Another machine's code is nothing that a person here can allow.
  const asksPython = isLocal && problem.asksPython;
  const later =
    retryAfterMs === undefined ? l10n.t("Try again in a moment.") : waiting(retryAfterMs);
  const remedy = asksPython
    ? l10n.t("Try again in the crew's kickoff form, which asks you first.")
    : later;
  return { kind: "gateway", message: sentence(said), remedy, ...(asksPython && { asksPython }) };
}

function validation(said: string, missingInputs: readonly string[]): CrewApiErrorDetails {
  const kind = "validation";
  if (missingInputs.length === 0)
    return {
      kind,
      message: sentence(l10n.t("The crew does not accept the values (422): {0}", said)),
      remedy: l10n.t("Fix them and send again."),
    };
  const more = missingInputs.length - namedInputs;
  const list = missingInputs.slice(0, namedInputs).map(shortName).join(", ");
  const names = more > 0 ? l10n.t("{0} and {1} more", list, more) : list;
  return {
    kind,
    message: sentence(l10n.t("The crew needs more inputs: {0}", names)),
    remedy: l10n.t("Fill them in and send again."),
    missingInputs,
  };
}

type KnownStatus = Pick<CrewApiErrorDetails, "kind" | "remedy" | "reason" | "tokenType"> & {
  readonly intro: string;
};

function waiting(retryAfterMs: number): string {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return seconds < 120
    ? l10n.t("The crew asks to wait {0} seconds before the next try.", seconds)
    : l10n.t("The crew asks to wait {0} minutes before the next try.", Math.ceil(seconds / 60));
}

function known(
  { status, path, tokenType, isLocal = false, isOutside = false }: RefusedAnswer,
  said: string,
): KnownStatus {
  if (isOutside)
    // A 408, and what a server or a gateway fails at, may have been processed.
    return {
      kind: status === 408 || status >= 500 ? "server" : status === 404 ? "notFound" : "badRequest",
      intro: l10n.t("The flow did not take the answer"),
      remedy: l10n.t("The request may be answered or over: look at the dashboard."),
    };
  // Node's answer to a client that doesn't speak HTTP/2: the token was never looked at.
  if (status === 403 && /\bALPN\b/.test(said))
    return {
      kind: "badRequest",
      intro: l10n.t("The server accepts only HTTP/2"),
      remedy: l10n.t("Let the server, or a proxy before it, accept HTTP/1.1 as well."),
    };
  switch (status) {
    case 401:
    case 403: // Not in the specification.
      return {
        ...(status === 401 ? notAccepted(tokenType) : notAllowed(tokenType)),
        ...(isLocal && {
          remedy: l10n.t(
            "The extension created the local crew's tokens. Stop the crew and start it again.",
          ),
        }),
        ...defined({ tokenType }),
      };
    case 404:
      return {
        kind: "notFound",
        intro: l10n.t("The crew does not know this"),
        remedy:
          // The specification has "Execution ID or Task ID not found".
          path === "/resume"
            ? l10n.t(
                "Check the task's ID; if it is right, check the ID of the execution and the crew's address.",
              )
            : path === "/inputs" || path === "/kickoff"
              ? l10n.t("Check the crew's address.")
              : l10n.t("Check the crew's address and the ID of the execution."),
      };
    case 407:
      return {
        kind: "unreachable",
        intro: l10n.t("The proxy requires you to sign in"),
        remedy: l10n.t("Check VS Code's proxy settings (http.proxy)."),
        reason: "proxy",
      };
    case 408:
      return {
        kind: "timeout",
        intro: l10n.t("The request took too long to reach the crew"),
        remedy: l10n.t("Check your connection and try again."),
      };
    case 429:
      return {
        kind: "rateLimited",
        intro: l10n.t("The crew received too many requests"),
        remedy: l10n.t("Wait a while and try again."),
      };
  }
  // 52x and 530 are codes of a content delivery network.
  if ([502, 503, 504].includes(status) || (status >= 520 && status <= 530))
    return {
      kind: "gateway",
      intro: l10n.t("The crew could not be reached behind its gateway"),
      remedy: l10n.t("It may be starting or busy: try again in a minute."),
    };
  if (status >= 500)
    return {
      kind: "server",
      intro: l10n.t("The crew failed to answer"),
      remedy: isLocal
        ? l10n.t("Try again later. The local crew's log may have more details.")
        : l10n.t("Try again later. The crew's log in the dashboard may have more details."),
    };
  return {
    kind: "badRequest",
    intro: l10n.t("The crew refused the request"),
    remedy: l10n.t("Read the crew's message, fix the request and try again."),
  };
}

function notAccepted(tokenType: TokenType | undefined): KnownStatus {
  const token = tokenNames(tokenType);
  return {
    kind: "unauthorized",
    intro: l10n.t("The crew does not accept {0}", token.inSentence),
    remedy: l10n.t(
      "Set {0} again: it is the {1} in the Status tab of the crew's page in the dashboard, or comes from whoever runs its server.",
      token.inSentence,
      token.onPage,
    ),
  };
}

function notAllowed(tokenType: TokenType | undefined): KnownStatus {
  return {
    kind: "forbidden",
    intro: tokenNames(tokenType).mayNot,
    remedy:
      tokenType === "bearer"
        ? l10n.t(
            "It already has all rights, so check the crew's page in the dashboard, or ask whoever maintains the crew.",
          )
        : l10n.t(
            "It may lack the right: use the organisation's token, which is the Bearer Token in the Status tab of the crew's page in the dashboard.",
          ),
  };
}

/** `onPage`: its name on the crew's page in the dashboard. */
function tokenNames(type: TokenType | undefined) {
  switch (type) {
    case "bearer":
      return {
        inSentence: l10n.t("the organisation's token"),
        onPage: "Bearer Token",
        mayNot: l10n.t("The organisation's token may not do this"),
      };
    case "userBearer":
      return {
        inSentence: l10n.t("the user's token"),
        onPage: "User Bearer Token",
        mayNot: l10n.t("The user's token may not do this"),
      };
    case undefined:
      return {
        inSentence: l10n.t("the token"),
        onPage: "Bearer Token",
        mayNot: l10n.t("The token may not do this"),
      };
  }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
