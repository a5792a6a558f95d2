import * as l10n from "@vscode/l10n";
import type { RecentProblem } from "../editor/recent-problems.ts";

/** A name and its value, as a line of the report. */
export type Fact = readonly [name: string, value: string | number | boolean];

/** What a report tells. Whoever collects it leaves out names, addresses and texts. */
export interface ReportFacts {
  readonly versions: readonly Fact[];
  /** Settings that differ from their default. */
  readonly settings: readonly Fact[];
  readonly counts: readonly Fact[];
  /** Oldest first. */
  readonly problems: readonly RecentProblem[];
  /** Where problems of this extension are collected, as its manifest says; absent where it says nothing. */
  readonly address?: string;
}

/** The report as a Markdown document that a person reads, completes and sends. */
export function reportText({ versions, settings, counts, problems, address }: ReportFacts): string {
  const where =
    address === undefined
      ? l10n.t("Send it to whom you got Crewdeck from.")
      : l10n.t("Send it by opening an issue at {0}.", address);
  return [
    // First, as an untitled document's tab bears its first line.
    `# ${l10n.t("Problem Report")}`,
    l10n.t(
      "> A report of a problem with Crewdeck, made on your machine. Nothing was sent. It holds no tokens, no names or addresses of crews, no inputs and no outputs; read it, and take out what you don't want to tell.",
    ),
    `> ${where}`,
    heading(l10n.t("What happened")),
    l10n.t("(Say what you did, what you expected, and what came instead.)"),
    heading(l10n.t("Versions")),
    list(versions),
    heading(l10n.t("Settings that differ from their default")),
    settings.length === 0 ? l10n.t("None.") : list(settings),
    heading(l10n.t("What is here")),
    list(counts),
    heading(l10n.t("The last problems in this window")),
    problems.length === 0 ? l10n.t("None.") : problems.map(problemText).join("\n"),
    "",
  ].join("\n\n");
}

function heading(text: string): string {
  return `## ${text}`;
}

function list(facts: readonly Fact[]): string {
  return facts.map(([name, value]) => `- ${name}: ${String(value)}`).join("\n");
}

function problemText({ at, doing, error, frames }: RecentProblem): string {
  const first = `- ${new Date(at).toISOString()} ${doing} (${error})`;
  return [first, ...frames.map((frame) => `  - \`${frame}\``)].join("\n");
}
