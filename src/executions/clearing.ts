import { randomUUID } from "node:crypto";

/** What is deleted: what executions left on this machine, or the crews and their tokens, too. */
export type ClearScope = "data" | "everything";

/** The id of a record that tells other windows that all others were deleted, on purpose. Never that of an execution: those are UUIDs. */
export function clearingMark(scope: ClearScope): string {
  return `cleared-${scope}-${randomUUID()}`;
}

/** What a record tells to have been deleted; nothing where it is an execution's. */
export function clearedBy(localId: string): ClearScope | undefined {
  const [, scope] = /^cleared-(data|everything)-/.exec(localId) ?? [];
  return scope === "data" || scope === "everything" ? scope : undefined;
}
