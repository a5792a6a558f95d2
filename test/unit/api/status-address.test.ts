import assert from "node:assert/strict";
import { AddressError, readStatusAddress } from "../../../src/api/address.ts";

const id = "3f2a8c1e-0000-4000-8000-000000000000";

describe("the address of a status answer", () => {
  for (const [text, url, kickoffId] of [
    [`https://crew.example.com/${id}/status`, "https://crew.example.com", id],
    [` https://crew.example.com/status/${id}/ `, "https://crew.example.com", id],
    [`https://crew.example.com/v2/${id}/status?x=1`, "https://crew.example.com/v2", id],
    [`crew.example.com/status/run-7`, "https://crew.example.com", "run-7"],
    [`http://127.0.0.1:8000/run%207/status`, "http://127.0.0.1:8000", "run 7"],
  ] as const) {
    it(`${text} names the crew and the execution`, () =>
      assert.deepEqual(readStatusAddress(text), { url, kickoffId }));
  }

  for (const text of [
    id,
    "",
    "https://crew.example.com",
    "https://crew.example.com/kickoff",
    "https://status",
    "run/status",
    "/status",
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(readStatusAddress(text), undefined));
  }

  it("is refused if no token may be sent there", () => {
    assert.throws(() => readStatusAddress(`http://crew.example.com/${id}/status`), AddressError);
  });
});
