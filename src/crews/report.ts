import * as l10n from "@vscode/l10n";
import { tokenInWords, tokenTypeName } from "./token-words.ts";
import type { CrewReport, TestCause } from "./types.ts";

/** A report in one paragraph, for a notification. */
export function reportInWords(report: CrewReport): string {
  const { crew, url, milliseconds, tokenType, statusPath, cause, problem } = report;
  const token =
    tokenType === undefined ? "" : ` ${l10n.t("Token: {0}.", tokenTypeName(tokenType))}`;
  if (cause !== undefined)
    return `${l10n.t("“{0}” at {1} ({2}):", crew, url, causeInWords(cause))} ${problem ?? ""}${token}`;
  const answers = l10n.t(
    "“{0}” answers at {1} in {2} ms and asks for {3}.",
    crew,
    url,
    milliseconds,
    inputsInWords(report),
  );
  return `${answers}${token} ${statusPath === undefined ? l10n.t("Its status path is not known yet.") : l10n.t("Status path: {0}.", statusPath)}`;
}

/** A report in lines, to be copied. It holds no token. */
export function reportInFull(report: CrewReport): string {
  const { crew, url, ok, milliseconds, tokenType, statusPath, cause, problem } = report;
  return [
    l10n.t("Crewdeck's test of the connection to “{0}”", crew),
    l10n.t("Address: {0}", url),
    l10n.t(
      "Result: {0}",
      ok ? l10n.t("answers, and asks for {0}", inputsInWords(report)) : l10n.t("fails"),
    ),
    ...(cause === undefined ? [] : [l10n.t("Cause: {0}", causeInWords(cause))]),
    ...(problem === undefined ? [] : [problem]),
    l10n.t("Time: {0} ms", milliseconds),
    l10n.t(
      "Token: {0}",
      tokenType === undefined ? l10n.t("none that could be sent") : tokenInWords(tokenType),
    ),
    l10n.t("Status path: {0}", statusPath ?? l10n.t("not known yet")),
  ].join("\n");
}

function inputsInWords({ inputs = 0 }: CrewReport): string {
  return inputs === 1 ? l10n.t("one input") : l10n.t("{0} inputs", inputs);
}

function causeInWords(cause: TestCause): string {
  switch (cause) {
    case "dns":
      return l10n.t("name not found");
    case "refused":
      return l10n.t("connection refused");
    case "certificate":
      return l10n.t("certificate");
    case "proxy":
      return l10n.t("proxy");
    case "reset":
      return l10n.t("connection cut off");
    case "timeout":
      return l10n.t("no answer in time");
    case "unauthorized":
      return l10n.t("token refused, 401");
    case "forbidden":
      return l10n.t("token without the right, 403");
    case "notACrew":
      return l10n.t("not a crew");
    case "redirected":
      return l10n.t("redirected");
    case "crewFailed":
      return l10n.t("the crew failed");
    case "noToken":
      return l10n.t("no token on this machine");
    case "tokenLost":
      return l10n.t("token lost");
    case "other":
      return l10n.t("out of reach");
  }
}
