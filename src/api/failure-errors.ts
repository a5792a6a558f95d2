import * as l10n from "@vscode/l10n";
import { asArray, isObject, textAt } from "../base/json.ts";
import { excerpt, type Recipient } from "./answer-errors.ts";
import { readErrorBody } from "./read-error.ts";
import type { Outgoing } from "./transport.ts";
import {
  CrewApiError,
  type CrewApiErrorDetails,
  outcome,
  type UnreachableReason,
} from "./errors.ts";

const dnsCodes = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"];
const resetCodes = /^(?:ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/;
const certificateCodes =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/;
/** OpenSSL received something that isn't TLS, or an unsupported version. */
const tlsCodes = /^(?:EPROTO|ERR_SSL_)/;
/** TLS errors before the request is sent. Others leave `sent` open. */
const handshakeWords =
  /wrong.version|unsupported.protocol|handshake|no.protocols|unrecognized.name|packet.length|no.shared.cipher|no.ciphers|http.request|protocol.version|version.too.low|unexpected.message/i;
/** Node's HTTP parser and decompression. */
const garbageCodes = /^(?:HPE_|Z_|ERR__ERROR_FORMAT_|ERR_BROTLI)/;

interface Verdict extends Pick<CrewApiErrorDetails, "message" | "remedy"> {
  readonly reason: UnreachableReason;
  /** Certainly never sent. */
  readonly unsent: boolean;
}

/**
 * @param description the failure's own text, without the token
 * @param isAnswered whether it came after the answer's status: the request was certainly sent
 */
export function errorOfFailure(
  failure: unknown,
  description: string,
  url: URL,
  { method, isAnswered }: Pick<Request, "method"> & { readonly isAnswered: boolean },
): CrewApiError {
  const code = codeOf(failure);
  const isPost = method === "POST";
  if (garbageCodes.test(code))
    return new CrewApiError({
      kind: "badAnswer",
      message: l10n.t("The server at {0} does not answer with valid HTTP ({1}).", url.host, code),
      ...outcome(isPost, l10n.t("Check the crew's address and port.")),
    });
  const { unsent, ...details } = verdict(code, description, url);
  const result = outcome(isPost && (isAnswered || !unsent), details.remedy);
  return new CrewApiError({ kind: "unreachable", ...details, ...result });
}

function verdict(code: string, description: string, url: URL): Verdict {
  const { host, hostname } = url;
  if (isProxy(code, description, url))
    return {
      reason: "proxy",
      message: l10n.t("The proxy for {0} could not be used{1}.", hostname, inBrackets(code)),
      remedy: l10n.t("Check VS Code's proxy settings (http.proxy, http.noProxy)."),
      unsent: true,
    };
  if (dnsCodes.includes(code))
    return {
      reason: "dns",
      message:
        code === "EAI_AGAIN"
          ? l10n.t("The name {0} can't be looked up right now ({1}).", hostname, code)
          : l10n.t("The name {0} can't be looked up ({1}).", hostname, code),
      remedy: l10n.t("Check the crew's address for typing mistakes, and your connection or VPN."),
      unsent: true,
    };
  if (code === "ECONNREFUSED")
    return {
      reason: "refused",
      message: l10n.t("Nothing accepts connections at {0} ({1}).", host, code),
      remedy: l10n.t("Check that the crew is running and that the port is right."),
      unsent: true,
    };
  if (certificateCodes.test(code))
    return {
      reason: "certificate",
      message: certificateProblem(code, hostname),
      remedy: l10n.t(
        "Check the address and this computer's clock. If your company uses its own certificate authority, install its certificate on this computer; VS Code uses the system's certificates (http.systemCertificates).",
      ),
      unsent: true,
    };
  if (tlsCodes.test(code))
    return {
      reason: "certificate",
      message: l10n.t("A secure connection to {0} could not be established ({1}).", host, code),
      remedy: l10n.t("Check that the port is the one for https:, and whether you need a proxy."),
      unsent: handshakeWords.test(`${code} ${description}`),
    };
  if (resetCodes.test(code))
    return {
      reason: "reset",
      message: l10n.t("The connection to {0} was cut off ({1}).", host, code),
      remedy: l10n.t("Try again. If it happens again, check the crew's log and your VPN or proxy."),
      // Observed: an aborted TLS handshake has this text and the code of a reset.
      unsent: description.includes("before secure TLS connection"),
    };
  return {
    reason: "other",
    message: l10n.t("{0} can't be reached{1}.", host, inBrackets(code || description)),
    remedy: l10n.t("Check your connection, VPN and proxy."),
    unsent: /\bconnect E[A-Z]+\b/.test(description),
  };
}

function certificateProblem(code: string, host: string): string {
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return l10n.t("The certificate of {0} is not valid at this time ({1}).", host, code);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH")
    return l10n.t("The certificate of {0} is for another name ({1}).", host, code);
  return l10n.t(
    "The certificate of {0} is not signed by an authority that this computer trusts ({1}).",
    host,
    code,
  );
}

/** A failed connection to a port that isn't the crew's is to a proxy. */
function isProxy(code: string, description: string, url: URL): boolean {
  if (/\bproxy\b|tunnel/i.test(description.replaceAll(url.host, ""))) return true;
  const port = /\bconnect E[A-Z]+ \S*:(\d+)/.exec(description)?.[1];
  const own = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return code.startsWith("E") && port !== undefined && port !== own;
}

function codeOf(failure: unknown): string {
  if (!isObject(failure)) return "";
  const own = textAt(failure, "code");
  if (own !== undefined) return own;
  const inner = [failure["cause"], ...asArray(failure["errors"])].map(codeOf);
  return inner.find((code) => code !== "") ?? "";
}

function inBrackets(text: string): string {
  return text === "" ? "" : ` (${text})`;
}

type Request = Pick<Outgoing<unknown>, "method" | "path" | "timeoutMs"> & Recipient;

export function unanswered(
  kind: "timeout" | "aborted",
  { method, timeoutMs }: Request,
  begun: boolean,
): CrewApiError {
  const isTimeout = kind === "timeout";
  const isOpen = method === "POST" && begun;
  return new CrewApiError({
    kind,
    message: isTimeout
      ? l10n.t("The crew did not answer within {0}.", seconds(timeoutMs))
      : l10n.t("The request was cancelled."),
    ...outcome(isOpen, isTimeout && !isOpen ? l10n.t("Check your connection and try again.") : ""),
  });
}

/** @param location without the token */
export function redirected(
  { method, isOutside = false }: Request,
  status: number,
  location: string,
  url: string,
): CrewApiError {
  const to = targetOf(location, url);
  const message =
    to === ""
      ? l10n.t(
          "The address redirects ({0}). The redirect was not followed, because the request is only for this address.",
          status,
        )
      : l10n.t(
          "The address redirects ({0}) to {1}. The redirect was not followed, because the request is only for this address.",
          status,
          to,
        );
  const remedy = isOutside
    ? l10n.t("Answer in the dashboard.")
    : l10n.t("If you trust the redirect's target, use it as the crew's address.");
  // Only "303 See Other" means that the request was processed (RFC 9110).
  const result = outcome(method === "POST" && status === 303, remedy);
  return new CrewApiError({ kind: "redirected", status, message, ...result });
}

export function tooLarge(
  { method, isLocal = false }: Request,
  status: number,
  maxBytes: number,
): CrewApiError {
  const megabytes = Math.round(maxBytes / 1024 / 1024);
  const message = l10n.t(
    "The answer is larger than {0} MB and was not read completely.",
    megabytes,
  );
  const remedy = isLocal
    ? l10n.t("The local crew's log may have more details.")
    : l10n.t("Look at the execution in the dashboard.");
  return new CrewApiError({
    kind: "tooLarge",
    status,
    message,
    ...outcome(method === "POST", remedy),
  });
}

export function badAnswer(
  { method, path, isLocal = false }: Request,
  answer: { readonly status: number; readonly text: string; readonly isJson: boolean },
): CrewApiError {
  const { isJson, status, text } = answer;
  const isPage = !isJson && htmlStart.test(text);
  const notJson = isPage ? pageText(path, text) : l10n.t("The answer of {0} is not JSON.", path);
  const message = isJson
    ? l10n.t("The answer of {0} is not what the Crew Execution API returns.", path)
    : notJson;
  const check = isPage
    ? l10n.t(
        "Check that the address is the one on the crew's page in the dashboard, and whether a VPN or a proxy asks you to sign in.",
      )
    : l10n.t("Check that the address is the one on the crew's page in the dashboard.");
  const remedy = isLocal ? l10n.t("Stop and restart the local crew.") : check;
  const result = outcome(method === "POST", remedy);
  return new CrewApiError({ kind: "badAnswer", status, body: excerpt(text), message, ...result });
}

/** Comments and an XML declaration may be before it. Bounded, because a pattern has little memory. */
const htmlStart =
  /^\s*(?:<(?:!--(?:[^-]|-(?!->)){0,2000}--|\?[^>]{0,200})>\s*){0,5}<(?:!doctype html|html|head)\b/i;

function pageText(path: string, page: string): string {
  const title = readErrorBody(page).message;
  return title === undefined
    ? l10n.t("{0} answers with a web page, such as one to sign in.", path)
    : l10n.t("{0} answers with a web page, such as one to sign in: “{1}”.", path, title);
}

/** The query may hold secrets. */
function targetOf(location: string, url: string): string {
  if (location === "" || !URL.canParse(location, url)) return "";
  const { origin, pathname } = new URL(location, url);
  return origin === "null" ? "" : `${origin}${pathname}`;
}

function seconds(milliseconds: number): string {
  return milliseconds === 1000
    ? l10n.t("1 second")
    : l10n.t("{0} seconds", Math.round(milliseconds / 100) / 10);
}
