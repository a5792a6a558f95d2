import * as l10n from "@vscode/l10n";
import { fileName } from "../../base/files.ts";
import type { Activity } from "../../executions/activity.ts";
import type { Execution } from "../../executions/model.ts";
import type { Price } from "../../executions/tokens.ts";
import { titleOf } from "../../executions/title.ts";
import { inlineText } from "../../view/markdown.ts";
import { notesOf, textOf } from "../../view/text.ts";
import { outputContent } from "../../view/markdown.ts";
import { type Output, outputsOf } from "../../view/outputs.ts";
import { viewOf } from "../../view/execution-view.ts";
import { type Rendered, sectionOf } from "../../view/sections.ts";
import { timelineContent } from "../timeline/content.ts";
import { lookAt } from "../timeline/messages.ts";
import { timelinePicture } from "../timeline/exports.ts";
import { rowsOf } from "../timeline/rows.ts";

interface BundleFile {
  /** Relative, with slashes. Needs no encoding in a link. */
  readonly path: string;
  readonly text: string;
}

interface BundleOptions {
  readonly prices: readonly Price[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** An execution as files: its document, its outputs, and its timeline as a picture. */
export function bundleOf(
  execution: Execution,
  activity: Activity,
  options: BundleOptions,
): readonly BundleFile[] {
  const outputs = outputFiles(execution);
  return [
    { path: "execution.md", text: documentText(execution, activity, outputs, options) },
    { path: "timeline.svg", text: pictureOf(execution, activity, options) },
    ...outputs,
  ];
}

/** A file or folder name that needs no encoding in a link. */
function linkName(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "");
  return fileName(plain).replace(/(?<![.-])[.-]+$/, "");
}

/** As the open document shows it, with its decorations as text. */
function documentText(
  execution: Execution,
  activity: Activity,
  outputs: readonly OutputFile[],
  { prices, now }: BundleOptions,
): string {
  const view = viewOf(execution, activity, { prices });
  const rendered = textOf(view);
  const lines = withDecorations(rendered, notesOf(view, rendered, now));
  lines.splice(
    sectionOf(rendered, "state")?.end ?? 0,
    0,
    `![${l10n.t("Timeline")}](timeline.svg)`,
    "",
  );
  if (outputs.length > 0)
    lines.push(
      `## ${l10n.t("Files")}`,
      "",
      ...outputs.map(({ label, path }) => `- [${inlineText(label)}](${path})`),
      "",
    );
  return lines.join("\n");
}

function withDecorations({ text, strong }: Rendered, notes: ReturnType<typeof notesOf>): string[] {
  const lines = text.split("\n");
  for (const { line, from, to } of strong.toReversed()) {
    const whole = lines[line] ?? "";
    lines[line] = `${whole.slice(0, from)}**${whole.slice(from, to)}**${whole.slice(to)}`;
  }
  for (const { line, text: note } of notes) {
    // Below a task's heading is its state.
    const at = lines[line]?.startsWith("#") === true ? line + 2 : line;
    lines[at] = `${lines[at] ?? ""} · ${note}`;
  }
  return lines;
}

interface OutputFile extends BundleFile {
  readonly label: string;
}

function outputFiles(execution: Execution): readonly OutputFile[] {
  const all = outputsOf(execution);
  return all.map(({ part, output }) => {
    const { extension, text } = outputContent(output);
    const { name, label } = namesOf(part, all, execution);
    return { path: `${name}.${extension}`, label, text };
  });
}

function namesOf(part: Output["part"], all: readonly Output[], { tasks }: Execution) {
  if (part.kind === "result") return { name: "result", label: l10n.t("Result") };
  const { taskId, attempt } = part;
  const attempts = all.filter(
    (each) => each.part.kind === "attempt" && each.part.taskId === taskId,
  );
  // The number makes it unique.
  const number = tasks.findIndex((task) => task.taskId === taskId) + 1;
  const name = `outputs/${String(number).padStart(2, "0")}-${linkName(taskId)}`;
  return attempts.length === 1
    ? { name, label: taskId }
    : { name: `${name}.attempt-${attempt}`, label: l10n.t("{0}, attempt {1}", taskId, attempt) };
}

function pictureOf(
  execution: Execution,
  activity: Activity,
  { prices, now }: BundleOptions,
): string {
  const content = timelineContent(execution, activity, now, prices);
  const look = lookAt(execution.localId, undefined);
  const { rows } = rowsOf(content.spans, look);
  return timelinePicture(rows, content, look, now);
}

/** A name for the folder or file. */
export function bundleName(execution: Execution): string {
  return linkName(titleOf(execution));
}
