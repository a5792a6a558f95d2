/** What is deleted: what executions left on this machine, or the crews and their tokens, too. */
export type ClearScope = "data" | "everything";
