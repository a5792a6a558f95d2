import * as l10n from "@vscode/l10n";
import { formatSize } from "../../base/text.ts";
import type { Execution } from "../../executions/model.ts";
import { asksFor, isForWhatWaits } from "../../executions/resumes.ts";
import { beginningOf, type Draft } from "../../executions/drafts.ts";
import { canAnswer, commandOn, effectOf, type Verb } from "../../view/actions.ts";
import type { ExecutionView } from "../../view/execution-view.ts";
import { isLarge } from "../../view/outputs.ts";
import {
  attemptSection,
  type Rendered,
  resultSection,
  sectionOf,
  taskSection,
} from "../../view/sections.ts";
import { placeOfWaiting } from "../../view/text.ts";
import { answerLabel } from "../../view/words.ts";

/** A command above a line; without one it only says something. */
interface Lens extends Partial<ReturnType<typeof commandOn>> {
  readonly title: string;
  readonly tooltip?: string;
  readonly icon?: string | undefined;
}

/** Lenses for a flow's answers. */
const most = 8;

/** What a person can do, above what it is about: the title, the output that waits, attempts, outputs. */
export function lensesOf(
  execution: Execution,
  { actions, answers, earlier, result, tasks }: ExecutionView,
  rendered: Rendered,
  drafts: readonly Draft[],
): readonly (Lens & { readonly line: number })[] {
  const start = (section: string) => sectionOf(rendered, section)?.start;
  const above = (line: number | undefined, lenses: readonly Lens[]) =>
    line === undefined ? [] : lenses.map((lens) => ({ ...lens, line }));
  const openLens = (output: string, of: object) =>
    output.trim() === "" ? [] : [commandOn(execution, "openOutput", openLabel(output), of)];
  const go = commandOn(execution, "openExecution", l10n.t("Go to Output"));
  return [
    ...above(start("title"), [
      ...(execution.state === "waiting" ? [{ ...go, icon: "arrow-down" }] : []),
      ...actions.map(({ verb, label }) =>
        verb === undefined ? { title: label } : commandOn(execution, verb, label),
      ),
    ]),
    ...(earlier === undefined ? [] : above(start("run again"), [openEarlier(execution, earlier)])),
    ...above(
      placeOfWaiting(execution, rendered)?.first,
      answerLenses(execution, answers, canAnswer(answers) ? drafts : []),
    ),
    ...(result === undefined
      ? []
      : above(start(resultSection), openLens(result, { result: true }))),
    ...tasks.flatMap(({ taskId, attempts }) =>
      attempts.flatMap(({ number: attempt, isOnly, previous, output }) => {
        const section = isOnly ? taskSection(taskId) : attemptSection(taskId, attempt);
        const compare = l10n.t("Compare with Attempt {0}", previous ?? 0);
        return above(start(section), [
          ...(previous === undefined
            ? []
            : [commandOn(execution, "compareAttempts", compare, { taskId, attempt })]),
          ...(output === undefined ? [] : openLens(output, { taskId, attempt })),
        ]);
      }),
    ),
  ];
}

function openEarlier({ crew, request }: Execution, title: string): Lens {
  const { executionId = "" } = request?.runAgain ?? {};
  const from = { crew, kickoffIds: [executionId], localId: executionId };
  return commandOn(from, "openExecution", l10n.t("Open “{0}”", title));
}

function openLabel(output: string): string {
  return isLarge(output)
    ? l10n.t("Open Whole Output ({0})", formatSize(Buffer.byteLength(output)))
    : l10n.t("Open Output");
}

function answerLenses(
  execution: Execution,
  answers: ExecutionView["answers"],
  drafts: readonly Draft[],
): readonly Lens[] {
  const { waiting } = execution;
  const target = waiting && { taskId: waiting.taskId, attempt: waiting.attempt };
  const lens = (verb: string, title: string, tooltip: string, more = {}): Lens => ({
    ...commandOn(execution, verb, title, { ...target, ...more }),
    tooltip,
  });
  const kept = drafts
    .filter((draft) => isForWhatWaits(draft, execution))
    .map((draft) => {
      const { taskId, attempt } = draft;
      const tooltip = l10n.t("Feedback that was not sent: {0}", beginningOf(draft));
      const verb = asksFor(execution, taskId) ? "answer" : "reject";
      const edit = { taskId, attempt, ...wordsFor(verb) };
      return { ...lens(verb, l10n.t("Edit Draft…"), tooltip, edit), icon: "edit" };
    });
  const options = canAnswer(answers) ? (waiting?.options ?? []) : [];
  const answer = (title: string, more = {}) => lens("answer", title, effectOf("answer"), more);
  return [
    ...kept,
    ...options
      .slice(0, most)
      .map((feedback) => answer(answerLabel(feedback, waiting ?? {}), { feedback })),
    ...(options.length > most ? [answer(l10n.t("More Answers…"))] : []),
    ...answers.map(({ verb, label, effect = "" }) =>
      verb === undefined
        ? { title: label }
        : { ...lens(verb, label, effect, wordsFor(verb)), icon: icons[verb] },
    ),
  ];
}

/** A flow is answered in the page's box if there is no text yet. */
function wordsFor(verb: Verb): { readonly feedback?: string } {
  return verb === "answer" ? { feedback: "" } : {};
}

const icons: Readonly<Partial<Record<Verb, string>>> = {
  approve: "check",
  reject: "discard",
  answer: "comment",
};
