/** Where a question stands among the others. */
export interface Position {
  /** Counts from 1. */
  readonly step: number;
  readonly total: number;
  readonly canGoBack: boolean;
}

/** How a question was left. What was typed is kept by who asked, whichever way it was. */
export type Left = "next" | "back" | "cancel";

/** What to do after a failure: try the same again, ask one question again, finish without the test, or end. */
export type AfterFailure<Step> = "again" | "untested" | "cancel" | { readonly edit: Step };

/** Questions that lead to one result, with a test at the end that may fail. */
export interface Conversation<Step, Result> {
  /** The questions, in order. Asked for again after each answer, because an answer may make others needless. */
  steps(): readonly Step[];
  ask(step: Step, position: Position): Promise<Left>;
  finish(options: { readonly untested: boolean }): Promise<Result>;
  /** Tells a failure of {@link finish} and asks what to do. */
  failed(error: unknown): Promise<AfterFailure<Step>>;
}

/** Holds a conversation. Ends with the result, or with nothing when the person cancelled. A failure never ends it by itself, so nothing typed is lost. */
export async function converse<Step, Result>(
  conversation: Conversation<Step, Result>,
): Promise<Result | undefined> {
  if (!(await askAll(conversation))) return undefined;
  let untested = false;
  for (;;) {
    try {
      return await conversation.finish({ untested });
    } catch (error) {
      const next = await conversation.failed(error);
      if (next === "cancel") return undefined;
      untested = next === "untested";
      if (typeof next === "object" && !(await askAgain(conversation, next.edit))) return undefined;
    }
  }
}

async function askAll<Step, Result>(conversation: Conversation<Step, Result>): Promise<boolean> {
  let index = 0;
  for (;;) {
    const steps = conversation.steps();
    const step = steps[index];
    if (step === undefined) return true;
    const left = await conversation.ask(step, {
      step: index + 1,
      total: steps.length,
      canGoBack: index > 0,
    });
    if (left === "cancel") return false;
    index += left === "back" ? -1 : 1;
  }
}

/** Asks one question again by itself; the answers to the others stand. */
async function askAgain<Step, Result>(
  conversation: Conversation<Step, Result>,
  step: Step,
): Promise<boolean> {
  return (await conversation.ask(step, { step: 1, total: 1, canGoBack: false })) === "next";
}
