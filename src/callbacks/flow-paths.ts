import type { Database } from "../store/database.ts";

/** The kind of rows that hold crews' paths for their flows. */
export const flowKind = "flow webhook";

/** Whether any crew has a path for its flows, so that it must be listened to. */
export function areFlowsUsed(database: Pick<Database, "get">): boolean {
  return database.get("SELECT 1 FROM crew_values WHERE kind = ? LIMIT 1", flowKind) !== undefined;
}
