import * as l10n from "@vscode/l10n";
import type { CrewApiError } from "../../api/errors.ts";
import { otherType, describeTokenType, tokenTypeName } from "../../crews/token-format.ts";
import type { Crew, TokenState } from "../../crews/types.ts";
import { oneLine } from "../../base/text.ts";
import { rehearsalInWords } from "../words.ts";
import type { Row } from "./rows.ts";

/** What is known of a crew beside the crew itself. */
export interface CrewCondition {
  /** The crew no longer takes the token. */
  readonly parked?: CrewApiError | undefined;
  /** Which tokens there are; absent until they were looked for. */
  readonly tokens?: TokenState | undefined;
}

/** The row of a connected crew. */
export function crewRow(crew: Crew, { parked, tokens }: CrewCondition): Row {
  const { local } = crew;
  const starting = local?.starting === true;
  const stopped = local?.running === false && !starting;
  const failure = stopped ? local.failure : undefined;
  const place =
    local === undefined
      ? [hostOf(crew.url)]
      : starting
        ? [l10n.t("starting…")]
        : failure !== undefined
          ? [l10n.t("failed: {0}", oneLine(failure).replace(/\.$/, ""))]
          : stopped
            ? [l10n.t("stopped")]
            : [];
  // In the row's few words; tooltip and sentence have it in full.
  const engine = local === undefined ? [] : [l10n.t("rehearsal, no model")];
  // A local crew makes its tokens itself, at each start anew where they are gone.
  const lacks = local === undefined && tokens !== undefined && tokens.kind !== "stored";
  const trouble =
    parked !== undefined
      ? refusedInWords(parked)
      : lacks
        ? tokens.kind === "none"
          ? l10n.t("No token on this machine")
          : l10n.t("Token lost here – set it again")
        : undefined;
  const description = trouble ?? [...tokenToShow(crew, tokens), ...place, ...engine].join(" · ");
  return {
    label: crew.name,
    description,
    tooltip: [
      crew.name,
      crew.url,
      ...(trouble === undefined ? [] : [trouble]),
      ...(parked === undefined ? [] : [parked.message, parked.remedy]),
      ...tokensInFull(tokens, lacks),
      ...(local === undefined ? [] : [l10n.t("Served on this machine: {0}", rehearsalInWords())]),
      ...(stopped
        ? [whyStopped(local), l10n.t("Start it, or kick it off, to go on where it was.")]
        : []),
    ],
    icon:
      parked !== undefined || lacks
        ? { id: "key", color: "list.warningForeground" }
        : crewIcon(local),
    facts: [
      ...factsOf(crew, tokens),
      ...(parked === undefined ? [] : ["parked"]),
      ...(lacks ? ["noToken"] : []),
    ].join(":"),
    sentence: l10n.t(
      "Crew {0}, {1}",
      crew.name,
      trouble ??
        [
          ...place,
          ...(local === undefined ? [] : [rehearsalInWords()]),
          ...(tokens?.kind === "stored"
            ? [l10n.t("uses {0}", describeTokenType(tokens.inUse))]
            : []),
        ].join(", "),
    ),
  };
}

/** Not VS Code's stop icon, which is red: red is for what failed. */
function crewIcon(local: Crew["local"]): Row["icon"] {
  if (local === undefined) return { id: "organization" };
  if (local.running || local.starting === true) return { id: "server-process" };
  return local.failure === undefined
    ? { id: "server-process", color: "disabledForeground" }
    : { id: "error", color: "list.errorForeground" };
}

function whyStopped({ failure, ranBefore }: NonNullable<Crew["local"]>): string {
  if (failure !== undefined) return l10n.t("It failed: {0}", oneLine(failure));
  return ranBefore === true
    ? l10n.t("It ended with its window, and is started again when one of its executions needs it.")
    : l10n.t("It was stopped here or in another window.");
}

function refusedInWords({ tokenType }: CrewApiError): string {
  if (tokenType === undefined) return l10n.t("Token refused – replace it to go on");
  return tokenType === "bearer"
    ? l10n.t("Organisation's token refused – replace it to go on")
    : l10n.t("User's token refused – replace it to go on");
}

/** The token in use, on the row itself where it is not the only thing to expect: there are two to switch between, or it is one with fewer rights. */
function tokenToShow({ local }: Crew, tokens: TokenState | undefined): readonly string[] {
  if (tokens?.kind !== "stored") return [];
  const isWorthIt =
    tokens.inUse === "userBearer" || (local === undefined && tokens.types.length > 1);
  return isWorthIt ? [tokenTypeName(tokens.inUse)] : [];
}

function tokensInFull(tokens: TokenState | undefined, lacks: boolean): readonly string[] {
  if (tokens?.kind === "lost" && lacks)
    return [
      l10n.t("This machine's store of secrets no longer gives the token back. Set it again."),
    ];
  if (tokens?.kind !== "stored") return [];
  const other = otherType(tokens.inUse);
  return [
    l10n.t("Uses {0}", describeTokenType(tokens.inUse)),
    ...(tokens.types.includes(other) ? [l10n.t("Also here: {0}", describeTokenType(other))] : []),
  ];
}

function factsOf({ local, dashboardUrl }: Crew, tokens: TokenState | undefined): readonly string[] {
  return [
    "crew",
    local === undefined ? "remote" : "local",
    ...(local === undefined
      ? []
      : [local.starting === true ? "starting" : local.running ? "running" : "stopped"]),
    ...(dashboardUrl === undefined ? [] : ["dashboard"]),
    ...(tokens?.kind === "stored" && tokens.types.length > 1 ? ["twoTokens"] : []),
  ];
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
