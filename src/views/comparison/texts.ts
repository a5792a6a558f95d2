import * as l10n from "@vscode/l10n";

/** The page fills in `{0}` and `{1}`. */
export type ComparisonTexts = ReturnType<typeof comparisonTexts>;

export function comparisonTexts() {
  return {
    heading: l10n.t("{0} compared with {1}"),
    swap: l10n.t("Swap"),
    choose: l10n.t("Choose Another…"),
    chooseInstead: l10n.t("Choose another execution instead of {0}"),
    open: l10n.t("Open {0}"),
    figures: l10n.t("What Differs"),
    figure: l10n.t("Figure"),
    difference: l10n.t("Difference"),
    inputs: l10n.t("Inputs"),
    input: l10n.t("Input"),
    sameInputs: l10n.t("Inputs that are the same ({0})"),
    noValue: l10n.t("none"),
    timelines: l10n.t("Timelines"),
    wholeTime: l10n.t("Show the Whole Time"),
    outputs: l10n.t("Outputs"),
    openDiff: l10n.t("Open Diff"),
    openDiffOf: l10n.t("Open Diff of {0}"),
    tooLarge: l10n.t("These outputs are too large to be compared here."),
    unchanged: l10n.t("Show {0} unchanged lines"),
    differ: l10n.t("{0} of {1} differ"),
    noTask: l10n.t("This execution has no such task."),
    only: { left: l10n.t("Only on the left:"), right: l10n.t("Only on the right:") },
  };
}
