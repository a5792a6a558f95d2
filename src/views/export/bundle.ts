import * as l10n from "@vscode/l10n";
import { fileName } from "../../base/files.ts";
import type { Activity } from "../../executions/activity.ts";
import type { Execution } from "../../executions/model.ts";
import { titleOf } from "../../executions/title.ts";
import type { Circumstances } from "../../view/actions.ts";
import { inlineText, outputContent } from "../../view/markdown.ts";
import { outputsOf } from "../../view/outputs.ts";
import { sectionOf, textOf } from "../../view/text.ts";
import { type ExecutionView, viewOf } from "../../view/execution-view.ts";
import { timelineContent } from "../timeline/content.ts";
import { timelinePicture } from "../timeline/exports.ts";

export interface BundleFile {
  /** Relative, with slashes. Needs no encoding in a link. */
  readonly path: string;
  readonly text: string;
}

/** An execution as files: its document, its outputs, and its timeline as a picture. @param now milliseconds since 1970 */
export function bundleOf(
  execution: Execution,
  activity: Activity,
  circumstances: Circumstances,
  now: number,
): readonly BundleFile[] {
  const view = viewOf(execution, activity, circumstances);
  const outputs = outputFiles(execution);
  const content = timelineContent(execution, activity, now, circumstances);
  return [
    { path: "execution.md", text: documentText(view, outputs) },
    { path: "timeline.svg", text: timelinePicture(content) },
    ...outputs,
  ];
}

function linkName(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "");
  return fileName(plain).replace(/(?<![.-])[.-]+$/, "");
}

function documentText(view: ExecutionView, outputs: readonly OutputFile[]): string {
  const rendered = textOf(view);
  const lines = rendered.text.split("\n");
  const picture = `![${l10n.t("Timeline")}](timeline.svg)`;
  lines.splice(sectionOf(rendered, "state")?.end ?? 0, 0, picture, "");
  const links = outputs.map(({ label, path }) => `- [${inlineText(label)}](${path})`);
  if (links.length > 0) lines.push(`## ${l10n.t("Files")}`, "", ...links, "");
  return lines.join("\n");
}

interface OutputFile extends BundleFile {
  readonly label: string;
}

function outputFiles(execution: Execution): readonly OutputFile[] {
  return outputsOf(execution).map(({ part, output }) => {
    const { extension, text } = outputContent(output);
    if (part.kind === "result")
      return { path: `result.${extension}`, label: l10n.t("Result"), text };
    const { taskId, attempt } = part;
    // The number makes it unique.
    const number = execution.tasks.findIndex((task) => task.taskId === taskId) + 1;
    const name = `outputs/${String(number).padStart(2, "0")}-${linkName(taskId)}`;
    if (attempt === 1) return { path: `${name}.${extension}`, label: taskId, text };
    const label = l10n.t("{0}, attempt {1}", taskId, attempt);
    return { path: `${name}.attempt-${attempt}.${extension}`, label, text };
  });
}

export function bundleName(execution: Execution): string {
  return linkName(titleOf(execution));
}
