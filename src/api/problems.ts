import * as l10n from "@vscode/l10n";
import { asArray, defined, isObject, textAt } from "../base/json.ts";
import { oneLine, shortName } from "../base/text.ts";
import { CrewApiError, type CrewApiErrorDetails } from "./errors.ts";
import { readErrorBody } from "./read-error.ts";
import type { TokenType } from "./types.ts";

export interface Recipient {
  /** A crew on this machine, which the extension started. */
  readonly isLocal?: boolean;
  /** Not the crew: its flow waits for an answer there. The address's path is a secret. */
  readonly isOutside?: boolean;
}

export interface Asked extends Recipient {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly tokenType?: TokenType | undefined;
}

/** `isOpen`: a POST may have had an effect. */
type Problem = Omit<CrewApiErrorDetails, "sent"> & { readonly isOpen?: boolean };

function errorOf({ method }: Asked, { isOpen = false, ...problem }: Problem): CrewApiError {
  if (method === "GET" || !isOpen) return new CrewApiError(problem);
  const warning = l10n.t("It may have arrived: check before you send it again.");
  const remedy = `${warning} ${problem.remedy}`.trim();
  return new CrewApiError({ ...problem, sent: "maybe", remedy });
}

/** By the specification's codes and those of gateways. */
export function errorOfAnswer(
  asked: Asked,
  status: number,
  statusText: string,
  text: string,
  retryAfterMs?: number,
): CrewApiError {
  const body = readErrorBody(text);
  const reason = oneLine(statusText, 100);
  const said = body.message ?? (reason === "" ? l10n.t("status {0}", status) : reason);
  const { kind, intro, ...row } = rowOf(asked, status, said, body);
  return errorOf(asked, {
    ...{ kind, status, body: excerpt(text) },
    ...defined({ retryAfterMs, canKeepChanged: body.own?.canKeepChanged || undefined }),
    isOpen: kind === "server" || kind === "gateway",
    ...row,
    message: sentence(
      row.message ?? (intro ? l10n.t("{0} ({1}): {2}", intro, status, said) : said),
    ),
    remedy: retryAfterMs === undefined || row.asksPython ? row.remedy : waiting(retryAfterMs),
  });
}

/** `intro` comes before the status and what the crew said; without it and a message, that is all. */
type Row = Omit<Problem, "message"> & { readonly intro?: string; readonly message?: string };

function rowOf(
  { path, tokenType, isLocal = false, isOutside = false }: Asked,
  status: number,
  said: string,
  { missingInputs, own }: ReturnType<typeof readErrorBody>,
): Row {
  if (isOutside)
    // A 408, and what a server or a gateway fails at, may have been processed.
    return {
      kind: status === 408 || status >= 500 ? "server" : status === 404 ? "notFound" : "badRequest",
      intro: l10n.t("The flow did not take the answer"),
      remedy: l10n.t("The request may be answered or over: look at the dashboard."),
    };
  // The vendor's OpenAPI file also has 400 for missing inputs.
  if (missingInputs.length > 0 && (status === 422 || status === 400))
    return {
      kind: "validation",
      message: l10n.t("The crew needs more inputs: {0}", listed(missingInputs)),
      remedy: l10n.t("Fill them in and send again."),
      missingInputs,
    };
  // The service says whether a kickoff started nothing.
  if (status === 500 && own !== undefined) {
    const isUnstarted = path === "/kickoff" && own.isNotStarted;
    return {
      kind: "server",
      remedy: isUnstarted
        ? l10n.t("Nothing was started. Fix the crew's file and kick off again.")
        : l10n.t("Fix the crew's file and try again."),
      isOpen: !isUnstarted,
      ...defined({ place: own.place }),
    };
  }
  // Its files don't say its inputs. Another machine's code is nothing that a person here can allow.
  if (status === 503 && own?.isNotStarted === true) {
    const asksPython = isLocal && own.asksPython;
    return {
      kind: "gateway",
      remedy: asksPython
        ? l10n.t("Try again in the crew's kickoff form, which asks you first.")
        : l10n.t("Try again in a moment."),
      isOpen: false,
      ...(asksPython && { asksPython }),
    };
  }
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
      return refusedToken(status, tokenType, isLocal);
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
    case 422:
      return {
        kind: "validation",
        intro: l10n.t("The crew does not accept the values"),
        remedy: l10n.t("Fix them and send again."),
      };
    case 429:
      return {
        kind: "rateLimited",
        intro: l10n.t("The crew received too many requests"),
        remedy: l10n.t("Wait a while and try again."),
      };
  }
  // 52x and 530 are codes of a content delivery network.
  if ([408, 502, 503, 504].includes(status) || (status >= 520 && status <= 530))
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
        ? restart()
        : l10n.t("Try again later. The crew's log in the dashboard may have more details."),
    };
  return {
    kind: "badRequest",
    intro: l10n.t("The crew refused the request"),
    remedy: l10n.t("Read the crew's message, fix the request and try again."),
  };
}

