import assert from "node:assert/strict";
import { createLog, type LogFields } from "../../../../src/service/operations/log.ts";
import { Secrets, withoutPaths } from "../../../../src/service/operations/redact.ts";
import { readOptions } from "../../../../src/service/options.ts";
import { secretsOf } from "../../../../src/service/serve.ts";

const token = "crew-token-0123456789";

function written(
  format: "text" | "json",
  message: string,
  fields?: LogFields,
  hasOutput = true,
): string {
  let lines = "";
  const stream = { write: (line: string) => void (lines += line) };
  const log = createLog(format, new Secrets([token, ""]), hasOutput, stream);
  log(message, fields);
  return lines;
}

describe("service: the log", () => {
  it("is the messages alone for a person", () => {
    const fields = { level: "info", execution_id: "e-1", crew: "writers" } as const;
    assert.equal(
      written("text", "Executions are kept in /data", fields),
      "Executions are kept in /data\n",
    );
  });

  it("is one line of JSON an entry for a program, with the execution and the crew", () => {
    const text = written("json", "It failed:\n  at line 1", {
      level: "error",
      execution_id: "e-1",
      crew: "writers",
    });
    assert.match(text, /^[^\n]+\n$/);
    const { time, ...entry } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(entry, {
      level: "error",
      msg: "It failed:\n  at line 1",
      execution_id: "e-1",
      crew: "writers",
    });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { level } = JSON.parse(written("json", "No level")) as { level: string };
    assert.equal(level, "warn");
  });

  it("has what a crew prints only if it is asked for, and no endless line", () => {
    const printed = { execution_id: "e-1", isOutput: true } as const;
    for (const format of ["text", "json"] as const) {
      assert.equal(written(format, "[crew] Prompt", printed, false), "");
      const text = written(format, "[crew] Prompt", printed);
      assert.match(text, /Prompt/);
      assert.doesNotMatch(text, /isOutput/);
    }
    assert.ok(written("json", "x".repeat(100_000)).length < 4200);
  });

  it("is JSON for a server, and text on one's own machine", () => {
    const database = "postgres://crews@db.test/crews";
    for (const [args, ...expected] of [
      [[], "text", true],
      [["--database", database], "json", false],
      [["--database", database, "--log", "text", "--log-output"], "text", true],
    ] as const) {
      const options = readOptions(args, {});
      assert.deepEqual([options.log, options.logOutput], expected);
    }
  });

  const secrets: readonly (readonly [string, string])[] = [
    [`refused ${token}`, token],
    [`GET /kickoff: Authorization: Bearer abc.def-ghi=`, "abc.def"],
    [`{"authorization":"Basic dXNlcjpwYXNz"}`, "dXNlcjpwYXNz"],
    [`authorization=opaquekey next`, "opaquekey"],
    [`sent with Bearer sk-12345678`, "sk-1234"],
    [`connect postgres://crews:p4ss/w0rd@db.test:5432/crews`, "crews:p4ss"],
    [`connect postgres://crews:p4ss@word@db.test:5432/crews`, "p4ss"],
    [`password=hunter22 host=db.test`, "hunter22"],
    [`{"PGPASSWORD":"hunter22"}`, "hunter22"],
    [`[crew] OPENAI_API_KEY=sk-abcdef`, "sk-abcdef"],
    [`https://user:pa55@receiver.test/hook`, "pa55"],
    [`https://a.test/x,https://us3r:pa55@b.test and ftp://us3r@c.test`, "us3r"],
  ];
  for (const format of ["text", "json"] as const)
    it(`never has tokens, headers or passwords, as ${format}`, () => {
      for (const [message, secret] of secrets) {
        const text = written(format, message);
        assert.ok(!text.includes(secret), text);
        assert.match(text, /\[hidden\]/);
      }
    });

  it("never has the database's password, as it is written in the address or decoded", () => {
    const options = readOptions(["--database", "postgres://crews:p%40ss%2Fw0rd@db.test/crews"], {});
    let lines = "";
    const stream = { write: (line: string) => void (lines += line) };
    const log = createLog("json", secretsOf(options, { token, userToken: "" }), true, stream);
    log("It printed p%40ss%2Fw0rd and p@ss/w0rd");
    const { msg } = JSON.parse(lines) as { msg: string };
    assert.equal(msg, "It printed [hidden] and [hidden]");
  });

  it("never has a variable of a crew, nor a line of one; those of fewer than 6 characters and models are none", () => {
    const secrets = new Secrets();
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----";
    const variables = { DB: "s3cret-db", KEY: key, DEBUG: "true", OPENAI_MODEL_NAME: "gpt-4o" };
    secrets.addVariables(Object.entries(variables));
    assert.equal(
      secrets.hide("at s3cret-db with gpt-4o, true: MIIEvQIBADANBg"),
      "at [hidden] with gpt-4o, true: [hidden]",
    );
    assert.equal(secrets.hide("No token:\nTraceback"), "No token:\nTraceback", "line by line");
  });

  for (const part of [
    ...["a-", "a", " ", "-", "/", ")", "token", "token ", "token=", "authorization: a", "Bearer "],
    ...["a:", "a.b+", "a://", "a://b:", "a://b:1", "a://b@", "https://)", "https://a,", "@:/"],
  ])
    it(`takes linear time for 300 kB of ${JSON.stringify(part)}, with or without an end`, () => {
      const secrets = new Secrets([token]);
      for (const end of ["", "=", "@", "://", " "]) {
        const text = part.repeat(300_000 / part.length) + end;
        const began = process.cpuUsage();
        withoutPaths(secrets.hide(text));
        // Of the processor, so that other programs don't lengthen it.
        const took = process.cpuUsage(began).user / 1_000;
        assert.ok(took < 2_000, `${took} ms with ${JSON.stringify(end)}`);
      }
    });

  it("keeps the words around what it hides, and texts without a secret", () => {
    assert.equal(
      written("text", `no user at postgres://crews:p4ss@db.test:5432/crews (${token})`),
      "no user at postgres://[hidden]@db.test:5432/crews ([hidden])\n",
    );
    for (const message of [
      "The task callback of execution e-1 to https://receiver.test failed: HTTP 503",
      "Invalid or missing bearer token",
      "It used 12 tokens: 10 and 2",
    ]) {
      assert.equal(written("text", message), `${message}\n`);
      assert.equal((JSON.parse(written("json", message)) as { msg: string }).msg, message);
    }
  });

  it("has only the origins of addresses in JSON: paths of receivers are secrets", () => {
    const message =
      "to https://receiver.test/hooks/s3cret?key=1, (http://127.0.0.1:80/x), http://[::1]:9: and https://a.test.";
    const { msg } = JSON.parse(written("json", message)) as { msg: string };
    assert.equal(
      msg,
      "to https://receiver.test/[hidden], (http://127.0.0.1/[hidden]), http://[::1]:9: and https://a.test.",
    );
    assert.equal(written("text", message), `${message}\n`);
  });
});
