import assert from "node:assert/strict";
import { idsOf, isOverwritten } from "../../../src/crews/entries.ts";

const entry = (name: string) => ({ name, url: `https://${name.toLowerCase()}.example.com` });
const ours = { id: "url:https://ours.example.com", name: "Ours", url: "https://ours.example.com" };

describe("a crew that two windows write", () => {
  const added = { crew: ours, ids: idsOf([entry("Old"), entry("Ours")]) };

  it("is lost if another one was added and it is missing", () =>
    assert.equal(isOverwritten(added, [entry("Old"), entry("Theirs")]), true));
  it("is not lost if both are there", () =>
    assert.equal(isOverwritten(added, [entry("Old"), entry("Ours"), entry("Theirs")]), false));
  it("was removed by a person if none was added", () => {
    assert.equal(isOverwritten(added, [entry("Old")]), false);
    assert.equal(isOverwritten(added, undefined), false);
  });
});
