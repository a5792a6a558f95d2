/** An action offered beside an error's message: a button and the command behind it. */
export interface ErrorAction {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** An error whose message was written for a person: what is wrong and what to do. */
export class UserError extends Error {
  readonly actions: readonly ErrorAction[];

  constructor(message: string, actions: readonly ErrorAction[] = []) {
    super(message);
    this.name = "UserError";
    this.actions = actions;
  }
}

/** A message for a person from anything that was thrown: never a stack trace; an error that carries a `remedy` says it, too. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("remedy" in error && typeof error.remedy === "string" && error.remedy !== "")
    return `${error.message} ${error.remedy}`;
  return error.message;
}

/** Errors of the language and of the system: nobody foresaw them. Those that are meant for a person have names of their own. */
const unforeseen = ["Error", "TypeError", "RangeError", "ReferenceError", "SyntaxError"];

/** Whether an error is one that nobody foresaw, so that a report of it helps. */
export function isUnforeseen(error: unknown): boolean {
  return error instanceof Error && unforeseen.includes(error.name);
}

/** Buttons of errors that another room made, which knows no commands. */
const offered = new WeakMap<Error, readonly ErrorAction[]>();

/** Puts buttons beside an error's message, wherever it is shown. */
export function offer(error: Error, actions: readonly ErrorAction[]): void {
  offered.set(error, actions);
}

/** The buttons that belong to an error; none for an error that brings none. */
export function actionsOf(error: unknown): readonly ErrorAction[] {
  if (error instanceof UserError) return error.actions;
  return error instanceof Error ? (offered.get(error) ?? []) : [];
}
