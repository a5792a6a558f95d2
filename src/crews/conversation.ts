export interface Position {
  readonly step: number;
  readonly total: number;
  readonly canGoBack: boolean;
}

export type Left = "next" | "back" | "cancel";

export type AfterFailure<Step> = "again" | "untested" | "cancel" | { readonly edit: Step };

interface Conversation<Step, Result> {
  /** The questions in order; read again after each answer. */
  steps(): readonly Step[];
  ask(step: Step, position: Position): Promise<Left>;
  finish(options: { readonly untested: boolean }): Promise<Result>;
  failed(error: unknown): Promise<AfterFailure<Step>>;
}

/** Undefined if the person cancels. An error keeps what was entered. */
export async function converse<Step, Result>(
  conversation: Conversation<Step, Result>,
): Promise<Result | undefined> {
  for (let index = 0; ;) {
    const steps = conversation.steps();
    const step = steps[index];
    if (step === undefined) break;
    const position = { step: index + 1, total: steps.length, canGoBack: index > 0 };
    const left = await conversation.ask(step, position);
    if (left === "cancel") return undefined;
    index += left === "back" ? -1 : 1;
  }
  let untested = false;
  for (;;) {
    try {
      return await conversation.finish({ untested });
    } catch (error) {
      const next = await conversation.failed(error);
      if (next === "cancel") return undefined;
      untested = next === "untested";
      if (typeof next !== "object") continue;
      const only = { step: 1, total: 1, canGoBack: false };
      if ((await conversation.ask(next.edit, only)) !== "next") return undefined;
    }
  }
}
