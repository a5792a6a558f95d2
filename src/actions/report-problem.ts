import * as vscode from "vscode";
import { asObject } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { versionOf } from "../editor/manifest.ts";
import { recentProblems } from "../editor/recent-problems.ts";
import type { ExecutionStore } from "../executions/store.ts";
import type { Asker } from "./asker.ts";

export interface ReportParts {
  readonly store: Pick<ExecutionStore, "list">;
  readonly context: Pick<vscode.ExtensionContext, "extension">;
  readonly crews: Pick<Crews, "list">;
}

/** Returns Markdown and opens it for a person. It has no private names, addresses or texts. */
export async function reportProblem(parts: ReportParts, by: Asker): Promise<string> {
  const { crews, store, context } = parts;
  const { contributes, bugs } = asObject(context.extension.packageJSON);
  const address = typeof bugs === "string" ? bugs : asObject(bugs)["url"];
  const local = crews.list().flatMap((each) => each.local ?? []);
  const states = Object.entries(Object.groupBy(store.list(), ({ state }) => state));
  const settings = changedSettings(asObject(asObject(contributes)["configuration"])["properties"]);
  const { appName, appHost, remoteName, uiKind } = vscode.env;
  // For who mends it: in English, whatever the person's language.
  const facts = [
    `Crewdeck ${versionOf(context)}, ${appName} ${vscode.version} (${appHost})`,
    `Node.js ${process.versions.node}, ${process.platform} ${process.arch}`,
    // A remote's name may be that of its host (observed in VS Code's server).
    `Remote: ${remoteName !== undefined}; in a browser: ${uiKind === vscode.UIKind.Web}`,
    `Workspace trusted: ${vscode.workspace.isTrusted}`,
    `Changed settings: ${settings.join(", ") || "none"}`,
    `Crews: ${crews.list().length - local.length} connected, ${local.length} local, of which ${local.filter(({ running }) => running).length} run`,
    `Executions: ${states.map(([state, all]) => `${state} ${all.length}`).join(", ") || "none"}`,
  ];
  const report = [
    // First, because it names the tab.
    `# ${vscode.l10n.t("Problem Report")}`,
    `> ${vscode.l10n.t("A report of a problem with Crewdeck, made on your machine. Nothing was sent. It has no tokens, no names or addresses of crews, no inputs and no outputs; read it, and remove what you don't want to share.")}`,
    `> ${
      typeof address === "string"
        ? vscode.l10n.t("Send it by opening an issue at {0}.", address)
        : vscode.l10n.t("Send it to the person who gave you Crewdeck.")
    }`,
    vscode.l10n.t("(Describe what you did, what you expected, and what happened instead.)"),
    ...[facts, recentProblems].map((lines) => lines.map((line) => `- ${line}`).join("\n")),
    "",
  ].join("\n\n");
  if (!by.isPerson) return report;
  const untitled = { language: "markdown", content: report };
  const document = await vscode.workspace.openTextDocument(untitled);
  await vscode.window.showTextDocument(document, { preview: false });
  return report;
}

/** Only names: values may be private. */
function changedSettings(properties: unknown): readonly string[] {
  const settings = vscode.workspace.getConfiguration();
  return Object.keys(asObject(properties)).filter((name) => {
    const { defaultValue } = settings.inspect<unknown>(name) ?? {};
    return JSON.stringify(settings.get<unknown>(name)) !== JSON.stringify(defaultValue);
  });
}
