import assert from "node:assert/strict";
import { placeAt } from "../../../../src/kickoff/request-files/checks.ts";

/** The place of the bar in a text, with the text that would be replaced. */
function at(marked: string) {
  const offset = marked.indexOf("|");
  const text = marked.replace("|", "");
  const place = placeAt(text, offset);
  return (
    place && {
      ...place,
      replaces: text.slice(place.replaces.start, place.replaces.end),
      ...("given" in place ? { given: [...place.given] } : {}),
    }
  );
}

describe("The place of the cursor in a request file", () => {
  it("is the crew's name, quoted or not yet", () => {
    assert.deepEqual(at('{"crew": |}'), { kind: "crew", replaces: "" });
    assert.deepEqual(at('{"crew": "Tr|avel"}'), { kind: "crew", replaces: '"Travel"' });
    assert.deepEqual(at('{"crew": |'), { kind: "crew", replaces: "" });
  });

  it("is the name of an input, beside the given ones", () => {
    assert.deepEqual(at('{"inputs": {|}}'), {
      kind: "inputName",
      replaces: "",
      given: [],
      hasValue: false,
      needsComma: false,
    });
    assert.deepEqual(at('{"inputs": {"city": "Oslo", "da|"}}'), {
      kind: "inputName",
      replaces: '"da"',
      given: ["city"],
      hasValue: false,
      needsComma: false,
    });
    assert.deepEqual(at('{"inputs": {"da|": 3}}'), {
      kind: "inputName",
      replaces: '"da"',
      given: [],
      hasValue: true,
      needsComma: false,
    });
    assert.deepEqual(at('{"inputs": {da| /* then */ "city": 1}}'), {
      kind: "inputName",
      replaces: "da",
      given: ["city"],
      hasValue: false,
      needsComma: true,
    });
  });

  it("is the value of an input", () => {
    assert.deepEqual(at('{"inputs": {"size": |}}'), {
      kind: "inputValue",
      name: "size",
      replaces: "",
    });
    assert.deepEqual(at('{"inputs": {"size": "s|"}}'), {
      kind: "inputValue",
      name: "size",
      replaces: '"s"',
    });
    assert.deepEqual(at('{"inputs": {"size": tr|}}')?.replaces, "tr");
  });

  it("is none anywhere else", () => {
    for (const text of [
      "{|}",
      '{"meta": {|}}',
      '{"inputs": {"a": {|}}}',
      '{"inputs": |}',
      '{"label": "|"}',
      "|",
    ])
      assert.equal(at(text), undefined, text);
  });
});
