import assert from "node:assert/strict";
import { placeAt } from "../../../../src/kickoff/request-files/checks.ts";

/** The place of the bar in a text: its kind, what would be replaced, and what is known of an input there. */
function at(marked: string) {
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  const place = placeAt(text, offset);
  if (place === undefined) return undefined;
  const { start, end } = place.replaces;
  const known = [place.kind, text.slice(start, end)];
  if (place.kind === "inputValue") known.push(place.name);
  if (place.kind !== "inputName") return known.join(" ");
  if (place.hasValue) known.push("has a value");
  if (place.needsComma) known.push("needs a comma");
  return [...known, ...place.given].join(" ");
}

describe("The place of the cursor in a request file", () => {
  const places = [
    ['{"crew": |}', "crew "],
    ['{"crew": "Tr|avel"}', 'crew "Travel"'],
    ['{"crew": |', "crew "],
    ['{"inputs": {|}}', "inputName "],
    ['{"inputs": {"city": "Oslo", "da|"}}', 'inputName "da" city'],
    ['{"inputs": {"da|": 3}}', 'inputName "da" has a value'],
    ['{"inputs": {da| /* then */ "city": 1}}', "inputName da needs a comma city"],
    ['{"inputs": {"size": |}}', "inputValue  size"],
    ['{"inputs": {"size": "s|"}}', 'inputValue "s" size'],
    ['{"inputs": {"size": tr|}}', "inputValue tr size"],
    ["{|}", undefined],
    ['{"meta": {|}}', undefined],
    ['{"inputs": {"a": {|}}}', undefined],
    ['{"inputs": |}', undefined],
    ['{"label": "|"}', undefined],
    ["|", undefined],
  ] as const;
  for (const [text, place] of places)
    it(`is ${place ?? "none"} in ${text}`, () => assert.equal(at(text), place));
});
