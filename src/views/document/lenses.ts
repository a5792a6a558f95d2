import * as l10n from "@vscode/l10n";
import type { Execution } from "../../executions/model.ts";
import { canAnswer, commandOn, type Verb } from "../../view/actions.ts";
import type { ExecutionView } from "../../view/execution-view.ts";
import {
  attemptSection,
  placeOfWaiting,
  type Rendered,
  resultSection,
  sectionOf,
  taskSection,
} from "../../view/text.ts";
import { answerLabel } from "../../view/words.ts";

interface Lens extends Partial<ReturnType<typeof commandOn>> {
  readonly title: string;
  readonly tooltip?: string;
  readonly icon?: string | undefined;
}

export function lensesOf(
  execution: Execution,
  { actions, answers, result, tasks }: ExecutionView,
  rendered: Rendered,
): readonly (Lens & { readonly line: number })[] {
  const start = (section: string) => sectionOf(rendered, section)?.start;
  const above = (line: number | undefined, lenses: readonly Lens[]) =>
    line === undefined ? [] : lenses.map((lens) => ({ ...lens, line }));
  const openLens = (output: string | undefined, of: object) =>
    output === undefined || output.trim() === ""
      ? []
      : [commandOn(execution, "openOutput", l10n.t("Open Output"), of)];
  const go = commandOn(execution, "openExecution", l10n.t("Go to Output"));
  return [
    ...above(start("title"), [
      ...(execution.state === "waiting" ? [{ ...go, icon: "arrow-down" }] : []),
      ...actions.map(({ verb, label }) =>
        verb === undefined ? { title: label } : commandOn(execution, verb, label),
      ),
    ]),
    ...above(placeOfWaiting(execution, rendered)?.first, answerLenses(execution, answers)),
    ...above(start(resultSection), openLens(result, { result: true })),
    ...tasks.flatMap(({ taskId, attempts }) =>
      attempts.flatMap(({ number: attempt, isOnly, previous, output }) => {
        const section = isOnly ? taskSection(taskId) : attemptSection(taskId, attempt);
        const compare = l10n.t("Compare with Attempt {0}", previous ?? 0);
        return above(start(section), [
          ...(previous === undefined
            ? []
            : [commandOn(execution, "compareAttempts", compare, { taskId, attempt })]),
          ...openLens(output, { taskId, attempt }),
        ]);
      }),
    ),
  ];
}

function answerLenses(execution: Execution, answers: ExecutionView["answers"]): readonly Lens[] {
  const { waiting } = execution;
  const target = waiting && { taskId: waiting.taskId, attempt: waiting.attempt };
  const lens = (verb: Verb, title: string, more = {}): Lens =>
    commandOn(execution, verb, title, { ...target, ...more });
  const options = canAnswer(answers) ? (waiting?.options ?? []) : [];
  return [
    // The page's box has all.
    ...options.slice(0, 8).map((feedback) => {
      const label = answerLabel(feedback, waiting ?? {});
      return lens("answer", label, { feedback });
    }),
    ...answers.map(({ verb, label, effect }) => {
      if (verb === undefined) return { title: label };
      // A flow is answered in the page's box if there is no text yet.
      const words = verb === "answer" ? { feedback: "" } : {};
      return { ...lens(verb, label, words), ...(effect && { tooltip: effect }), icon: icons[verb] };
    }),
  ];
}

const icons: Readonly<Partial<Record<Verb, string>>> = {
  approve: "check",
  reject: "discard",
  answer: "comment",
};
