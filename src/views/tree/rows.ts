import * as l10n from "@vscode/l10n";
import { shortAddress } from "../../api/address.ts";
import type { CrewApiError } from "../../api/errors.ts";
import { oneLine } from "../../base/text.ts";
import { describeTokenType, otherType, tokenTypeName } from "../../crews/token-format.ts";
import type { Crew, LocalCrew, TokenState } from "../../crews/types.ts";
import { type CrewRef, hasEnded, isLocalCrew } from "../../executions/model.ts";
import { engineLabel, type Icon, present, stateIcons, stateName } from "../../view/words.ts";
import { dayLabel, groupStates, partsOf } from "./arrangement.ts";

export interface Row {
  readonly label: string;
  readonly description: string;
  /** Plain lines, not yet escaped. */
  readonly tooltip: readonly string[];
  readonly icon: Icon;
  /** For the manifest's menus, joined by colons. */
  readonly facts: string;
  readonly sentence: string;
}

/** At `now` (milliseconds since 1970), in a language (BCP 47). */
export function groupRow(group: string, size: number, now: number, language: string): Row {
  const { kind, of } = partsOf(group);
  const state = groupStates.find((each) => each === of) ?? "waiting";
  const label = kind === "day" ? dayLabel(of, now, language) : stateName(state);
  const count = size === 1 ? l10n.t("1 execution") : l10n.t("{0} executions", size);
  const stateIcon =
    state === "waiting" ? stateIcons.waiting : { id: stateIcons[state].id.replace("~spin", "") };
  return {
    label,
    description: String(size),
    tooltip: present(label, kind === "day" && label !== of && of, count),
    icon: kind === "day" ? { id: "calendar" } : stateIcon,
    facts: `group:${kind}`,
    sentence: l10n.t("{0}, {1}", label, count),
  };
}

/** Groups of ended executions, or older than yesterday, start collapsed. */
export function isOpenAtFirst(group: string, now: number): boolean {
  const { kind, of } = partsOf(group);
  if (kind === "day") return Date.parse(`${of}T00:00:00`) >= now - 2 * 24 * 60 * 60_000;
  const state = groupStates.find((each) => each === of);
  return state === undefined || !hasEnded({ state });
}

export function moreRow(count: number): Row {
  return plainRow(l10n.t("Show more…"), l10n.t("{0} older ones", count), "ellipsis", "more");
}

export function hintRow(isStopped = false): Row {
  const label = isStopped ? l10n.t("Start and kick off…") : l10n.t("Kick off…");
  return plainRow(label, "", "play", "hint");
}

function plainRow(label: string, description: string, icon: string, facts: string): Row {
  const tooltip = present(label, description !== "" && description);
  return { label, description, tooltip, icon: { id: icon }, facts, sentence: tooltip.join(", ") };
}

export function goneCrewRow({ id, name, url }: CrewRef): Row {
  const isLocal = isLocalCrew({ id });
  const description = isLocal ? l10n.t("local crew, not started here") : l10n.t("not connected");
  const remedy = isLocal
    ? l10n.t("Start the local crew to continue.")
    : l10n.t("Connect this crew again to continue.");
  return {
    label: name,
    description,
    tooltip: [name, url, remedy],
    // VS Code's own colour is red, which is for failures.
    icon: { id: "debug-disconnect", color: "icon.foreground" },
    facts: isLocal ? "gone:local" : "gone:remote",
    sentence: l10n.t("Crew {0}, {1}", name, description),
  };
}

interface CrewCondition {
  /** Why the crew refused its token. */
  readonly refusing?: CrewApiError | undefined;
  readonly tokens?: TokenState | undefined;
}

