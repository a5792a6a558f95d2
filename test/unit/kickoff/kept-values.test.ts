import assert from "node:assert/strict";
import { checkAddress, keptAddress } from "../../../src/kickoff/callbacks.ts";
import { initialValues, keptValues } from "../../../src/kickoff/form/values.ts";

const blank = initialValues([]);

describe("What is stored of an address", () => {
  for (const secret of ["hush", "p'whush", 'p"whush', "p whush", "a:hush", "%68hush"]) {
    it(`is without its name and password: ${secret}`, () => {
      assert.equal(checkAddress(`https://me:${secret}@a.test/x`), "credentials");
      assert.equal(
        keptAddress(` https://me:${secret}@a.test/x?y=z@w#v`),
        "https://a.test/x?y=z@w#v",
      );
    });
  }

  it("is nothing if it is invalid, because these can't be distinguished from the rest", () => {
    for (const typed of [
      "https://me:a/hush@a.test",
      "https://me:p\\hush@a.test",
      "me:hush@a.test",
      "ftp://me:hush@a.test",
      "https:/me:hush@a.test",
      "https://me:hush@",
    ])
      assert.equal(keptAddress(typed), "");
  });

  it("is the unchanged address if it has none, even if it is incomplete", () => {
    for (const typed of [
      "",
      "a.test",
      " https://a.test ",
      "https://relay.test/cb?to=https://key@a.test/42",
      "https://a.test/@me",
    ])
      assert.equal(keptAddress(typed), typed);
  });

  it("is the same in the form's fields", () => {
    const values = {
      ...blank,
      taskWebhookUrl: "https://me:hush@a.test/t",
      streamingUrl: "http://hush@a.test",
    };
    assert.deepEqual(
      [keptValues(values).taskWebhookUrl, keptValues(values).streamingUrl],
      ["https://a.test/t", "http://a.test/"],
    );
  });
});
