import * as vscode from "vscode";

/** An answer that a person has written down beforehand. */
export interface CannedAnswer {
  /** What it is called in a list; without one the text stands there. */
  readonly label?: string;
  readonly text: string;
  readonly kind: "approve" | "reject" | "both";
}

/** The answers of the setting that fit what the person is about to do, as they are now. What has no text is left out. */
export function cannedAnswers(isApprove: boolean): readonly CannedAnswer[] {
  const set: unknown = vscode.workspace.getConfiguration("crewdeck").get("feedback.cannedAnswers");
  const answers = Array.isArray(set) ? set.flatMap(readAnswer) : [];
  return answers.filter(({ kind }) => kind === "both" || (kind === "approve") === isApprove);
}

/** Text alone is an answer for both. */
function readAnswer(raw: unknown): CannedAnswer[] {
  if (typeof raw === "string") return readAnswer({ text: raw });
  if (typeof raw !== "object" || raw === null) return [];
  const { label, text, kind }: Partial<Record<keyof CannedAnswer, unknown>> = raw;
  if (typeof text !== "string" || text.trim() === "") return [];
  const hasLabel = typeof label === "string" && label.trim() !== "";
  return [
    {
      ...(hasLabel ? { label } : {}),
      text,
      kind: kind === "approve" || kind === "reject" ? kind : "both",
    },
  ];
}
