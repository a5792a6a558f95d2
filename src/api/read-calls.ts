import { asArray, asObject, defined, idAt, numberAt } from "../base/json.ts";
import { shortAt, timeOf } from "./read-events.ts";

/** A call of a model or of a tool, without its texts. Only Crewdeck's own service keeps them. */
export type KeptCall = ReturnType<typeof readCalls>[number];

/** By the time at which they began. */
export function readCalls(raw: unknown) {
  return asArray(asObject(raw)["calls"])
    .map(asObject)
    .map((call) => ({
      number: numberAt(call, "number") ?? 0,
      kind: shortAt(call, "kind"),
      /** Of the tool. */
      name: shortAt(call, "name") ?? "",
      /** Milliseconds since 1970. */
      start: timeOf(call["at"]) ?? 0,
      isDropped: call["is_dropped"] === true,
      /** By which its events name it. */
      ...defined({ callId: idAt(call, "id") }),
    }))
    .sort((one, other) => one.start - other.start);
}
