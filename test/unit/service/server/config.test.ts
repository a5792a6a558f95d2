import assert from "node:assert/strict";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import { defined } from "../../../../src/base/json.ts";
import { planFrom } from "../../../../src/service/crews.ts";
import { Refusal } from "../../../../src/service/errors.ts";
import { configName } from "../../../../src/service/options.ts";
import { largestConfig, parseConfig } from "../../../../src/service/server/config.ts";
import { projectFolder, temporaryFolder } from "../../../support/folders.ts";

const file = path.resolve("/team", configName);
const parse = (text: string) => parseConfig(file, text);

describe("crewdeck.server.jsonc", () => {
  it("names crews, limits and addresses, with comments and defaults", () => {
    assert.deepEqual(
      parse(`{
        // Who writes what
        "crews": [
          { "name": "research", "folder": "crews/research", "engine": "crewai", "python": ".venv/bin/python",
            "environmentFile": "research.env", "parallel": 2, "dialect": "live" },
          { "name": "travel", "folder": "/srv/travel", "engine": "rehearsal" },
        ],
        "limits": { "requestsPerMinute": 60 },
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
      trustProxy: false,
      host: "127.0.0.1",
      port: 8000,
      callbackNetworks: [],
    });
  });

  const crew = '{ "name": "a", "folder": "a", "engine": "rehearsal" }';
  for (const [text, at, said] of [
    ['{\n  "crews": [\n', "3:1", "This is not JSON: close bracket expected."],
    ["", "1:1", "This is not JSON"],
    ["[]", "1:1", "The file is not valid. Expected: An object with the crews"],
    [
      '{\n"crews": [{ "name": "a", "folder": "a" }] }',
      "2:11",
      "crews[0] has no engine. Expected: A crew: an object with name",
    ],
    [
      '{ "crews": [],\n"crew": [] }',
      "2:1",
      "crew has no meaning. Known are $schema, crews, limits",
    ],
    [`{ "crews": [${crew.replace("name", "nam")}] }`, "1:22", "crews[0].nam has no meaning."],
    [
      '{ "crews": [],\n "port": "80" }',
      "2:10",
      "port is not valid. Expected: The port to listen on, from 0",
    ],
    [
      `{ "crews": [${crew},\n${crew.replace("rehearsal", "crewAI")}] }`,
      "2:41",
      'crews[1].engine is not valid. Expected: "crewai" runs the project',
    ],
    [
      '{ "crews": [],\n"limits": { "requestsPerMinute": 0 } }',
      "2:34",
      "limits.requestsPerMinute is not valid. Expected: How",
    ],
    ['{ "crews": [],\n"callbackNetworks": ["10.0.0.1"] }', "2:22", "callbackNetworks[0] is not"],
    ['{ "crews": [],\n"publicUrl": "http://a.example" }', "2:14", "http only for this machine."],
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

  it("refuses crews of one name, in capital or small letters", () => {
    assert.throws(
      () => parse(`{ "crews": [${crew}, ${crew.replace('"a"', '"A"')}] }`),
      new RegExp(`^Refusal: ${file}: two crews have the name "A"`),
    );
  });

  it("refuses names of crews that could be more than a segment of an address", () => {
    for (const name of [
      ...["", ".", "..", "../a", "a/b", "a\\\\b", "%2e%2e", "a b", "a?b", "a#b", "ä", "a.b", "-a"],
      ...["metrics", "x".repeat(64)],
    ])
      assert.throws(
        () => parse(`{ "crews": [{ "name": "${name}", "folder": "a", "engine": "rehearsal" }] }`),
        /crews\[0\]\.name is not valid\. Expected: The last part of the crew's address/,
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
      `{ "crews": [], "tokens": ["${secret}"] }`,
      `{ "crews": [], "host": ["${secret}"] }`,
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
    interface Schema {
      readonly description?: string;
      readonly properties?: Readonly<Record<string, Schema>>;
      readonly items?: Schema;
    }
    const read = (name: string): unknown =>
      JSON.parse(readFileSync(path.join(projectFolder, name), "utf8"));
    const { contributes } = read("package.json") as {
      contributes: { jsonValidation: { fileMatch: string; url: string }[] };
    };
    const { url } = contributes.jsonValidation.find(({ fileMatch }) => fileMatch === configName)!;
    const withMembers = (schema: Schema): readonly Schema[] => {
      const { properties = {}, items } = schema;
      const members = [...Object.values(properties), ...(items ? [items] : [])];
      return [schema, ...members.flatMap(withMembers)];
    };
    assert.ok(
      new Ajv({ strict: false, formats: { network: true, "safe-address": true } }).compile(
        read(url) as Schema,
      ),
    );
    const all = withMembers(read(url) as Schema);
    assert.deepEqual(
      all.filter(({ description }) => description === undefined),
      [],
    );
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

  const plan = () => planFrom(config, { address: {}, role: "both" }, () => undefined);

  it("are the variables of each crew", async () => {
    writeFileSync(config, crews);
    writeFileSync(path.join(folder, "b.env"), "# model\nMODEL=gpt-4o\nKEY='two words'\n");
    assert.deepEqual(
      (await plan()).crews.map(({ environment }) => environment),
      [{}, { MODEL: "gpt-4o", KEY: "two words" }],
    );
  });

  it("has the addresses of API processes: a worker's are those of the command line", async () => {
    writeFileSync(config, `{ "crews": [], "host": "::", "port": 80 }`);
    const listening = async (role: "api" | "worker", host?: string) => {
      const plan = await planFrom(config, { role, address: defined({ host }) }, () => undefined);
      return [plan.host, plan.port];
    };
    assert.deepEqual(await listening("api"), ["::", 80]);
    assert.deepEqual(await listening("worker"), ["127.0.0.1", 0]);
    assert.deepEqual(await listening("worker", "0.0.0.0"), ["0.0.0.0", 0]);
  });

  it("are those of a regular file of at most 1 MB, and so is the configuration", async () => {
    writeFileSync(config, crews);
    const file = path.join(folder, "b.env");
    const of = `${config}: the environmentFile of "b" can't be used. `;
    await assert.rejects(plan(), { message: `${of}There is no file ${file}.` });
    writeFileSync(file, "#".repeat(largestConfig + 1));
    await assert.rejects(plan(), { message: `${of}${file} is larger than 1048576 bytes.` });
    for (const link of [file, config]) {
      rmSync(link);
      symlinkSync("/dev/null", link);
      await assert.rejects(
        plan(),
        /(b\.env is not a regular file\.|jsonc is not a regular file\. Name)/,
      );
    }
  });
});
