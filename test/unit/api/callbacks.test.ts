import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { callbackMembers, callbackNames } from "../../../src/api/callbacks.ts";
import { projectFolder } from "../../support/folders.ts";

const read = (...names: string[]) => readFileSync(path.join(projectFolder, ...names), "utf8");

describe("the table of callbacks", () => {
  it("is the same in the local service's description of the API", () => {
    const { components } = parse(read("src", "service", "openapi.yaml")) as {
      components: { schemas: { Callbacks: { properties: object } } };
    };
    assert.deepEqual(Object.keys(components.schemas.Callbacks.properties), [...callbackMembers]);
  });

  it("is the same in the schema of request files", () => {
    const { properties } = JSON.parse(read("media", "kickoff.schema.json")) as {
      properties: object;
    };
    assert.deepEqual(
      Object.keys(properties).filter((name) => /webhook/i.test(name)),
      [...callbackMembers],
    );
  });

  it("has the callbacks of the API for other extensions, whose file imports nothing", () => {
    const types = read("src", "extension-api", "crewdeck-api.ts");
    const names = [...types.matchAll(/\b(\w+WebhookUrl)\?: string;/g)].map(([, name]) => name);
    assert.deepEqual(names, callbackNames.slice(0, 3));
  });
});
