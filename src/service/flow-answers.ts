import type { JsonObject } from "../api/types.ts";
import { defined } from "../base/json.ts";
import type { FlowAnswer, FlowQuestion } from "./engine.ts";
import { ApiError } from "./errors.ts";

export interface FeedbackAnswer extends Pick<FlowAnswer, "feedback" | "outcomes"> {
  readonly isApprove?: boolean;
}

/** Options that say by their name what `is_approve` means. */
const approving = /^(approved?|accept(ed)?|confirm(ed)?|yes|ok)$/;
const rejecting = /^(reject(ed)?|decline[ds]?|deny|denied|refused?|no)$/;

/**
 * What a person's feedback means to a method of a flow. Feedback that is one of its options is that option. Otherwise
 * `isApprove` decides which options are left, and crewAI's model chooses where they are several: a rejection never
 * becomes an approval. Without `isApprove` crewAI chooses.
 * @throws {ApiError} 400 if the options don't say what is meant
 */
export function answerTo(
  { method, options, defaultOption }: FlowQuestion,
  feedback: string,
  isApprove?: boolean,
): FeedbackAnswer {
  const isBlank = feedback.trim() === "";
  const verdict = defined({ isApprove });
  if (options === null)
    // The flow sees nothing but the text.
    return {
      feedback: isBlank && isApprove === false ? "Rejected." : feedback,
      outcomes: null,
      ...verdict,
    };
  const fail = (problem: string) => {
    const names = options.map((option) => JSON.stringify(option)).join(", ");
    return new ApiError(400, `${problem} Send one of ${names} as human_feedback`);
  };
  const exact = options.find((option) => plain(option) === plain(feedback));
  const meaning = exact === undefined ? undefined : meaningOf(exact);
  if (exact !== undefined) {
    if (meaning !== undefined && isApprove !== undefined && meaning !== isApprove)
      throw fail(`The feedback "${exact}" contradicts is_approve.`);
    return { feedback, outcomes: [exact], ...defined({ isApprove: isApprove ?? meaning }) };
  }
  if (isApprove === undefined) return { feedback, outcomes: null };
  const left = options.filter((option) => meaningOf(option) !== !isApprove);
  // Words with a rejection may ask for changes.
  const named = left.filter((option) => meaningOf(option) === isApprove && (isApprove || isBlank));
  const outcomes = named.length > 0 ? named : left;
  if (outcomes.length === 0)
    throw fail(`The method "${method}" can't be ${isApprove ? "approved" : "rejected"}.`);
  if (outcomes.length === 1 || !isBlank) return { feedback, outcomes, isApprove };
  if (defaultOption !== null && outcomes.includes(defaultOption))
    return { feedback, outcomes: [defaultOption], isApprove };
  throw fail(`The method "${method}" has several ways to continue.`);
}

/** What a method asks, as a status and a human-input callback tell it. */
export function questionOf({ message, options, defaultOption }: FlowQuestion): JsonObject {
  return {
    message,
    emit_options: options && [...options],
    ...(defaultOption !== null && { default_outcome: defaultOption }),
  };
}

/** Whether the option's name means approval; undefined if it says neither. */
function meaningOf(option: string): boolean | undefined {
  const name = plain(option);
  return approving.test(name) ? true : rejecting.test(name) ? false : undefined;
}

/** Clients approve with “Approved.”. */
function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/(?<![.!])[.!]+$/, "")
    .replace(/[\s_-]+/g, " ");
}
