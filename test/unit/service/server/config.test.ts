import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { defined } from "../../../../src/base/json.ts";
import { Refusal } from "../../../../src/service/errors.ts";
import { configName } from "../../../../src/service/options.ts";
import {
  largestConfig,
  parseConfig,
  readEnvironments,
} from "../../../../src/service/server/config.ts";
import { planFrom } from "../../../../src/service/server/open-server.ts";
import { projectFolder, temporaryFolder } from "../../../support/folders.ts";

const file = path.resolve("/team", configName);
const parse = (text: string) => parseConfig(file, text).config;
const hash = "ab".repeat(32);

describe("crewdeck.server.jsonc", () => {
  it("names crews, limits, tokens and addresses, with comments and defaults", () => {
    assert.deepEqual(
      parse(`{
        // Who writes what
        "crews": [
          { "name": "research", "folder": "crews/research", "engine": "crewai", "python": ".venv/bin/python",
            "environmentFile": "research.env", "parallel": 2, "dialect": "live" },
          { "name": "travel", "folder": "/srv/travel", "engine": "rehearsal" },
        ],
        "limits": { "requestsPerMinute": 60 },
        "tokens": [{ "name": "ann@example.com", "kind": "user", "crews": ["travel"], "hash": "${hash}" }],
        "publicUrl": "https://crews.example.com",
        "trustProxy": true,
        "host": "0.0.0.0",
        "port": 9000,
        "callbackNetworks": ["10.0.0.0/8"]
      }`),
      {
        crews: [
          {
            name: "research",
            folder: path.resolve("/team/crews/research"),
            engine: "crewai",
            python: path.resolve("/team/.venv/bin/python"),
            environmentFile: path.resolve("/team/research.env"),
            parallel: 2,
            dialect: "live",
          },
          {
            name: "travel",
            folder: path.resolve("/srv/travel"),
            engine: "rehearsal",
            dialect: "documented",
          },
        ],
        limits: { requestsPerMinute: 60, underWayPerCrew: 1000 },
        tokens: [{ name: "ann@example.com", kind: "user", crews: ["travel"], hash }],
        publicUrl: "https://crews.example.com",
        trustProxy: true,
        host: "0.0.0.0",
        port: 9000,
        callbackNetworks: ["10.0.0.0/8"],
      },
    );
    assert.deepEqual(parse('{ "crews": [] }'), {
      crews: [],
      limits: { requestsPerMinute: 3000, underWayPerCrew: 1000 },
      tokens: [],
      trustProxy: false,
      host: "127.0.0.1",
      port: 8000,
      callbackNetworks: [],
    });
  });

  const crew = '{ "name": "a", "folder": "a", "engine": "rehearsal" }';
  const token = (more: string) => `{ "name": "ci", "kind": "organization", ${more} }`;
  for (const [text, at, said] of [
    ['{\n  "crews": [\n', "3:1", "This is not JSON: close bracket expected."],
    ["", "1:1", "This is not JSON"],
    ["[]", "1:1", "The file is a list. Expected: an object with the crews"],
    ['{\n"crews": [{ "name": "a", "folder": "a" }] }', "2:11", "crews[0].engine is missing."],
    ['{ "crews": [],\n"crew": [] }', "2:1", "crew has no meaning. Did you mean crews? Expected:"],
    [`{ "crews": [${crew.replace("name", "nam")}] }`, "1:22", "crews[0].nam has no meaning."],
    ['{ "crews": [],\n "port": "80" }', "2:10", 'port is "80". Expected: a number without quotes'],
    [
      `{ "crews": [${crew},\n${crew.replace("rehearsal", "crewAI")}] }`,
      "2:41",
      'crews[1].engine is "crewAI". Expected: "rehearsal" or "crewai".',
    ],
    [
      '{ "crews": [],\n"limits": { "requestsPerMinute": 0 } }',
      "2:34",
      "Minute is 0. Expected: how",
    ],
    ['{ "crews": [],\n "crews": [] }', "2:2", "This key appears twice."],
    [
      `{ "crews": [${crew},\n${crew.replace('"a"', '"A"')}] }`,
      "2:11",
      "crews[1].name is the same as crews[0].name.",
    ],
    ['{ "crews": [],\n"callbackNetworks": ["10.0.0.1"] }', "2:22", "10.0.0.1 is no network."],
    ['{ "crews": [],\n"publicUrl": "http://a.example" }', "2:14", "would travel unencrypted."],
    ['{ "crews": [],\n"publicUrl": "https://a.example/b" }', "2:14", "address without a path"],
  ] as const)
    it(`is refused with file, line and column: ${said}`, () => {
      assert.throws(
        () => parse(text),
        (error: unknown) => {
          assert.ok(error instanceof Refusal && error.reason === "options");
          assert.ok(error.message.startsWith(`${file}:${at}: `), error.message);
          assert.ok(error.message.includes(said), error.message);
          return true;
        },
      );
    });

  it("refuses names of crews that could be more than a segment of an address", () => {
    for (const name of [
      ...["", ".", "..", "../a", "a/b", "a\\\\b", "%2e%2e", "a b", "a?b", "a#b", "ä", "a.b", "-a"],
      ...["metrics", "x".repeat(64)],
    ])
      assert.throws(
        () => parse(`{ "crews": [{ "name": "${name}", "folder": "a", "engine": "rehearsal" }] }`),
        /crews\[0\]\.name is ".*"\. Expected: the last part of the crew's address/,
        name,
      );
    for (const name of ["a", "A_1-b", "x".repeat(63)])
      assert.ok(
        parse(`{ "crews": [{ "name": "${name}", "folder": "a", "engine": "rehearsal" }] }`),
      );
  });

  it("doesn't repeat what may be a token in the wrong place", () => {
    const secret = "crew_this-is-a-token";
    for (const text of [
      `{ "crews": [], "tokens": [${token(`"crews": "all", "hash": "${secret}"`)}] }`,
      `{ "crews": [], "tokens": [${token(`"crews": "${secret}", "hash": "${hash}"`)}] }`,
      `{ "crews": [], "tokens": "${secret}" }`,
      `{ "crews": [], "tokens": ["${secret}"] }`,
      `{ "crews": [], "publicUrl": "https://me:${secret}@example.com" }`,
    ])
      assert.throws(
        () => parse(text),
        (error: unknown) => error instanceof Refusal && !error.message.includes(secret),
      );
  });

  it("without crews is served with a word about it", async () => {
    const file = path.join(temporaryFolder("no-crews"), configName);
    writeFileSync(file, `{ "crews": [] }`);
    const log: string[] = [];
    await planFrom(file, { address: {}, role: "both" }, (line) => log.push(line));
    assert.deepEqual(log, [`${file} has no crews, so nothing is served. Describe them in it.`]);
  });

  it("is completed by VS Code: its schema is contributed and describes every member", () => {
    const read = (name: string): unknown =>
      JSON.parse(readFileSync(path.join(projectFolder, name), "utf8"));
    const { contributes } = read("package.json") as {
      contributes: { jsonValidation: { fileMatch: string; url: string }[] };
    };
    const contributed = contributes.jsonValidation.find(
      ({ fileMatch }) => fileMatch === configName,
    );
    const undescribed: string[] = [];
    const visit = (name: string, schema: unknown): void => {
      const {
        description,
        properties = {},
        items,
      } = schema as {
        description?: string;
        properties?: Record<string, unknown>;
        items?: unknown;
      };
      if (description === undefined) undescribed.push(name);
      for (const [member, inner] of Object.entries(properties)) visit(`${name}/${member}`, inner);
      if (items !== undefined) visit(`${name}[]`, items);
    };
    visit("", read(contributed!.url));
    assert.deepEqual(undescribed, []);
  });
});