function refusedToken(status: 401 | 403, tokenType: TokenType | undefined, isLocal: boolean): Row {
  const isUser = tokenType === "userBearer";
  const token = isUser
    ? l10n.t("the user's token")
    : tokenType === "bearer"
      ? l10n.t("the organisation's token")
      : l10n.t("the token");
  const again = l10n.t(
    "Set {0} again: it is the {1} in the Status tab of the crew's page in the dashboard, or comes from whoever runs its server.",
    token,
    isUser ? "User Bearer Token" : "Bearer Token",
  );
  const rights =
    tokenType === "bearer"
      ? l10n.t(
          "It already has all rights, so check the crew's page in the dashboard, or ask whoever maintains the crew.",
        )
      : l10n.t(
          "It may lack the right: use the organisation's token, which is the Bearer Token in the Status tab of the crew's page in the dashboard.",
        );
  return {
    kind: status === 401 ? "unauthorized" : "forbidden",
    intro:
      status === 401
        ? l10n.t("The crew does not accept {0}", token)
        : l10n.t("The crew does not allow this with {0}", token),
    remedy: isLocal ? restart() : status === 401 ? again : rights,
    ...defined({ tokenType }),
  };
}

/** For a local crew, whose tokens the extension creates when it starts. */
function restart(): string {
  return l10n.t("Stop the local crew and start it again. Its log may have more details.");
}

function listed(names: readonly string[]): string {
  const list = names.slice(0, 10).map(shortName).join(", ");
  return names.length > 10 ? l10n.t("{0} and {1} more", list, names.length - 10) : list;
}

function waiting(retryAfterMs: number): string {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return seconds < 120
    ? l10n.t("The crew asks to wait {0} seconds before the next try.", seconds)
    : l10n.t("The crew asks to wait {0} minutes before the next try.", Math.ceil(seconds / 60));
}

