import * as l10n from "@vscode/l10n";
import {
  asArray,
  asObject,
  defined,
  isObject,
  numberAt,
  parseJson,
  textAt,
  wordsIn,
  type UnknownObject,
} from "../base/json.ts";
import { oneLine, shortName } from "../base/text.ts";
import { CrewApiError, type CrewApiErrorDetails } from "./errors.ts";
import type { TokenType } from "./types.ts";

export interface Recipient {
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
  const { kind, intro, remedy, ...row } = rowOf(asked, status, body);
  const wait =
    retryAfterMs === undefined || row.asksPython
      ? []
      : l10n.t("The crew asks to wait {0} seconds.", Math.max(1, Math.ceil(retryAfterMs / 1000)));
  return errorOf(asked, {
    ...{ kind, status, body: excerpt(text), remedy: [remedy, wait].flat().join(" ") },
    ...defined({ retryAfterMs, canKeepChanged: body.own?.canKeepChanged || undefined }),
    isOpen: kind === "server" || kind === "gateway",
    ...row,
    message: sentence(
      row.message ?? (intro ? l10n.t("{0} ({1}): {2}", intro, status, said) : said),
    ),
  });
}

/** `intro` comes before the status and what the crew said; without it and a message, that is all. */
type Row = Omit<Problem, "message"> & { readonly intro?: string; readonly message?: string };

