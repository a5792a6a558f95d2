import * as l10n from "@vscode/l10n";
import { CrewApiError, type CrewApiErrorDetails, type UnreachableReason } from "./errors.ts";
import { asArray, asObject, textAt } from "./json.ts";
import { lookFirst } from "./look-first.ts";

const dnsCodes = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"];
const resetCodes = [
  "ECONNRESET",
  "EPIPE",
  "ECONNABORTED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "UND_ERR_SOCKET",
];
const certificateCodes =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/;
/** OpenSSL speaks and hears something that is not TLS or none of its versions. */
const tlsCodes = /^(?:EPROTO|ERR_SSL_)/;
/** What TLS says while a connection is being agreed on. It may fail later, too, with the request sent; so anything else leaves that open. */
const handshakeWords =
  /wrong.version|unsupported.protocol|handshake|no.protocols|unrecognized.name|packet.length|no.shared.cipher|no.ciphers|http.request|protocol.version|version.too.low|unexpected.message/i;
/** Node's HTTP parser and its decompression. */
const garbageCodes = /^(?:HPE_|Z_|ERR__ERROR_FORMAT_|ERR_BROTLI)/;

interface Verdict {
  readonly reason: UnreachableReason;
  readonly message: string;
  readonly remedy: string;
  /** Whether the request certainly never left. */
  readonly unsent: boolean;
}

/**
 * Turns a failure below HTTP into an error that names its cause.
 * @param description the failure's own words, without the token
 */
export function errorOfFailure(
  failure: unknown,
  description: string,
  url: URL,
  method: "GET" | "POST",
): CrewApiError {
  const code = codeOf(failure);
  if (garbageCodes.test(code)) {
    return new CrewApiError({
      kind: "badAnswer",
      message: l10n.t(
        "What answers at {0} does not speak HTTP as it should ({1}).",
        url.host,
        code,
      ),
      remedy: l10n.t("Check the crew's address and port."),
      sent: openAfter(method, false),
    });
  }
  const { reason, message, remedy, unsent } = verdict(code, description, url);
  const sent = openAfter(method, unsent);
  const warning = sent === "maybe" ? `${lookFirst()} ` : "";
  return new CrewApiError({ kind: "unreachable", reason, message, remedy: warning + remedy, sent });
}

function openAfter(
  method: "GET" | "POST",
  unsent: boolean,
): NonNullable<CrewApiErrorDetails["sent"]> {
  return method === "POST" && !unsent ? "maybe" : "no";
}

function verdict(code: string, description: string, url: URL): Verdict {
  const host = url.hostname;
  if (isProxy(code, description, url)) {
    return {
      reason: "proxy",
      message: l10n.t("The proxy on the way to {0} could not be used{1}.", host, inBrackets(code)),
      remedy: l10n.t("Check VS Code's proxy settings (http.proxy, http.noProxy)."),
      unsent: true,
    };
  }
  if (dnsCodes.includes(code)) {
    return {
      reason: "dns",
      message:
        code === "EAI_AGAIN"
          ? l10n.t("The name {0} can't be looked up just now ({1}).", host, code)
          : l10n.t("The name {0} can't be looked up ({1}).", host, code),
      remedy: l10n.t("Check the crew's address for typing mistakes, and your connection or VPN."),
      unsent: true,
    };
  }
  if (code === "ECONNREFUSED") {
    return {
      reason: "refused",
      message: l10n.t("Nothing accepts connections at {0} ({1}).", url.host, code),
      remedy: l10n.t("Check that the crew runs and that the port is right."),
      unsent: true,
    };
  }
  if (certificateCodes.test(code)) return certificate(code, host);
  if (tlsCodes.test(code)) {
    return {
      reason: "certificate",
      message: l10n.t("No secure connection to {0} could be agreed on ({1}).", url.host, code),
      remedy: l10n.t(
        "Check that the port is the one for https:, and whether a proxy stands in between.",
      ),
      unsent: handshakeWords.test(`${code} ${description}`),
    };
  }
  if (resetCodes.includes(code)) {
    return {
      reason: "reset",
      message: l10n.t("The connection to {0} was cut off ({1}).", url.host, code),
      remedy: l10n.t("Try again; if it stays so, look at the crew's log and your VPN or proxy."),
      // Seen: a handshake that is cut off has this wording and the code of a reset.
      unsent: description.includes("before secure TLS connection"),
    };
  }
  return {
    reason: "other",
    message: l10n.t(
      "{0} can't be reached{1}.",
      url.host,
      inBrackets(code === "" ? description : code),
    ),
    remedy: l10n.t("Check your connection, VPN and proxy."),
    unsent: /\bconnect E[A-Z]+\b/.test(description),
  };
}

function certificate(code: string, host: string): Verdict {
  const message =
    code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID"
      ? l10n.t("The certificate of {0} is not valid at this time ({1}).", host, code)
      : code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH"
        ? l10n.t("The certificate of {0} belongs to another name ({1}).", host, code)
        : l10n.t(
            "The certificate of {0} is not signed by an authority that this computer trusts ({1}).",
            host,
            code,
          );
  return {
    reason: "certificate",
    message,
    remedy: l10n.t(
      "Check the address and this computer's clock. If your company signs certificates itself, install its authority on this computer; VS Code reads it from there (http.systemCertificates).",
    ),
    unsent: true,
  };
}

/** A connection that fails at another port than the crew's failed at a proxy; so did what a proxy's library says of itself. */
function isProxy(code: string, description: string, url: URL): boolean {
  if (/\bproxy\b|tunnel/i.test(description.replaceAll(url.host, ""))) return true;
  const port = /\bconnect E[A-Z]+ \S*:(\d+)/.exec(description)?.[1];
  const own = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return code.startsWith("E") && port !== undefined && port !== own;
}

/** The first code in a failure, the failures it was caused by, and those it sums up (one for each address tried). */
function codeOf(failure: unknown): string {
  if (typeof failure !== "object" || failure === null) return "";
  const object = asObject(failure);
  const own = textAt(object, "code");
  if (own !== undefined) return own;
  const inner = [object["cause"], ...asArray(object["errors"])].map(codeOf);
  return inner.find((code) => code !== "") ?? "";
}

function inBrackets(text: string): string {
  return text === "" ? "" : ` (${text})`;
}
