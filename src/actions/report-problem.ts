import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import { asObject } from "../base/json.ts";
import { versionOf } from "../editor/manifest.ts";
import { recentProblems } from "../editor/recent-problems.ts";
import type { Leader } from "../store/leader.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Poller } from "../executions/poller.ts";
import type { Asker } from "./asker.ts";

type Fact = readonly [name: string, value: string | number | boolean];

export interface ReportParts {
  readonly store: Pick<ExecutionStore, "list">;
  readonly leader: Pick<Leader, "isThisWindow">;
  readonly poller: Pick<Poller, "refusingCrews">;
  readonly context: Pick<vscode.ExtensionContext, "extension">;
  readonly crews: Pick<Crews, "list">;
}

/** Returns Markdown and opens it for a person. It has no private names, addresses or texts. */
export async function reportProblem(parts: ReportParts, by: Asker): Promise<string> {
  const manifest = asObject(parts.context.extension.packageJSON);
  const { bugs } = manifest;
  const address = typeof bugs === "string" ? bugs : asObject(bugs)["url"];
  const report = [
    // First, because it names the tab.
    `# ${vscode.l10n.t("Problem Report")}`,
    vscode.l10n.t(
      "> A report of a problem with Crewdeck, made on your machine. Nothing was sent. It has no tokens, no names or addresses of crews, no inputs and no outputs; read it, and remove what you don't want to share.",
    ),
    `> ${
      typeof address === "string"
        ? vscode.l10n.t("Send it by opening an issue at {0}.", address)
        : vscode.l10n.t("Send it to the person who gave you Crewdeck.")
    }`,
    `## ${vscode.l10n.t("What happened")}`,
    vscode.l10n.t("(Describe what you did, what you expected, and what happened instead.)"),
    `## ${vscode.l10n.t("Versions")}`,
    list(versions(parts.context)),
    `## ${vscode.l10n.t("Settings that differ from their default")}`,
    list(changedSettings(manifest)),
    `## ${vscode.l10n.t("Crews and executions")}`,
    list(counts(parts)),
    `## ${vscode.l10n.t("The last problems in this window")}`,
    recentProblems
      .flatMap(({ at, doing, error, frames }) => [
        `- ${new Date(at).toISOString()} ${doing} (${error})`,
        ...frames.map((frame) => `  - \`${frame}\``),
      ])
      .join("\n") || vscode.l10n.t("None."),
    "",
  ].join("\n\n");
  if (!by.isPerson) return report;
  const untitled = { language: "markdown", content: report };
  const document = await vscode.workspace.openTextDocument(untitled);
  await vscode.window.showTextDocument(document, { preview: false });
  return report;
}

function list(facts: readonly Fact[]): string {
  const lines = facts.map(([name, value]) => `- ${name}: ${String(value)}`);
  return lines.join("\n") || vscode.l10n.t("None.");
}

function versions(context: ReportParts["context"]): readonly Fact[] {
  const { appName, appHost, remoteName, uiKind, language } = vscode.env;
  const window = uiKind === vscode.UIKind.Web ? vscode.l10n.t("browser") : vscode.l10n.t("desktop");
  return [
    ["Crewdeck", versionOf(context)],
    [appName, `${vscode.version} (${appHost})`],
    [vscode.l10n.t("Operating system"), `${process.platform} ${process.arch}`],
    ["Node.js", process.versions.node],
    [vscode.l10n.t("Remote"), describeRemote(remoteName)],
    [vscode.l10n.t("Window"), window],
    [vscode.l10n.t("Language"), language],
    [vscode.l10n.t("Workspace trusted"), vscode.workspace.isTrusted],
  ];
}

/** A remote's name is its kind, such as "wsl", but in VS Code's server its host (observed). */
function describeRemote(name: string | undefined): string {
  if (name === undefined) return vscode.l10n.t("none");
  return /^[a-z][a-z-]*$/.test(name) && name !== "localhost"
    ? name
    : vscode.l10n.t("VS Code's server");
}

/** Texts may be private. */
function changedSettings({ contributes }: ReturnType<typeof asObject>): readonly Fact[] {
  const { properties } = asObject(asObject(contributes)["configuration"]);
  const settings = vscode.workspace.getConfiguration();
  return Object.keys(asObject(properties)).flatMap((name): Fact[] => {
    const value = settings.get<unknown>(name);
    if (JSON.stringify(value) === JSON.stringify(settings.inspect<unknown>(name)?.defaultValue))
      return [];
    if (typeof value === "number" || typeof value === "boolean") return [[name, value]];
    if (Array.isArray(value)) return [[name, vscode.l10n.t("entries: {0}", value.length)]];
    return [[name, vscode.l10n.t("changed")]];
  });
}

function counts({ crews, store, leader, poller }: ReportParts): readonly Fact[] {
  const local = crews.list().flatMap((crew) => crew.local ?? []);
  const running = local.filter((each) => each.running).length;
  const states = new Map<string, number>();
  for (const { state } of store.list()) states.set(state, (states.get(state) ?? 0) + 1);
  return [
    [vscode.l10n.t("Connected crews"), crews.list().length - local.length],
    [vscode.l10n.t("Running local crews"), running],
    [vscode.l10n.t("Stopped local crews"), local.length - running],
    [vscode.l10n.t("Crews with a refused token"), poller.refusingCrews().size],
    ...[...states]
      .sort()
      .map(([state, count]): Fact => [vscode.l10n.t("Executions, {0}", state), count]),
    [vscode.l10n.t("This window polls the crews"), leader.isThisWindow],
  ];
}