const dnsCodes = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"];
const resetCodes = /^(?:ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/;
const certificateCodes =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/;
/** OpenSSL received something that isn't TLS, or an unsupported version. */
const tlsCodes = /^(?:EPROTO|ERR_SSL_)/;
/** TLS errors before the request is sent. Others leave open whether it arrived. */
const handshakeWords =
  /wrong.version|unsupported.protocol|handshake|no.protocols|unrecognized.name|packet.length|no.shared.cipher|no.ciphers|http.request|protocol.version|version.too.low|unexpected.message/i;
/** Node's HTTP parser and decompression. */
const garbageCodes = /^(?:HPE_|Z_|ERR__ERROR_FORMAT_|ERR_BROTLI)/;

/**
 * @param description the failure's own text, without the token
 * @param isAnswered whether it came after the answer's status: the request was certainly sent
 */
export function errorOfFailure(
  asked: Asked,
  failure: unknown,
  description: string,
  url: URL,
  isAnswered: boolean,
): CrewApiError {
  const problem = problemOf(codeOf(failure), description, url);
  return errorOf(asked, { ...problem, isOpen: isAnswered || problem.isOpen === true });
}

/** `isOpen` unless it was certainly never sent. */
function problemOf(code: string, description: string, url: URL): Problem {
  const { host, hostname } = url;
  const kind = "unreachable";
  if (garbageCodes.test(code))
    return {
      kind: "badAnswer",
      message: l10n.t("The server at {0} does not answer with valid HTTP ({1}).", host, code),
      remedy: l10n.t("Check the crew's address and port."),
      isOpen: true,
    };
  if (isProxy(code, description, url))
    return {
      ...{ kind, reason: "proxy" },
      message: l10n.t("The proxy for {0} could not be used{1}.", hostname, inBrackets(code)),
      remedy: l10n.t("Check VS Code's proxy settings (http.proxy, http.noProxy)."),
    };
  if (dnsCodes.includes(code))
    return {
      ...{ kind, reason: "dns" },
      message: l10n.t("The name {0} can't be looked up ({1}).", hostname, code),
      remedy: l10n.t("Check the crew's address for typing mistakes, and your connection or VPN."),
    };
  if (code === "ECONNREFUSED")
    return {
      ...{ kind, reason: "refused" },
      message: l10n.t("Nothing accepts connections at {0} ({1}).", host, code),
      remedy: l10n.t("Check that the crew is running and that the port is right."),
    };
  if (certificateCodes.test(code))
    return {
      ...{ kind, reason: "certificate" },
      message: certificateProblem(code, hostname),
      remedy: l10n.t(
        "Check the address and this computer's clock. If your company uses its own certificate authority, install its certificate on this computer; VS Code uses the system's certificates (http.systemCertificates).",
      ),
    };
  if (tlsCodes.test(code))
    return {
      ...{ kind, reason: "certificate" },
      message: l10n.t("A secure connection to {0} could not be established ({1}).", host, code),
      remedy: l10n.t("Check that the port is the one for https:, and whether you need a proxy."),
      isOpen: !handshakeWords.test(`${code} ${description}`),
    };
  if (resetCodes.test(code))
    return {
      ...{ kind, reason: "reset" },
      message: l10n.t("The connection to {0} was cut off ({1}).", host, code),
      remedy: l10n.t("Try again. If it happens again, check the crew's log and your VPN or proxy."),
      // Observed: an aborted TLS handshake has this text and the code of a reset.
      isOpen: !description.includes("before secure TLS connection"),
    };
  return {
    ...{ kind, reason: "other" },
    message: l10n.t("{0} can't be reached{1}.", host, inBrackets(code || description)),
    remedy: l10n.t("Check your connection, VPN and proxy."),
    isOpen: !/\bconnect E[A-Z]+\b/.test(description),
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

export function timedOut(asked: Asked, timeoutMs: number): CrewApiError {
  return errorOf(asked, {
    kind: "timeout",
    message: l10n.t("The crew did not answer within {0} seconds.", timeoutMs / 1000),
    remedy: asked.method === "POST" ? "" : l10n.t("Check your connection and try again."),
    isOpen: true,
  });
}

/** By the caller. */
export function aborted(asked: Asked, isOpen: boolean): CrewApiError {
  return errorOf(asked, {
    ...{ kind: "aborted", remedy: "", isOpen },
    message: l10n.t("The request was cancelled."),
  });
}

/** @param location without the token */
export function redirected(
  asked: Asked,
  status: number,
  location: string,
  url: string,
): CrewApiError {
  return errorOf(asked, {
    ...{ kind: "redirected", status },
    message: l10n.t(
      "The address redirects to {0} ({1}). The redirect was not followed, because the request is only for this address.",
      targetOf(location, url) ?? l10n.t("another one"),
      status,
    ),
    remedy: asked.isOutside
      ? l10n.t("Answer in the dashboard.")
      : l10n.t("If you trust the redirect's target, use it as the crew's address."),
    // Only "303 See Other" means that the request was processed (RFC 9110).
    isOpen: status === 303,
  });
}

/** Without the query, which may hold secrets. */
function targetOf(location: string, url: string): string | undefined {
  if (location === "" || !URL.canParse(location, url)) return undefined;
  const { origin, pathname } = new URL(location, url);
  return origin === "null" ? undefined : `${origin}${pathname}`;
}

export function tooLarge(asked: Asked, status: number, maxBytes: number): CrewApiError {
  return errorOf(asked, {
    ...{ kind: "tooLarge", status, isOpen: true },
    message: l10n.t(
      "The answer is larger than {0} MB and was not read completely.",
      Math.round(maxBytes / 1024 / 1024),
    ),
    remedy: asked.isLocal ? restart() : l10n.t("Look at the execution in the dashboard."),
  });
}

/** Comments and an XML declaration may be before it. Bounded, because a pattern has little memory. */
const htmlStart =
  /^\s*(?:<(?:!--(?:[^-]|-(?!->)){0,2000}--|\?[^>]{0,200})>\s*){0,5}<(?:!doctype html|html|head)\b/i;

/** An answer of 2xx that can't be read. */
export function badAnswer(
  asked: Asked,
  status: number,
  text: string,
  isJson: boolean,
): CrewApiError {
  const { path, isLocal } = asked;
  const isPage = !isJson && htmlStart.test(text);
  const title = isPage ? readErrorBody(text).message : undefined;
  const check = isPage
    ? l10n.t(
        "Check that the address is the one on the crew's page in the dashboard, and whether a VPN or a proxy asks you to sign in.",
      )
    : l10n.t("Check that the address is the one on the crew's page in the dashboard.");
  return errorOf(asked, {
    ...{ kind: "badAnswer", status, body: excerpt(text), isOpen: true },
    message: isPage
      ? l10n.t(
          "{0} answers with a web page, such as one to sign in{1}.",
          path,
          title === undefined ? "" : `: “${title}”`,
        )
      : isJson
        ? l10n.t("The answer of {0} is not what the Crew Execution API returns.", path)
        : l10n.t("The answer of {0} is not JSON.", path),
    remedy: isLocal ? restart() : check,
  });
}

function excerpt(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
