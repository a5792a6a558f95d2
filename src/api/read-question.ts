import { asArray, defined, textAt, type UnknownObject } from "../base/json.ts";
import { shortened } from "../base/text.ts";
import type { Question } from "./types.ts";

const most = { options: 50, message: 10_000 };

/** What a flow asks a person. Undefined for a crew's output, which is approved or rejected. */
export function readQuestion(asked: UnknownObject): Question | undefined {
  const given = optionsAt(asked);
  // Null is for any answer, if something is asked.
  const isAny = given === null && typeof asked["message"] === "string";
  if (!Array.isArray(given) && !isAny) return undefined;
  const options = readOptions(asked);
  const message = textAt(asked, "message");
  const byDefault = textAt(asked, "default_outcome", "defaultOutcome");
  return {
    options,
    ...defined({
      message: message && shortened(message, most.message),
      defaultOption: options.find((option) => option === byDefault),
    }),
  };
}

/** The options without repeats, unchanged: the chosen one is sent as the answer. */
export function readOptions(asked: UnknownObject): readonly string[] {
  const texts = asArray(optionsAt(asked)).filter((each) => typeof each === "string");
  return [...new Set(texts.filter((each) => each.trim() !== ""))].slice(0, most.options);
}

/** Webhooks have the first of these names (vendor's documentation), as has the local service. */
function optionsAt(asked: UnknownObject): unknown {
  const names = ["emit_options", "emit", "emitOptions"];
  return names.map((name) => asked[name]).find((value) => value !== undefined);
}
