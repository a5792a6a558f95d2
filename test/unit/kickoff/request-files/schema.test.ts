import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import {
  requestFileMembers,
  writeRequestFile,
} from "../../../../src/kickoff/request-files/request-file.ts";
import { projectFolder } from "../../../support/folders.ts";
import { authenticated } from "../support.ts";

interface Manifest {
  readonly contributes: {
    readonly jsonValidation: readonly { readonly fileMatch: string; readonly url: string }[];
  };
}

describe("The schema of request files", () => {
  const read = (file: string): unknown =>
    JSON.parse(readFileSync(path.join(projectFolder, file), "utf8"));
  const [contributed] = (read("package.json") as Manifest).contributes.jsonValidation;
  const schema = read(contributed!.url) as {
    readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  };
  const isValid = new Ajv({ strict: false, formats: { regex: true } }).compile(schema);

  it("is contributed for *.kickoff.json and describes every member", () => {
    assert.equal(contributed?.fileMatch, "*.kickoff.json");
    const names = [...Object.keys(schema.properties), "$schema"].sort();
    assert.deepEqual(names, requestFileMembers.toSorted());
    for (const [name, { description }] of Object.entries(schema.properties))
      assert.ok(description, name);
  });

  it("accepts a saved file, and refuses one without a crew or with a wrong type", () => {
    const values = { inputs: { city: "Oslo" }, meta: {}, crewWebhookUrl: "https://h.test" };
    const all = { ...values, ...authenticated({}, {}) };
    assert.ok(isValid(JSON.parse(writeRequestFile("Travel", all, "Demo"))));
    assert.ok(
      isValid({ crew: "T", crewWebhookUrl: null, humanInputWebhook: null, webhooks: null }),
    );
    for (const wrong of [
      {},
      { crew: 7 },
      { crew: "" },
      { crew: "T", inputs: [] },
      { crew: "T", meta: "x" },
      { crew: "T", stepWebhookUrl: 1 },
      { crew: "T", approveTools: "a" },
      { crew: "T", limits: { tokens: 0 } },
      { crew: "T", webhooks: { events: "a" } },
      { crew: "T", webhooks: { authentication: { strategy: "basic" } } },
      { crew: "T", humanInputWebhook: "https://h.test" },
      [],
    ])
      assert.equal(isValid(wrong), false, JSON.stringify(wrong));
  });
});
