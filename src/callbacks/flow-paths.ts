import type { Database } from "../store/database.ts";

/** In the table `crew_values`: the path where a crew's flows ask for feedback. */
export const flowKind = "flow webhook";

/** Whether any crew has a path for its flows. If so, this machine must receive, because a flow may ask at any time. In a file of its own because each start needs it. */
export function areFlowsUsed(database: Pick<Database, "get">): boolean {
  return database.get("SELECT 1 FROM crew_values WHERE kind = ? LIMIT 1", flowKind) !== undefined;
}
