import { fill } from "../kickoff/fill.ts";
import type { FormTexts } from "../kickoff/form-texts.ts";
import type { Notice } from "../kickoff/messages.ts";
import { button, make } from "./dom.ts";
import type { Outside } from "./state.ts";

/** Where the values of the form came from, unless they were changed since, and a way back. */
export function noticeLine(
  notice: Notice | undefined,
  texts: FormTexts,
  outside: Outside,
): readonly HTMLElement[] {
  if (notice === undefined) return [];
  const { input = "", from = "" } = notice.taken ?? {};
  const line = make(
    "p",
    { class: "notice", role: "status" },
    notice.kind === "changed" ? "" : fill(texts.notices[notice.kind], input, from),
  );
  if (notice.canUndo)
    line.append(
      " ",
      button(texts.undo, "link", () => outside.post({ type: "undo" })),
    );
  else if (notice.kind !== "cleared")
    line.append(
      " ",
      button(texts.clear, "link", () => outside.post({ type: "clear" })),
    );
  return [line];
}
