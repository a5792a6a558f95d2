import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { recentProblems } from "../editor/recent-problems.ts";
import { versionOf } from "../editor/environment.ts";
import type { Executions } from "../executions/executions.ts";
import { isProgram } from "./arguments.ts";
import { reportText, type Fact } from "./problem-report.ts";
import type { Command } from "./table.ts";

/** What a report is made from. */
export interface ReportParts {
  readonly context: Pick<vscode.ExtensionContext, "extension">;
  readonly crews: Pick<Crews, "list">;
  readonly executions: Pick<Executions, "store" | "lease" | "tracker">;
}

/** The command that makes a report of a problem. It opens the report for a person and returns its text; a program only gets the text. */
export function reportCommand(parts: ReportParts): Command {
  return {
    id: "reportProblem",
    async run(argument) {
      const { extension } = parts.context;
      const address = trackerIn(extension.packageJSON);
      const text = reportText({
        versions: versions(parts.context),
        settings: changedSettings(extension.packageJSON),
        counts: counts(parts),
        problems: recentProblems.all,
        ...(address === undefined ? {} : { address }),
      });
      if (!isProgram(argument))
        await vscode.window.showTextDocument(
          await vscode.workspace.openTextDocument({ language: "markdown", content: text }),
          { preview: false },
        );
      return text;
    },
  };
}

function versions(context: ReportParts["context"]): readonly Fact[] {
  const { appName, appHost, remoteName, uiKind, language } = vscode.env;
  return [
    ["Crewdeck", versionOf(context)],
    [appName, `${vscode.version} (${appHost})`],
    [vscode.l10n.t("Operating system"), `${process.platform} ${process.arch}`],
    ["Node.js", process.versions.node],
    [vscode.l10n.t("Remote"), remoteInWords(remoteName)],
    [
      vscode.l10n.t("Window"),
      uiKind === vscode.UIKind.Web ? vscode.l10n.t("browser") : vscode.l10n.t("desktop"),
    ],
    [vscode.l10n.t("Language"), language],
    [vscode.l10n.t("Workspace trusted"), vscode.workspace.isTrusted],
  ];
}

/** The kind of a remote is a word such as "wsl" or "ssh-remote". VS Code's server in a browser gives its host (observed), which is nobody's business. */
function remoteInWords(name: string | undefined): string {
  if (name === undefined) return vscode.l10n.t("none");
  return /^[a-z][a-z-]*$/.test(name) && name !== "localhost"
    ? name
    : vscode.l10n.t("VS Code's server");
}

/** Numbers and yes or no as they are; of lists the length, since they hold names and words; of texts only that there is one. */
function changedSettings(manifest: unknown): readonly Fact[] {
  const configuration = vscode.workspace.getConfiguration();
  return settingsIn(manifest).flatMap((name): Fact[] => {
    const found = configuration.inspect<unknown>(name);
    const value = configuration.get<unknown>(name);
    if (found === undefined || JSON.stringify(value) === JSON.stringify(found.defaultValue))
      return [];
    return [
      [
        name,
        typeof value === "number" || typeof value === "boolean"
          ? value
          : Array.isArray(value)
            ? vscode.l10n.t("entries: {0}", value.length)
            : vscode.l10n.t("changed"),
      ],
    ];
  });
}

function counts({ crews, executions: { store, lease, tracker } }: ReportParts): readonly Fact[] {
  const local = crews.list().flatMap((crew) => crew.local ?? []);
  const running = local.filter((each) => each.running).length;
  const states = new Map<string, number>();
  for (const { state } of store.list()) states.set(state, (states.get(state) ?? 0) + 1);
  return [
    [vscode.l10n.t("Connected crews"), crews.list().length - local.length],
    [vscode.l10n.t("Local crews that run"), running],
    [vscode.l10n.t("Local crews that are stopped"), local.length - running],
    [vscode.l10n.t("Crews whose token is refused"), tracker.parkedCrews().size],
    ...[...states]
      .sort()
      .map(([state, count]): Fact => [vscode.l10n.t("Executions, {0}", state), count]),
    [vscode.l10n.t("This window asks the crews"), lease.isHeld],
  ];
}

function settingsIn(manifest: unknown): readonly string[] {
  const properties = memberOf(
    memberOf(memberOf(manifest, "contributes"), "configuration"),
    "properties",
  );
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** The manifest's `bugs`: an address, or an object with one. */
function trackerIn(manifest: unknown): string | undefined {
  const bugs = memberOf(manifest, "bugs");
  const address: unknown = typeof bugs === "object" ? memberOf(bugs, "url") : bugs;
  return typeof address === "string" ? address : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined;
}
