import type { CrewRef } from "./model.ts";
import type { ExecutionStore } from "./store.ts";

/** A crew was renamed or has another address: its tracked executions follow, so that their documents and questions go to the right place. */
export function moveCrew(
  store: Pick<ExecutionStore, "list" | "update">,
  fromId: string,
  { id, name, url }: CrewRef,
): void {
  for (const execution of store.list().filter(({ crew }) => crew.id === fromId)) {
    store.update(execution.localId, (current) => ({ ...current, crew: { id, name, url } }));
  }
}