function rowOf(
  { path, tokenType, isLocal = false, isOutside = false }: Asked,
  status: number,
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
  if (status === 500 && own !== undefined)
    return {
      kind: "server",
      remedy: l10n.t("Fix the crew's file and try again."),
      isOpen: path !== "/kickoff" || !own.isNotStarted,
      ...defined({ place: own.place }),
    };
  // Its files don't say its inputs. Another machine's code is nothing that a person here can allow.
  if (status === 503 && own?.isNotStarted === true) {
    const kind = "gateway";
    return isLocal && own.asksPython
      ? {
          ...{ kind, isOpen: false, asksPython: true },
          remedy: l10n.t("Try again in the crew's kickoff form, which asks you first."),
        }
      : { kind, isOpen: false, remedy: l10n.t("Try again in a moment.") };
  }
  const restarted = isLocal && restart();
  switch (status) {
    case 401:
      return {
        kind: "unauthorized",
        intro: l10n.t("The crew does not accept the token"),
        remedy:
          restarted ||
          l10n.t(
            "Set the token again: it is in the Status tab of the crew's page in the dashboard, or comes from whoever runs its server.",
          ),
        ...defined({ tokenType }),
      };
    case 403: // Not in the specification.
      return {
        kind: "forbidden",
        intro: l10n.t("The crew does not allow this with the token"),
        remedy:
          restarted ||
          l10n.t(
            "A User Bearer Token may lack the right: use the Bearer Token, which is in the Status tab of the crew's page in the dashboard, or ask whoever maintains the crew.",
          ),
        ...defined({ tokenType }),
      };
    case 404:
      return {
        kind: "notFound",
        intro: l10n.t("The crew does not know this"),
        remedy: /^\/(inputs|kickoff)/.test(path)
          ? l10n.t("Check the crew's address.")
          : l10n.t("Check the crew's address and the IDs of the execution and of the task."),
      };
    case 407:
      return {
        kind: "unreachable",
        intro: l10n.t("The proxy requires you to sign in"),
        remedy: checkProxy(),
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
      remedy:
        restarted ||
        l10n.t("Try again later. The crew's log in the dashboard may have more details."),
    };
  return {
    kind: "badRequest",
    intro: l10n.t("The crew refused the request"),
    remedy: l10n.t("Read the crew's message, fix the request and try again."),
  };
}

/** For a local crew, whose tokens the extension creates when it starts. */
function restart(): string {
  return l10n.t("Stop the local crew and start it again. Its log may have more details.");
}

function checkProxy(): string {
  return l10n.t("Check VS Code's proxy settings (http.proxy, http.noProxy).");
}

function listed(names: readonly string[]): string {
  const list = names.slice(0, 10).map(shortName).join(", ");
  return names.length > 10 ? l10n.t("{0} and {1} more", list, names.length - 10) : list;
}

const resetCodes = /^(?:ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_SOCKET)$/;
const certificateCodes =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/;
/** TLS errors before the request is sent. Others leave open whether it arrived. */
const handshakeWords =
  /wrong.version|unsupported.protocol|handshake|no.protocols|unrecognized.name|packet.length|no.shared.cipher|no.ciphers|http.request|protocol.version|version.too.low|unexpected.message/i;

/** @param isAnswered whether it came after the answer's status: the request was certainly sent */
export function errorOfFailure(
  asked: Asked,
  failure: unknown,
  description: string,
  url: URL,
  isAnswered: boolean,
): CrewApiError {
  const code = codeOf(failure);
  const about = [url.host, code || description] as const;
  // Node's HTTP parser and decompression.
  if (/^(?:HPE_|Z_|ERR__ERROR_FORMAT_|ERR_BROTLI)/.test(code))
    return errorOf(asked, {
      kind: "badAnswer",
      message: l10n.t("The server at {0} does not answer with valid HTTP ({1}).", ...about),
      remedy: l10n.t("Check the crew's address and port."),
      isOpen: true,
    });
  const [kind, reason] = ["unreachable", reasonOf(code, description, url)] as const;
  const isHandshake = certificateCodes.test(code) || handshakeWords.test(`${code} ${description}`);
  // An aborted TLS handshake has the code of a reset (observed).
  const unsentWords = /\bconnect E[A-Z]+\b|before secure TLS connection/;
  const isUnsent =
    ["proxy", "dns", "refused"].includes(reason) ||
    (reason === "certificate" ? isHandshake : unsentWords.test(description));
  const isOpen = isAnswered || !isUnsent;
  if (reason === "proxy")
    return errorOf(asked, {
      ...{ kind, reason, isOpen, remedy: checkProxy() },
      message: l10n.t("The proxy for {0} could not be used ({1}).", ...about),
    });
  if (reason === "certificate")
    return errorOf(asked, {
      ...{ kind, reason, isOpen },
      message: l10n.t("A secure connection to {0} could not be established ({1}).", ...about),
      remedy: l10n.t(
        "Check the address, its port and this computer's clock. If your company uses its own certificate authority, install its certificate on this computer; VS Code uses the system's certificates (http.systemCertificates).",
      ),
    });
  return errorOf(asked, {
    ...{ kind, reason, isOpen },
    message: l10n.t("The connection to {0} failed ({1}).", ...about),
    remedy: l10n.t(
      "Check the address, that the crew is running, and your connection, VPN and proxy.",
    ),
  });
}

function reasonOf(code: string, description: string, url: URL) {
  if (isProxy(code, description, url)) return "proxy";
  if (["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"].includes(code))
    return "dns";
  if (code === "ECONNREFUSED") return "refused";
  if (certificateCodes.test(code) || /^(?:EPROTO|ERR_SSL_)/.test(code)) return "certificate";
  return resetCodes.test(code) ? "reset" : "other";
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

export function timedOut(asked: Asked, timeoutMs: number): CrewApiError {
  return errorOf(asked, {
    kind: "timeout",
    message: l10n.t("The crew did not answer within {0} seconds.", timeoutMs / 1000),
    remedy: l10n.t("Check your connection and the crew."),
    isOpen: true,
  });
}

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

export function badAnswer(asked: Asked, status: number, text: string): CrewApiError {
  const words = readErrorBody(text).message ?? l10n.t("nothing");
  return errorOf(asked, {
    ...{ kind: "badAnswer", status, body: excerpt(text), isOpen: true },
    message: sentence(
      l10n.t("{0} does not return what the Crew Execution API does, but: {1}", asked.path, words),
    ),
    remedy: asked.isLocal
      ? restart()
      : l10n.t(
          "Check that the address is the one on the crew's page in the dashboard, and whether a VPN or a proxy asks you to sign in.",
        ),
  });
}

function excerpt(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Documented: `{error, message, details}`. Observed: `{detail}` as text or FastAPI's list, plain text, and a gateway's page. */
export function readErrorBody(text: string) {
  const parsed = parseJson(text);
  const body = asObject(parsed);
  // A number alone says more than a status.
  const json = isObject(parsed) ? JSON.stringify(parsed).replace(/^\{\}$/, "") : undefined;
  const words = wordsOf(parsed) ?? json ?? withoutTags(text);
  return {
    message: oneLine(words, 300) || undefined,
    missingInputs: missingIn(body, words),
    own: localProblemIn(body),
  };
}

/** The local service's own `details.crewdeck`: `{file, line, column, started: false}`, `{can_keep_changed}` or `{started: false, ask_python}`. */
function localProblemIn(body: UnknownObject) {
  const own = asObject(body["details"])["crewdeck"];
  if (!isObject(own)) return undefined;
  const file = textAt(own, "file");
  const [line, column] = [numberAt(own, "line"), numberAt(own, "column")];
  const hasPlace = file !== undefined && line !== undefined && column !== undefined;
  return {
    place: hasPlace ? { file, line, column } : undefined,
    isNotStarted: own["started"] === false,
    canKeepChanged: own["can_keep_changed"] === true,
    asksPython: own["ask_python"] === true,
  };
}

/** Members with words for a person, the most telling first: all were seen in answers of services. */
const wordy = [
  ...["message", "error_description", "detail", "error", "errors"],
  ...["msg", "reason", "title", "text", "description", "code"],
];

/** Of a text, an object, a list of them, or FastAPI's list of `{loc, msg, type}`. */
function wordsOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value))
    return value.flatMap((each) => wordsOf(each) ?? []).join("; ") || undefined;
  if (!isObject(value)) return undefined;
  const place = wordsIn(value["loc"]).join(".");
  const words = wordy
    .filter((name) => Object.hasOwn(value, name))
    .map((name) => wordsOf(value[name]))
    .find((found) => found !== undefined);
  return [place, words].filter(Boolean).join(": ") || undefined;
}

