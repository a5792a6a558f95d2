import type { JsonObject, JsonValue } from "../api/types.ts";

/** A value on one line, at most this many characters. */
export function valueInShort(value: JsonValue, longest = 80): string {
  const line = (typeof value === "string" ? value : JSON.stringify(value))
    .slice(0, longest * 4)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const characters = Array.from(line === "" ? JSON.stringify(value) : line);
  return characters.length <= longest
    ? characters.join("")
    : `${characters
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`;
}

/** Inputs as "name: value", each on one line; of many only the first. */
export function inputsInShort(inputs: JsonObject, most = 12): readonly string[] {
  const lines = Object.entries(inputs).map(
    ([name, value]) => `${valueInShort(name, 40)}: ${valueInShort(value)}`,
  );
  return lines.length <= most ? lines : [...lines.slice(0, most), "…"];
}
