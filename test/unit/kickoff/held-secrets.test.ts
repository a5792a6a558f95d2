import assert from "node:assert/strict";
import {
  carriedOver,
  isMeantFor,
  secretsFor,
  targetFor,
  targetsIn,
} from "../../../src/kickoff/form/secrets.ts";
import { type FormValues, initialValues } from "../../../src/kickoff/form/values.ts";

const to = (
  url: string,
  strategy: "none" | "bearer" | "basic" = "bearer",
  username = "",
): FormValues => ({
  ...initialValues([]),
  callbacks: { ...initialValues([]).callbacks, humanInputWebhookUrl: url },
  humanInput: { strategy, username },
});
const ofA = { humanInput: { text: "hush", target: targetFor("bearer", "https://a.test/h") } };
const withoutAddress = { humanInput: { text: "hush", target: targetFor("bearer", "https:/") } };

describe("Secrets in a form", () => {
  it("are for one origin and one strategy, whatever else is in the address", () => {
    assert.equal(targetFor("bearer", " https://A.test/h?x=1 "), "bearer https://a.test");
    for (const url of ["https://a.test/h", " https://A.test:443/other"])
      assert.equal(secretsFor(to(url), ofA).humanInput, "hush", url);
    for (const other of [
      to("http://a.test/h"),
      to("https://a.test:8443/h"),
      to("https://b.test/h"),
      to("https://a.test.b.test"),
      to(""),
      to("https:/"),
      to("https://a.test/h", "none"),
      to("https://a.test/h", "basic"),
    ])
      assert.equal(secretsFor(other, ofA).humanInput, "");
  });

  it("are for the address that follows if they were entered before it", () => {
    for (const url of ["", "https:/", "https://a.test"])
      assert.equal(secretsFor(to(url), withoutAddress).humanInput, "hush", url);
    assert.equal(secretsFor(to("https://a.test", "basic"), withoutAddress).humanInput, "");
    assert.equal(isMeantFor(targetFor("bearer", "https://a.test"), undefined), false);
  });

  it("are kept if new values keep their callback, and forgotten if not", () => {
    assert.deepEqual(carriedOver(ofA, to("https://a.test/h"), to("https://a.test/other")), ofA);
    assert.deepEqual(carriedOver(ofA, to("https://a.test/h"), to("https://b.test/h")), {});
    assert.deepEqual(
      carriedOver(ofA, to("https://b.test/h"), to("https://b.test/h")),
      {},
      "it was entered for another host",
    );
    assert.deepEqual(
      carriedOver(withoutAddress, to(""), to("https://b.test/h")),
      {},
      "the address was not typed",
    );
    const ofMe = { humanInput: { text: "hush", target: targetFor("basic", "https://a.test") } };
    assert.deepEqual(
      carriedOver(ofMe, to("https://a.test", "basic", "me"), to("https://a.test", "basic", "you")),
      {},
      "it belongs to another username",
    );
  });

  it("are shown to the page only by their targets", () => {
    const target = "bearer https://e.test";
    assert.deepEqual(targetsIn({ streaming: { text: "hush", target } }), { streaming: target });
    assert.deepEqual(targetsIn({ streaming: { text: "", target } }), {}, "it was removed");
  });
});
