import * as l10n from "@vscode/l10n";
import { type ErrorAction, UserError } from "../../base/errors.ts";
import { type SendError, sendTimeoutMs } from "../../spans/send.ts";
import { endpointAction, headersAction } from "./endpoint.ts";

/** What to do about spans that were not accepted. */
export function sendProblem(url: URL, error: SendError): UserError {
  const [message, action] = problemOf(url, error);
  return new UserError(message, [action]);
}

/** What to do if the receiver accepted the request, but not all of its spans. */
export function refusedProblem({ origin }: URL, refused: number, total: number): UserError {
  return new UserError(
    l10n.t("{0} refused {1} of {2} spans. Its log says why.", origin, refused, total),
  );
}

function problemOf(
  { origin, pathname }: URL,
  { status, code }: SendError,
): readonly [message: string, action: ErrorAction] {
  const settings = endpointAction();
  if (status === 401 || status === 403)
    return [
      l10n.t(
        "{0} did not accept the spans (HTTP {1}): the headers with the key are missing or wrong. Enter them again.",
        origin,
        status,
      ),
      headersAction(),
    ];
  if (status !== undefined && status >= 300 && status < 400)
    return [
      l10n.t(
        "{0} redirects to another address (HTTP {1}), and spans are sent only to the one in the setting. Enter the final address.",
        origin,
        status,
      ),
      settings,
    ];
  if (status === 404 || status === 405)
    return [
      l10n.t(
        "{0} accepts no spans at {1} (HTTP {2}). Enter the address of its OTLP receiver over HTTP, without /v1/traces.",
        origin,
        pathname,
        status,
      ),
      settings,
    ];
  if (status !== undefined)
    return [
      l10n.t("{0} did not accept the spans (HTTP {1}). Its log says why.", origin, status),
      settings,
    ];
  if (code === "ECONNREFUSED")
    return [
      l10n.t(
        "Nothing listens at {0}. Start the receiver there, or change the setting crewdeck.otlpEndpoint.",
        origin,
      ),
      settings,
    ];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return [
      l10n.t(
        "The host of {0} is not known. Check the setting crewdeck.otlpEndpoint and your connection.",
        origin,
      ),
      settings,
    ];
  return [
    /CERT|SIGNATURE|TLS|SSL/.test(code)
      ? l10n.t(
          "{0} has a certificate that this machine doesn't trust ({1}). Add its authority to your system, or change the setting crewdeck.otlpEndpoint.",
          origin,
          code,
        )
      : l10n.t(
          "{0} did not accept the spans in {1} seconds. Try again later, or look in its log.",
          origin,
          sendTimeoutMs / 1000,
        ),
    settings,
  ];
}
