import { homedir } from "node:os";
import * as vscode from "vscode";
import { messageOf, UserError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import { json, oneOf, read, text } from "../editor/arguments.ts";
import { askFor, showActions, showStatus } from "../editor/messages.ts";
import { activityIn } from "../executions/activity.ts";
import type { Execution } from "../executions/model.ts";
import type { ExecutionStore } from "../executions/store.ts";
import { titleOf } from "../executions/title.ts";
import type { BundleFile } from "../views/export/bundle.ts";
import type { SpanParts } from "../views/export/exporter.ts";
import type { Timeline } from "../views/timeline/timeline.ts";
import type { Asker } from "./asker.ts";
import { openRawAnswer, type RawAnswerParts } from "./outputs.ts";
import { saveAsRequestFile, uriOf } from "./requests.ts";
import type { Targets, TargetsOptions } from "./targets.ts";

export interface ExportParts extends SpanParts, Pick<RawAnswerParts, "outputsFolder"> {
  readonly targets: Pick<Targets, "active" | "onExecution">;
  readonly crews: Pick<Crews, "client" | "find" | "ready">;
  readonly store: Pick<ExecutionStore, "events" | "find" | "summary">;
  readonly circumstances: TargetsOptions["circumstances"];
  readonly timeline: Pick<Timeline, "shown">;
}

const formats = [
  "markdown",
  "timelineMarkdown",
  "requestFile",
  "rawAnswer",
  "opentelemetry",
  "endpoint",
  "headers",
] as const;
const exportMembers = { folder: text, file: text, headers: json, format: oneOf(formats) };

interface Format extends vscode.QuickPickItem {
  readonly format: (typeof formats)[number];
  readonly isOffered?: boolean;
  run(): Promise<unknown>;
}

const loadBundle = () => import("../views/export/bundle.ts");
const loadExporter = () => import("../views/export/exporter.ts");

/**
 * `exportExecution` takes `{crew, kickoffId, folder?, format?, file?}` and returns the URI of what it
 * made; of `timelineMarkdown` the text, and of `endpoint` `{traceId, spans}`. `{format: "headers",
 * headers?}` sets those of the endpoint, and returns whether it did.
 */
export function exportVerb(parts: ExportParts) {
  const { targets, store, timeline } = parts;
  const exportAs = async (execution: Execution, argument: unknown, by: Asker) => {
    const { format, ...target } = read(exportMembers, argument);
    // A row may have members of the same names.
    const given = by.isPerson ? {} : target;
    const all = formatsOf(parts, execution, given, by);
    // A program that names a folder is asked nothing.
    const wanted = format ?? (given.folder === undefined ? undefined : "markdown");
    const title = vscode.l10n.t("Export “{0}”", titleOf(execution));
    const placeHolder = vscode.l10n.t("In which format?");
    const chosen =
      wanted === undefined
        ? await vscode.window.showQuickPick(
            all.filter(({ isOffered = true }) => isOffered),
            { title, placeHolder },
          )
        : all.find(({ format }) => format === wanted);
    return await chosen?.run();
  };
  const exportNamed = targets.onExecution(exportAs);
  return async (argument: unknown, by: Asker) => {
    const { format, headers } = read(exportMembers, argument);
    if (format === "headers") return await setHeaders(parts, headers);
    // A button of the timeline gives no argument.
    const isOfView = argument === undefined && targets.active() === undefined;
    const inView = isOfView ? timeline.shown : undefined;
    const shown = inView === undefined ? undefined : store.find(inView);
    return await (shown === undefined ? exportNamed(argument, by) : exportAs(shown, argument, by));
  };
}

function formatsOf(
  parts: ExportParts,
  execution: Execution,
  given: { readonly folder?: string; readonly file?: string },
  { isPerson }: Asker,
): readonly Format[] {
  const { crews, store, clock } = parts;
  const activity = () => activityIn(store, execution);
  const circumstances = parts.circumstances.of(execution);
  /** @param files of a folder, or of a file with this ending alone */
  const inFolder = async (ending: string, files: () => Promise<readonly BundleFile[]>) => {
    const folder = given.folder === undefined ? await askFolder() : uriOf(given.folder, "folder");
    if (folder === undefined) return undefined;
    const { bundleName } = await loadBundle();
    const made = await writeNew(folder, bundleName(execution), ending, await files());
    if (isPerson) {
      const file = ending === "" ? vscode.Uri.joinPath(made, "execution.md") : made;
      void showActions("Information", vscode.l10n.t("Exported to {0}.", made.fsPath), [
        { title: vscode.l10n.t("Open"), command: "vscode.open", arguments: [file] },
      ]);
    }
    return made.toString();
  };
  const settings = vscode.workspace.getConfiguration("crewdeck");
  const content =
    settings.get("otlpContent") === true
      ? vscode.l10n.t("with inputs, arguments, outputs and feedback")
      : vscode.l10n.t("without inputs, arguments, outputs and feedback");
  const hasEndpoint = Boolean(settings.get<unknown>("otlpEndpoint"));
  return [
    {
      format: "markdown",
      label: vscode.l10n.t("Markdown"),
      description: vscode.l10n.t("a folder with the document, the outputs and a timeline picture"),
      run: () =>
        inFolder("", async () => {
          const { bundleOf } = await loadBundle();
          return bundleOf(execution, activity(), circumstances, clock.now());
        }),
    },
    {
      format: "timelineMarkdown",
      label: vscode.l10n.t("Timeline as Markdown"),
      description: vscode.l10n.t("to the clipboard"),
      async run() {
        const { timelineMarkdown } = await import("../views/timeline/exports.ts");
        const { timelineContent } = await import("../views/timeline/content.ts");
        const markdown = timelineMarkdown(
          timelineContent(execution, activity(), clock.now(), circumstances),
        );
        await vscode.env.clipboard.writeText(markdown);
        if (isPerson) showStatus(vscode.l10n.t("The timeline is copied."));
        return markdown;
      },
    },
    {
      format: "requestFile",
      label: vscode.l10n.t("Request file"),
      description: vscode.l10n.t("to kick it off again, without secrets"),
      isOffered: execution.request !== undefined,
      run: () => saveAsRequestFile(crews, execution, given.file),
    },
    {
      format: "rawAnswer",
      label: vscode.l10n.t("The crew's answer"),
      description: vscode.l10n.t("its state as the crew sends it, unchanged"),
      run: async () => (await openRawAnswer(parts, execution))?.toString(),
    },
    {
      format: "opentelemetry",
      label: vscode.l10n.t("OpenTelemetry spans"),
      description: vscode.l10n.t("a file in OTLP JSON, {0}", content),
      run: () =>
        inFolder(".otlp.jsonl", async () => {
          const { executionAsSpans } = await loadExporter();
          return [{ path: "", text: executionAsSpans(parts, execution) }];
        }),
    },
    {
      format: "endpoint",
      label: vscode.l10n.t("Send spans to the OTLP endpoint"),
      description: content,
      isOffered: hasEndpoint,
      async run() {
        const { endpoint, sendExecution } = await loadExporter();
        const sent = await sendExecution(parts, execution);
        if (isPerson)
          showStatus(vscode.l10n.t("{0} spans were sent to {1}.", sent.spans, endpoint().origin));
        return sent;
      },
    },
    {
      format: "headers",
      label: vscode.l10n.t("Set OTLP headers…"),
      isOffered: hasEndpoint,
      run: () => setHeaders(parts),
    },
  ];
}

async function askFolder(): Promise<vscode.Uri | undefined> {
  const [folder] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Export Execution"),
      openLabel: vscode.l10n.t("Export Here"),
      canSelectFiles: false,
      canSelectFolders: true,
      defaultUri: vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir()),
    })) ?? [];
  return folder;
}