function missingIn(body: UnknownObject, words: string): readonly string[] {
  const detail = asObject(body["detail"]);
  const listed = [body["details"], detail["details"], detail, body].map((details) =>
    asArray(asObject(details)["missing_inputs"]).filter((name) => typeof name === "string"),
  );
  const located = asArray(body["detail"]).flatMap((entry) => missingAt(entry) ?? []);
  const named = /missing (?:required )?inputs?:\s*(.+)$/is.exec(words)?.[1] ?? "";
  const spoken = named.split(",").flatMap((name) => name.trim() || []);
  return [...listed, located].find((found) => found.length > 0) ?? spoken;
}

/** FastAPI's `loc` of a missing input is `["body", "inputs", <name>]`. */
function missingAt(entry: unknown): string | undefined {
  const { loc, type } = asObject(entry);
  const place = asArray(loc);
  const name = place.includes("inputs") ? place[place.indexOf("inputs") + 1] : undefined;
  const isMissing = typeof type === "string" && type.includes("missing");
  return typeof name === "string" && isMissing ? name : undefined;
}

function withoutTags(text: string): string {
  const shown = text
    .slice(0, 8192)
    .replace(/<!--.*?(?:-->|$)|<(style|script)\b.*?(?:<\/\1>|$)/gis, "");
  const title = /<title\b[^<>]*>([^<]*)/i.exec(shown)?.[1] ?? "";
  const lines = `${oneLine(title)}\n${shown.replace(/<[^<>]*>/g, "\n")}`;
  return lines.split(/[\r\n]+/).find((line) => line.trim() !== "") ?? "";
}
