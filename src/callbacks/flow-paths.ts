import type { Database } from "../store/database.ts";

/** Of the rows with crews' paths. */
export const flowKind = "flow webhook";

/** Whether any crew has a path for its flows, so that it must be listened to. */
export function areFlowsUsed(database: Pick<Database, "get">): boolean {
  return database.get("SELECT 1 FROM crew_values WHERE kind = ? LIMIT 1", flowKind) !== undefined;
}
