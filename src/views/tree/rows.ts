import * as l10n from "@vscode/l10n";
import type { CrewRef } from "../../executions/model.ts";

/** How a row of the tree looks and sounds, without VS Code. */
export interface Row {
  readonly label: string;
  readonly description: string;
  /** Plain lines; whoever shows them escapes them. */
  readonly tooltip: readonly string[];
  /** A codicon and a theme colour. */
  readonly icon: { readonly id: string; readonly color?: string };
  /** Facts for the manifest's menus, joined by colons. */
  readonly facts: string;
  /** The row as a sentence, for a screen reader. */
  readonly sentence: string;
}

/** The row of a crew that is no longer connected, while executions of it are tracked. */
export function goneCrewRow({ id, name, url }: CrewRef): Row {
  const isLocal = id.startsWith("local:");
  const words = isLocal ? l10n.t("local crew, not started here") : l10n.t("not connected");
  return {
    label: name,
    description: words,
    tooltip: [
      name,
      url,
      isLocal
        ? l10n.t("Start the local crew to go on.")
        : l10n.t("Connect this crew again to go on."),
    ],
    // By itself VS Code paints this icon red, which is for what failed.
    icon: { id: "debug-disconnect", color: "icon.foreground" },
    facts: isLocal ? "gone:local" : "gone:remote",
    sentence: l10n.t("Crew {0}, {1}", name, words),
  };
}

/** The row below a crew of which nothing is tracked. A local crew whose service is stopped starts with the kickoff. */
export function hintRow(isStopped = false): Row {
  const label = isStopped
    ? l10n.t("Start it and kick off the first execution…")
    : l10n.t("Kick off the first execution…");
  return {
    label,
    description: "",
    tooltip: [label],
    icon: { id: "play" },
    facts: "hint",
    sentence: l10n.t("Nothing is tracked of this crew yet. {0}", label),
  };
}