export function crewRow(crew: Crew, { refusing, tokens }: CrewCondition): Row {
  const { name, url, local, dashboardUrl } = crew;
  const phase = local && phaseOf(local);
  const stored = tokens?.kind === "stored" ? tokens : undefined;
  // A local crew creates its own tokens.
  const needsToken = local === undefined && tokens !== undefined && stored === undefined;
  const isLocked = needsToken && tokens.kind === "locked";
  const [trouble] = present(
    refusing && refusalLabel(refusing),
    isLocked && l10n.t("Token can't be read"),
    needsToken && l10n.t("No token on this machine"),
  );
  const place = local === undefined ? shortAddress(url) : phaseLabel(local);
  // A start may change it.
  const engine = phase === "starting" ? undefined : local && engineLabel(local.engine);
  const interrupted = local?.interrupted && interruptedCount(local.interrupted.length);
  // Of a local crew, a person did not choose it.
  const isUsual = local !== undefined && stored?.inUse === "bearer";
  const uses = stored && !isUsual && describeTokenType(stored.inUse);
  const hasTwoTokens = stored !== undefined && stored.types.length > 1;
  // Shown only if unusual.
  const showsToken = stored?.inUse === "userBearer" || (hasTwoTokens && local === undefined);
  return {
    label: name,
    description:
      trouble ??
      present(
        showsToken && tokenTypeName(stored.inUse),
        // A crew may be named after its host.
        place !== name && place,
        engine && (local?.engine === "crewai" ? l10n.t("crewAI") : l10n.t("rehearsal, no model")),
        interrupted,
      ).join(" · "),
    tooltip: present(
      name,
      url,
      trouble,
      refusing?.message,
      refusing?.remedy,
      isLocked &&
        l10n.t("This machine's secret storage no longer returns the token. Set it again."),
      uses && l10n.t("Uses {0}", uses),
      hasTwoTokens && l10n.t("Also here: {0}", describeTokenType(otherType(stored.inUse))),
      engine && l10n.t("Served on this machine: {0}", engine),
      local?.engineNote,
      interrupted,
      interrupted && l10n.t("Continue or discard them in this row's menu."),
      phase === "stopped" && local && stopReason(local),
      phase === "stopped" && l10n.t("Start it, or kick it off, to continue."),
    ),
    icon:
      refusing !== undefined || needsToken
        ? { id: "key", color: "list.warningForeground" }
        : crewIcon(local),
    facts: present(
      "crew",
      local === undefined ? "remote" : "local",
      phase,
      local?.engine,
      interrupted !== undefined && "interrupted",
      dashboardUrl !== undefined && "dashboard",
      refusing !== undefined && "refusing",
      needsToken && "noToken",
    ).join(":"),
    sentence: l10n.t(
      "Crew {0}, {1}",
      name,
      trouble ?? present(place, engine, interrupted, uses && l10n.t("uses {0}", uses)).join(", "),
    ),
  };
}

function interruptedCount(count: number): string {
  return count === 1
    ? l10n.t("1 execution was interrupted")
    : l10n.t("{0} executions were interrupted", count);
}

function phaseOf({ running, starting }: LocalCrew): "starting" | "running" | "stopped" {
  return starting === true ? "starting" : running ? "running" : "stopped";
}

function phaseLabel(local: LocalCrew): string | undefined {
  const phase = phaseOf(local);
  if (phase === "running") return undefined;
  if (phase === "starting") return l10n.t("starting…");
  return local.failure === undefined
    ? l10n.t("stopped")
    : l10n.t("failed: {0}", oneLine(local.failure).replace(/\.$/, ""));
}

/** VS Code's stop icon is red, which is for failures. */
function crewIcon(local: LocalCrew | undefined): Icon {
  if (local === undefined) return { id: "organization" };
  if (phaseOf(local) !== "stopped") return { id: "server-process" };
  return local.failure === undefined
    ? { id: "server-process", color: "disabledForeground" }
    : { id: "error", color: "list.errorForeground" };
}

function stopReason({ failure, ranBefore }: LocalCrew): string {
  if (failure !== undefined) return l10n.t("It failed: {0}", oneLine(failure));
  return ranBefore === true
    ? l10n.t("It ended when nothing was left to do, and starts again when it is needed.")
    : l10n.t("It was stopped here or in another window.");
}

function refusalLabel({ tokenType }: CrewApiError): string {
  if (tokenType === undefined) return l10n.t("Token refused – replace it to continue");
  return tokenType === "bearer"
    ? l10n.t("Organisation's token refused – replace it to continue")
    : l10n.t("User's token refused – replace it to continue");
}