/** Under a name that is still free. What could not be written whole is removed. @throws UserError */
async function writeNew(
  folder: vscode.Uri,
  name: string,
  ending: string,
  files: readonly BundleFile[],
): Promise<vscode.Uri> {
  const { fs } = vscode.workspace;
  const temporary = vscode.Uri.joinPath(folder, `.${crypto.randomUUID()}.tmp`);
  try {
    for (const { path, text } of files)
      await fs.writeFile(vscode.Uri.joinPath(temporary, path), new TextEncoder().encode(text));
    for (let number = 1; ; number++) {
      const numbered = number === 1 ? name : `${name}-${number}`;
      const target = vscode.Uri.joinPath(folder, `${numbered}${ending}`);
      try {
        await fs.rename(temporary, target, { overwrite: false });
        return target;
      } catch (error) {
        if (!(error instanceof vscode.FileSystemError && error.code === "FileExists")) throw error;
      }
    }
  } catch (error) {
    await Promise.resolve(fs.delete(temporary, { recursive: true })).catch(() => undefined);
    throw new UserError(
      vscode.l10n.t("Nothing was exported to {0}. {1}", folder.fsPath, messageOf(error)),
      [],
      { cause: error },
    );
  }
}

async function setHeaders({ context }: ExportParts, given?: JsonObject): Promise<boolean> {
  const url = (await loadExporter()).endpoint();
  const { parseHeaders, readHeaders, storeHeaders } = await import("../views/export/endpoint.ts");
  const headers = given
    ? readHeaders(given)
    : await askFor(parseHeaders, {
        title: vscode.l10n.t("Set OTLP Headers"),
        prompt: vscode.l10n.t(
          "Headers for {0} only, such as Authorization=Bearer KEY or Authorization=Basic USER:PASSWORD; several are separated by commas. Leave it empty to remove them.",
          url.origin,
        ),
        password: true,
      });
  if (headers === undefined) return false;
  await storeHeaders(url, headers, context.secrets);
  if (given === undefined) showStatus(vscode.l10n.t("The headers for {0} are set.", url.origin));
  return true;
}
