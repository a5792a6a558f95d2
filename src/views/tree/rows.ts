import path from "node:path";
import * as l10n from "@vscode/l10n";
import { shortAddress } from "../../api/address.ts";
import type { CrewApiError } from "../../api/errors.ts";
import { oneLine } from "../../base/text.ts";
import { tokenTypeName } from "../../crews/token-format.ts";
import type { Crew, LocalCrew, TokenState } from "../../crews/types.ts";
import { type CrewRef, hasEnded } from "../../executions/model.ts";
import { type Icon, present, stateIcons, stateName } from "../../view/words.ts";
import { groupStates, partsOf } from "./arrangement.ts";

export interface Row {
  readonly label: string;
  readonly description: string;
  readonly tooltip: readonly string[];
  readonly icon: Icon;
  readonly facts: string;
  readonly sentence: string;
}

export function groupRow(group: string, size: number, language: string): Row {
  const { kind, of } = partsOf(group);
  const state = groupStates.find((each) => each === of) ?? "waiting";
  const day = new Intl.DateTimeFormat(language, { dateStyle: "full" });
  const label = kind === "day" ? day.format(new Date(`${of}T00:00:00`)) : stateName(state);
  const count = l10n.t("executions: {0}", size);
  const stateIcon =
    state === "waiting" ? stateIcons.waiting : { id: stateIcons[state].id.replace("~spin", "") };
  return {
    label,
    description: String(size),
    tooltip: [label, count],
    icon: kind === "day" ? { id: "calendar" } : stateIcon,
    facts: `group:${kind}`,
    sentence: `${label}, ${count}`,
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
  return plainRow(l10n.t("{0} older ones – filter to find them", count), "search", "more");
}

export function projectRow(folder: string): Row {
  const row = plainRow(path.basename(folder), "folder", "project");
  const description = l10n.t("not served");
  return { ...row, description, tooltip: [folder], sentence: `${row.label}, ${description}` };
}

export function plainRow(label: string, icon: string, facts: string): Row {
  return { label, description: "", tooltip: [label], icon: { id: icon }, facts, sentence: label };
}

export function goneCrewRow({ name, url }: CrewRef): Row {
  const description = l10n.t("not connected");
  return {
    label: name,
    description,
    tooltip: [name, url, l10n.t("Connect this crew again, or start it, to continue.")],
    // VS Code's own colour is red, which is for failures.
    icon: { id: "debug-disconnect", color: "icon.foreground" },
    facts: "gone",
    sentence: l10n.t("Crew {0}, {1}", name, description),
  };
}

export function crewRow(
  crew: Crew,
  { refusing, tokens }: { refusing?: CrewApiError | undefined; tokens?: TokenState | undefined },
): Row {
  const { name, url, local, dashboardUrl } = crew;
  const phase = local && phaseOf(local);
  // A local crew creates its own tokens.
  const isOwn = local !== undefined;
  const needsToken = !isOwn && tokens !== undefined && tokens.kind !== "stored";
  const [trouble] = present(
    refusing && l10n.t("Token refused – replace it to continue"),
    needsToken && tokens.kind === "locked" && l10n.t("Token can't be read"),
    needsToken && l10n.t("No token on this machine"),
  );
  const place = local === undefined ? shortAddress(url) : phaseLabel(local);
  const held = local?.interrupted?.length ?? 0;
  // Shown only if unusual.
  const showsToken =
    !isOwn &&
    tokens?.kind === "stored" &&
    (tokens.inUse === "userBearer" || tokens.types.length > 1);
  const engine =
    local?.engine === "crewai" ? l10n.t("crewAI") : local && l10n.t("rehearsal, no model");
  const parts = trouble
    ? [trouble]
    : present(
        showsToken && tokenTypeName(tokens.inUse),
        // A crew may be named after its host.
        place !== name && place,
        // A start may change it.
        phase !== "starting" && engine,
        held > 0 && l10n.t("{0} interrupted", held),
      );
  return {
    label: name,
    description: parts.join(" · "),
    tooltip: present(
      name,
      url,
      ...parts,
      refusing?.message,
      refusing?.remedy,
      local?.engineNote,
      phase === "stopped" && l10n.t("It starts again when you kick it off or continue."),
    ),
    icon: trouble ? { id: "key", color: "list.warningForeground" } : crewIcon(local),
    facts: present(
      "crew",
      isOwn ? "local" : "remote",
      phase,
      local?.engine,
      held > 0 && "interrupted",
      dashboardUrl !== undefined && "dashboard",
    ).join(":"),
    sentence: [l10n.t("Crew {0}", name), ...parts].join(", "),
  };
}

function phaseOf({ running, starting }: LocalCrew): "starting" | "running" | "stopped" {
  return starting === true ? "starting" : running ? "running" : "stopped";
}

function phaseLabel(local: LocalCrew): string | undefined {
  if (local.starting === true) return l10n.t("starting…");
  if (local.running) return undefined;
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
