import assert from "node:assert/strict";
import { addressFault, keptAddress } from "../../../src/kickoff/callbacks.ts";
import { initialValues, keptValues } from "../../../src/kickoff/form/values.ts";

describe("What is stored of an address", () => {
  it("is without its name and password", () => {
    for (const secret of ["hush", "p'whush", 'p"whush', "p whush", "a:hush", "%68hush"]) {
      assert.ok(addressFault(`https://me:${secret}@a.test/x`));
      const address = ` https://me:${secret}@a.test/x?y=z@w#v`;
      assert.equal(keptAddress(address), "https://a.test/x?y=z@w#v");
    }
    const taskWebhookUrl = "https://me:hush@a.test/t";
    const typed = { ...initialValues([]), taskWebhookUrl, streamingUrl: "http://hush@a.test" };
    const kept = { taskWebhookUrl: "https://a.test/t", streamingUrl: "http://a.test/" };
    assert.deepEqual(keptValues(typed), { ...typed, ...kept });
  });

  it("is nothing if it is invalid, because these can't be distinguished from the rest", () => {
    for (const typed of [
      ...["https://me:a/hush@a.test", "https://me:p\\hush@a.test", "me:hush@a.test"],
      ...["ftp://me:hush@a.test", "https:/me:hush@a.test", "https://me:hush@"],
    ])
      assert.equal(keptAddress(typed), "");
  });

  it("is the unchanged address if it has none, even if it is incomplete", () => {
    for (const typed of [
      ...["", "a.test", " https://a.test ", "https://a.test/@me"],
      "https://relay.test/cb?to=https://key@a.test/42",
    ])
      assert.equal(keptAddress(typed), typed);
  });
});
