export interface ErrorAction {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export function action(title: string, command: string, ...given: readonly unknown[]): ErrorAction {
  return { title, command, ...(given.length > 0 && { arguments: given }) };
}

export class UserError extends Error {
  override readonly name: string = "UserError";
  readonly actions: readonly ErrorAction[];

  constructor(message: string, actions: readonly ErrorAction[] = [], options?: ErrorOptions) {
    super(message, options);
    this.actions = actions;
  }
}

/** There is nothing to act on. Shown as information, and not logged as a problem. */
export class NothingToDo extends UserError {
  override readonly name = "NothingToDo";
}

/** A message for a person, from anything thrown: no stack trace; with the error's `remedy`. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("remedy" in error && typeof error.remedy === "string" && error.remedy !== "")
    return `${error.message} ${error.remedy}`;
  return error.message;
}

/** The code of an error of Node or Postgres, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const unforeseen = ["Error", "TypeError", "RangeError", "ReferenceError", "SyntaxError"];

/** Bugs have the language's names; other errors have names of their own. */
export function isUnforeseen(error: unknown): boolean {
  return error instanceof Error && unforeseen.includes(error.name);
}

/** Actions for errors of rooms that know no commands. */
const offered = new WeakMap<Error, readonly ErrorAction[]>();

export function offer(error: Error, actions: readonly ErrorAction[]): void {
  offered.set(error, actions);
}

export function actionsOf(error: unknown): readonly ErrorAction[] {
  if (error instanceof UserError) return error.actions;
  return error instanceof Error ? (offered.get(error) ?? []) : [];
}

/** Where rooms without `vscode` report problems that no caller gets. */
export interface ProblemLog {
  /** `doing` is a constant, for problem reports; `about`, the crew or file, is only logged. */
  problem(doing: string, error: unknown, about?: string): void;
}
