import { CrewApiError } from "./errors.ts";

interface Asked {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly timeoutMs: number;
}

const lookFirst = "It may have arrived all the same: look before you send it again.";

/**
 * The error of a request that ended without an answer.
 * @param begun whether anything was sent
 */
export function openEnded(kind: "timeout" | "aborted", asked: Asked, begun: boolean): CrewApiError {
  const open = asked.method === "POST" && begun;
  return new CrewApiError({
    kind,
    message: kind === "timeout" ? `The crew did not answer within ${seconds(asked.timeoutMs)}.` : "The request was cancelled.",
    remedy: open ? lookFirst : kind === "timeout" ? "Check your connection and try again." : "",
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
  /** Where a redirect leads, without the token. */
  readonly location?: string | undefined;
  /** The address that was asked. */
  readonly url?: string;
}

/** The error of an answer that came and can't be used. */
export function unreadable(kind: "badAnswer" | "tooLarge" | "redirected", asked: Asked, answer: Unusable): CrewApiError {
  const { message, remedy } = words(kind, asked, answer);
  // Of the redirects only "303 See Other" says that the request was carried out (RFC 9110).
  const open = asked.method === "POST" && (kind !== "redirected" || answer.status === 303);
  return new CrewApiError({
    kind,
    message,
    remedy: open ? `${lookFirst} ${remedy}` : remedy,
    status: answer.status,
    sent: open ? "maybe" : "no",
    ...(answer.body === undefined ? {} : { body: answer.body }),
  });
}

function words(kind: "badAnswer" | "tooLarge" | "redirected", asked: Asked, answer: Unusable): { message: string; remedy: string } {
  if (kind === "redirected") {
    return {
      message: `The address answers with a redirect (${answer.status})${target(answer)}. It was not followed, because the request carries the token.`,
      remedy: "If you trust the place it leads to, make that the crew's address.",
    };
  }
  if (kind === "tooLarge") {
    return {
      message: `The answer is larger than ${Math.round((answer.maxBytes ?? 0) / 1024 / 1024)} MB and was not read to its end.`,
      remedy: "Look at the execution in the dashboard.",
    };
  }
  const what = answer.json === true ? "is not what the API of a crew answers" : "is not JSON";
  return {
    message: `The answer of ${asked.path} ${what}.`,
    remedy: "Check that the address is the one on the crew's page in the dashboard.",
  };
}

/** Scheme, host and path of a redirect's target, never its query: that may hold secrets. */
function target({ location, url }: Unusable): string {
  if (location === undefined || !URL.canParse(location, url)) return "";
  const { origin, pathname } = new URL(location, url);
  return origin === "null" ? "" : ` to ${origin}${pathname}`;
}

function seconds(milliseconds: number): string {
  return milliseconds === 1000 ? "1 second" : `${Math.round(milliseconds / 100) / 10} seconds`;
}