describe("The files that crewdeck.server.jsonc names", () => {
  let folder: string;
  let config: string;
  beforeEach(() => {
    folder = temporaryFolder("server-config");
    config = path.join(folder, configName);
  });
  const crews = `{ "crews": [
    { "name": "a", "folder": "a", "engine": "rehearsal" },
    { "name": "b", "folder": "b", "engine": "rehearsal",
      "environmentFile": "b.env" }
  ] }`;

  it("are the variables of each crew", async () => {
    mkdirSync(path.join(folder, "a"));
    mkdirSync(path.join(folder, "b"));
    writeFileSync(path.join(folder, "b.env"), "# model\nMODEL=gpt-4o\nKEY='two words'\n");
    const read = await readEnvironments(parseConfig(config, crews));
    assert.deepEqual(read, [{}, { MODEL: "gpt-4o", KEY: "two words" }]);
  });

  it("has the addresses of API processes: a worker's are those of the command line", async () => {
    const hash = "ab".repeat(32);
    const token = `{ "name": "t", "kind": "user", "crews": "all", "hash": "${hash}" }`;
    writeFileSync(config, `{ "crews": [], "tokens": [${token}], "host": "::", "port": 80 }`);
    const listening = async (role: "api" | "worker", host?: string) => {
      const plan = await planFrom(config, { role, address: defined({ host }) }, () => undefined);
      return [plan.host, plan.port];
    };
    assert.deepEqual(await listening("api"), ["::", 80]);
    assert.deepEqual(await listening("worker"), ["127.0.0.1", 0]);
    assert.deepEqual(await listening("worker", "0.0.0.0"), ["0.0.0.0", 0]);
  });

  it("are those of a regular file of at most 1 MB, and so is the configuration", async () => {
    for (const name of ["a", "b"]) mkdirSync(path.join(folder, name));
    const file = path.join(folder, "b.env");
    writeFileSync(file, "#".repeat(largestConfig + 1));
    await assert.rejects(
      readEnvironments(parseConfig(config, crews)),
      /b\.env is larger than 1048576 bytes\./,
    );
    rmSync(file);
    for (const link of [file, config]) symlinkSync("/dev/null", link);
    await assert.rejects(
      readEnvironments(parseConfig(config, crews)),
      /b\.env is not a regular file\./,
    );
    await assert.rejects(
      planFrom(config, { role: "api", address: {} }, () => undefined),
      /jsonc is not a regular file\. Name/,
    );
  });

  it("must be there: the refusal has the line", async () => {
    const at = (name: string) => path.join(folder, name);
    const refused = (text: string, message: string) =>
      assert.rejects(readEnvironments(parseConfig(config, text)), {
        name: "Refusal",
        message: `${config}:${message}`,
      });
    mkdirSync(at("a"));
    writeFileSync(at("b"), "");
    await refused(
      crews,
      `3:30: crews[1].folder: There is no folder ${at("b")}. Expected: the folder of a crew.`,
    );
    rmSync(at("b"));
    mkdirSync(at("b"));
    await refused(
      crews,
      `4:26: crews[1].environmentFile: There is no file ${at("b.env")}. Expected: a file with a line NAME=value for each variable.`,
    );
    await refused(
      crews.replace('"rehearsal" }', '"crewai",\n"python": "a/python" }'),
      `3:11: crews[0].python: There is no file ${path.join(at("a"), "python")}. Expected: the project's Python interpreter, such as .venv/bin/python in its folder.`,
    );
  });
});
