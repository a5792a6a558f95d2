import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { helpOf, readCommandLine, text } from "../../../src/service/command-line.ts";
import { Refusal } from "../../../src/service/errors.ts";
import {
  readMigrateOptions,
  readOptions,
  readRelayOptions,
  readTokenOptions,
} from "../../../src/service/options.ts";
import { temporaryFolder } from "../../support/folders.ts";

/** Fails unless it is refused in one line, which is this or like this, and doesn't have "s3cret". */
function refused(read: () => unknown, expected: string | RegExp) {
  assert.throws(read, (error) => {
    assert.ok(error instanceof Refusal && error.reason === "options", String(error));
    if (typeof expected === "string") assert.equal(error.message, expected);
    else assert.match(error.message, expected);
    assert.ok(!error.message.includes("s3cret"), error.message);
    return true;
  });
}

describe("service: its options", () => {
  it("come from the command line and the environment, the command line first", () => {
    assert.partialDeepStrictEqual(readOptions([], {}), {
      ...{
        folders: [],
        role: "both",
        isServer: false,
        address: {},
        drainMs: 0,
        parallel: undefined,
      },
      ...{ engine: "rehearsal", dialect: "documented", taskSeconds: 1, unfinished: "hold" },
      ...{ config: undefined, database: undefined, token: undefined, feedbackWebhook: undefined },
      ...{ metricsToken: undefined, keepDays: undefined, spans: undefined },
      ...{ callbackBackoffMs: 5000, callbackTimeoutMs: 10_000 },
    });
    const args = [
      ...["crew", "--engine", "crewai", "--python", "/venv/bin/python", "--parallel", "2"],
      ...["--on-restart", "discard", "--port", "8123", "--data", "d", "--token", "T"],
      ...["--user-token", "U", "--dialect", "live", "--task-seconds", "0.5", "--lifeline"],
      ...["--log", "json", "--keep-days", "30", "--otlp-content"],
    ];
    const { spans, ...options } = readOptions(args, {
      CREWDECK_TOKEN: "other",
      CREWDECK_CALLBACK_BACKOFF_MS: "7",
      CREWDECK_CALLBACK_TIMEOUT_MS: "8",
      CREWDECK_METRICS_TOKEN: "0123456789abcdef",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test/base/",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20key, x-project=a%2Cb",
    });
    assert.partialDeepStrictEqual(options, {
      ...{ folders: ["crew"], engine: "crewai", python: "/venv/bin/python", parallel: 2 },
      ...{ unfinished: "discard", port: 8123, data: "d", token: "T", userToken: "U" },
      ...{ dialect: "live", taskSeconds: 0.5, lifeline: true, log: "json", keepDays: 30 },
      ...{ callbackBackoffMs: 7, callbackTimeoutMs: 8, metricsToken: "0123456789abcdef" },
    });
    const headers = { authorization: "Bearer key", "x-project": "a,b" };
    assert.equal(spans?.url.href, "https://otel.test/base/v1/traces");
    assert.deepEqual([spans.headers, spans.hasContent], [headers, true]);
    const other = readOptions(["--otlp-endpoint", "http://127.0.0.1:4318/v1/traces"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://otel.test",
    });
    assert.equal(other.spans?.url.href, "http://127.0.0.1:4318/v1/traces");
    const fromEnvironment = readOptions([], { CREWDECK_TOKEN: "T", CREWDECK_USER_TOKEN: "U" });
    assert.deepEqual([fromEnvironment.token, fromEnvironment.userToken], ["T", "U"]);
  });

  it("let a server continue after a restart and drain for 30 s, and name its database in the environment", () => {
    const url = "postgres://crewdeck@db/crewdeck";
    const { database, unfinished, drainMs } = readOptions([], { CREWDECK_DATABASE: url });
    assert.deepEqual([database, unfinished, drainMs], [url, "continue", 30_000]);
    const config = ["--config", "c.jsonc"];
    const server = readOptions([...config, "--host", "0.0.0.0", "--trust-proxy"], {});
    assert.deepEqual(server.address, { host: "0.0.0.0", trustProxy: true });
    assert.deepEqual([server.unfinished, server.drainMs], ["continue", 0]);
    assert.equal(readOptions([...config, "--on-restart", "hold"], {}).unfinished, "hold");
  });

  it("are, without a folder, the configuration that the token commands edit", () => {
    const before = process.cwd();
    const configOf = (...args: Parameters<typeof readOptions>) => readOptions(...args).config;
    const env = { CREWDECK_CONFIG: "a.jsonc" };
    try {
      process.chdir(temporaryFolder("configured"));
      assert.equal(configOf([], {}), undefined);
      assert.equal(configOf([], env), "a.jsonc");
      writeFileSync("crewdeck.server.jsonc", '{ "crews": [] }');
      assert.equal(configOf([], {}), "crewdeck.server.jsonc");
      assert.equal(configOf(["--config", "b.jsonc"], env), "b.jsonc");
      assert.equal(configOf(["crew"], env), undefined);
    } finally {
      process.chdir(before);
    }
  });

  it("have a feedback webhook only with an http address and a secret from the environment", () => {
    const read = (url: string, secret?: string) =>
      readOptions(["--feedback-webhook", url], { CREWDECK_FEEDBACK_SECRET: secret });
    const url = "https://example.com/people";
    assert.deepEqual(read(url, "a secret").feedbackWebhook, { url, secret: "a secret" });
    refused(() => read(url), /set CREWDECK_FEEDBACK_SECRET/);
    for (const other of ["file:///people", "people"])
      refused(() => read(other, "a secret"), /expected an address/);
  });

  for (const [args, problem] of [
    [["--prot", "1"], "Unknown option '--prot'."],
    [["--publicUrl=https://a.test"], "Unknown option '--publicUrl'."],
    [["-port", "1"], "Unknown option '-p'."],
    [["--port"], "Option '--port <value>' argument missing."],
    [["--port", "--lifeline"], "Option '--port' argument is ambiguous."],
    [["--trust-proxy=yes"], "Option '--trust-proxy' does not take an argument."],
    [["--port=-1"], "--port: expected a whole number from 0 to 65535."],
    [["--port", "1", "--role", "boss"], '--role: expected "both", "api" or "worker".'],
    [["--log", "xml"], '--log: expected "text" or "json".'],
  ] as const)
    it(`are refused in one line that names the wrong one: ${args.join(" ")}`, () =>
      refused(() => readOptions(args, {}), `${problem} See "crewdeck serve --help".`));

  it("are refused if their values are invalid or don't fit together", () => {
    for (const line of [
      "--port x",
      "--port 65536",
      "--parallel 0",
      "--parallel 1.5",
      "--task-seconds=",
      "--task-seconds Infinity",
      "--engine model",
      // Node's timers can't wait so long.
      "--drain-seconds 2147484",
      "--on-restart forget",
      "--dialect x",
      "--config c.jsonc a",
      "--config c.jsonc --engine crewai",
      "--config c.jsonc --token T",
      "--role api",
      "--database a/b",
      "--database mysql://a",
      "--database postgres://a:100%@b/c",
      "--database postgres://a:%FF@b/c",
      "--database postgres://a/b --on-restart hold",
      "--host 0.0.0.0",
      "--public-url https://crews.example.com",
      "--trust-proxy",
      "--config c.jsonc --public-url http://crews.example.com",
      "--config c.jsonc --public-url https://a.test/sub",
      "--config c.jsonc --public-url https://me:s3cret@a.test",
      "--config c.jsonc --public-url a.test",
      ...["0", "-1", "1.5", "week", "36501", "9".repeat(400)].map((days) => `--keep-days=${days}`),
    ])
      refused(() => readOptions(line.split(" "), {}), /^--[^\n]+\. See "crewdeck serve --help"\.$/);
    for (const args of [["crew"], ["--port", "70000"], ["--port", "x"]])
      refused(() => readRelayOptions(args, {}), / See "crewdeck relay --help"\.$/);
    const see = 'See "crewdeck migrate --help".';
    const words = `Unexpected argument 'crew'. ${see}`;
    refused(() => readMigrateOptions(["crew"], {}), words);
    const missing = `Give the address of the database with --database. ${see}`;
    refused(() => readMigrateOptions([], {}), missing);
  });

  for (const [args, problem] of [
    [[], "Expected token add, token list or token revoke."],
    [["remove", "ci"], "Expected token add, token list or token revoke."],
    [["list", "ci"], "token list: expected no name."],
    [["add"], "token add: expected one name."],
    [["add", "a", "b"], "token add: expected one name."],
    [["revoke", "ci", "--user"], "--crew, --user and --expires-days belong to token add."],
    [["add", "a", "--expires-days=0"], "--expires-days: expected a whole number from 1 to 36500."],
    [["add", "a", "--all"], "Unknown option '--all'."],
  ] as const)
    it(`of token are refused in one line, too: ${args.join(" ")}`, () =>
      refused(() => readTokenOptions(args, {}), `${problem} See "crewdeck token --help".`));

  it("never have their values repeated, which may be secrets", () => {
    const headers = (value: string) => ({ OTEL_EXPORTER_OTLP_HEADERS: value });
    for (const [args, env, expected] of [
      [["--tokn=s3cret"], {}, /'--tokn'/],
      [["--tokn", "s3cret"], {}, /'--tokn'/],
      [["--trust-proxy=s3cret"], {}, /does not take/],
      [["--metrics-token", "s3cret"], {}, /\(or CREWDECK_METRICS_TOKEN\): expected at least 16/],
      [["--otlp-endpoint", "https://u:s3cret@otel.test"], {}, /ENDPOINT\): expected an address/],
      [["--otlp-endpoint", "http://otel.test"], headers("x=s3cret"), /begins with https/],
      [["--otlp-endpoint", "https://otel.test"], headers("s3cret "), /expected NAME=VALUE/],
    ] as const)
      refused(() => readOptions(args, env), expected);
  });

  it("are read as Node reads them", () => {
    const port = text("N", "");
    const { given, words } = readCommandLine("x", { port }, ["a", "--port=-1", "--", "-b"], {});
    assert.deepEqual([given.port, words], ["-1", ["a", "-b"]]);
  });

  it("are described in lines of at most 120 characters", () => {
    const long = "word ".repeat(40).trim();
    const lines = helpOf({ data: text("DIR", long), taskWebhookUrl: text("ADDRESS", "x") });
    assert.ok(
      lines.split("\n").every(({ length }) => length <= 120),
      lines,
    );
    assert.match(
      lines,
      /^ {2}--data DIR {13}word word[^]+\n {2}--task-webhook-url ADDRESS\n {25}x$/,
    );
    assert.equal(lines.match(/word/g)?.length, 40);
  });
});
