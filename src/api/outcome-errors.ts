import * as l10n from "@vscode/l10n";
import { CrewApiError } from "./errors.ts";
import { lookFirst } from "./look-first.ts";

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly timeoutMs: number;
}

/**
 * The error of a request that ended without an answer.
 * @param begun whether anything was sent
 */
export function openEnded(kind: "timeout" | "aborted", asked: Asked, begun: boolean): CrewApiError {
  const open = asked.method === "POST" && begun;
  return new CrewApiError({
    kind,
    message:
      kind === "timeout"
        ? l10n.t("The crew did not answer within {0}.", seconds(asked.timeoutMs))
        : l10n.t("The request was cancelled."),
    remedy: open
      ? lookFirst()
      : kind === "timeout"
        ? l10n.t("Check your connection and try again.")
        : "",
    sent: open ? "maybe" : "no",
  });
}

/** What is known of an answer that can't be used. */
interface Unusable {
  readonly status: number;
  readonly body?: string;
  /** Whether it was JSON at all. */
  readonly json?: boolean;
  readonly maxBytes?: number;
  /** Whether the local service was asked, whose crews have no dashboard. */
  readonly isLocal?: boolean;
  /** Where a redirect leads, without the token. */
  readonly location?: string | undefined;
  /** The address that was asked. */
  readonly url?: string;
}

/** The error of an answer that came and can't be used. */
export function unreadable(
  kind: "badAnswer" | "tooLarge" | "redirected",
  asked: Asked,
  answer: Unusable,
): CrewApiError {
  const { message, remedy } = words(kind, asked, answer);
  // Of the redirects only "303 See Other" says that the request was carried out (RFC 9110).
  const open = asked.method === "POST" && (kind !== "redirected" || answer.status === 303);
  return new CrewApiError({
    kind,
    message,
    remedy: open ? `${lookFirst()} ${remedy}` : remedy,
    status: answer.status,
    sent: open ? "maybe" : "no",
    ...(answer.body === undefined ? {} : { body: answer.body }),
  });
}

function words(
  kind: "badAnswer" | "tooLarge" | "redirected",
  asked: Asked,
  answer: Unusable,
): { message: string; remedy: string } {
  if (kind === "redirected") {
    return {
      message: redirected(answer.status, target(answer)),
      remedy: l10n.t("If you trust the place it leads to, make that the crew's address."),
    };
  }
  if (kind === "tooLarge") {
    return {
      message: l10n.t(
        "The answer is larger than {0} MB and was not read to its end.",
        Math.round((answer.maxBytes ?? 0) / 1024 / 1024),
      ),
      remedy:
        answer.isLocal === true
          ? l10n.t("The local crew's log may say more.")
          : l10n.t("Look at the execution in the dashboard."),
    };
  }
  return {
    message:
      answer.json === true
        ? l10n.t("The answer of {0} is not what the API of a crew answers.", asked.path)
        : l10n.t("The answer of {0} is not JSON.", asked.path),
    remedy:
      answer.isLocal === true
        ? l10n.t("Stop the local crew and start it again.")
        : l10n.t("Check that the address is the one on the crew's page in the dashboard."),
  };
}

function redirected(status: number, to: string): string {
  return to === ""
    ? l10n.t(
        "The address answers with a redirect ({0}). It was not followed, because the request carries the token.",
        status,
      )
    : l10n.t(
        "The address answers with a redirect ({0}) to {1}. It was not followed, because the request carries the token.",
        status,
        to,
      );
}

/** Scheme, host and path of a redirect's target, never its query: that may hold secrets. */
function target({ location, url }: Unusable): string {
  if (location === undefined || !URL.canParse(location, url)) return "";
  const { origin, pathname } = new URL(location, url);
  return origin === "null" ? "" : `${origin}${pathname}`;
}

function seconds(milliseconds: number): string {
  return milliseconds === 1000
    ? l10n.t("1 second")
    : l10n.t("{0} seconds", Math.round(milliseconds / 100) / 10);
}
