import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { defaultDataFolder } from "../../../src/service/data-folder.ts";
import { nodeProblem, Refusal } from "../../../src/service/errors.ts";
import { readOptions } from "../../../src/service/options.ts";
import { rehearsalEngine, rehearsalMark } from "../../../src/service/engine.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { crew, inputs } from "./support.ts";

describe("service: start", () => {
  it("reads the command line and the environment, the command line first", () => {
    const usual = {
      folders: [],
      config: undefined,
      database: undefined,
      role: "both",
      isServer: false,
      address: {},
      drainMs: 0,
      engine: "rehearsal",
      python: undefined,
      parallel: 1,
      port: undefined,
      data: undefined,
      token: undefined,
      userToken: undefined,
      dialect: "documented",
      taskSeconds: 1,
      unfinished: "hold",
      feedbackWebhook: undefined,
      log: undefined,
      metricsToken: undefined,
      keepDays: undefined,
      spans: undefined,
      lifeline: false,
      forWindows: false,
      leaveMs: 60_000,
      callbackBackoffMs: 5000,
      callbackTimeoutMs: 10_000,
    };
    assert.deepEqual(readOptions([], {}), usual);
    const args = [
      ...["crew", "--engine", "crewai", "--python", "/venv/bin/python", "--parallel", "2"],
      ...["--unfinished", "discard", "--port", "8123", "--data", "d", "--token", "T"],
      ...["--user-token", "U", "--dialect", "live", "--task-seconds", "0.5", "--lifeline"],
    ];
    assert.deepEqual(
      readOptions(args, {
        CREWDECK_TOKEN: "other",
        CREWDECK_CALLBACK_BACKOFF_MS: "7",
        CREWDECK_CALLBACK_TIMEOUT_MS: "8",
      }),
      {
        ...usual,
        folders: ["crew"],
        engine: "crewai",
        python: "/venv/bin/python",
        parallel: 2,
        unfinished: "discard",
        port: 8123,
        data: "d",
        token: "T",
        userToken: "U",
        dialect: "live",
        taskSeconds: 0.5,
        lifeline: true,
        callbackBackoffMs: 7,
        callbackTimeoutMs: 8,
      },
    );
    const fromEnvironment = readOptions([], { CREWDECK_TOKEN: "T", CREWDECK_USER_TOKEN: "U" });
    assert.deepEqual([fromEnvironment.token, fromEnvironment.userToken], ["T", "U"]);
  });

  it("continues after a restart and drains for 30 s on a server, which may name its database in the environment", () => {
    const url = "postgres://crewdeck@db/crewdeck";
    const { database, unfinished, drainMs } = readOptions([], { CREWDECK_DATABASE: url });
    assert.deepEqual([database, unfinished, drainMs], [url, "continue", 30_000]);
    const server = readOptions(["--config", "c.jsonc", "--host", "0.0.0.0", "--trust-proxy"], {});
    assert.deepEqual(server.address, { host: "0.0.0.0", trustProxy: true });
    assert.deepEqual([server.unfinished, server.drainMs], ["continue", 0]);
    assert.equal(
      readOptions(["--config", "c.jsonc", "--on-restart", "hold"], {}).unfinished,
      "hold",
    );
  });

  it("serves, without a folder, the configuration that the token commands edit", () => {
    const before = process.cwd();
    const folder = temporaryFolder("configured");
    const configOf = (...args: Parameters<typeof readOptions>) => readOptions(...args).config;
    try {
      process.chdir(folder);
      assert.equal(configOf([], {}), undefined);
      assert.equal(configOf([], { CREWDECK_CONFIG: "a.jsonc" }), "a.jsonc");
      writeFileSync("crewdeck.server.jsonc", '{ "crews": [] }');
      assert.equal(configOf([], {}), "crewdeck.server.jsonc");
      assert.equal(configOf(["--config", "b.jsonc"], { CREWDECK_CONFIG: "a.jsonc" }), "b.jsonc");
      assert.equal(configOf(["crew"], { CREWDECK_CONFIG: "a.jsonc" }), undefined);
    } finally {
      process.chdir(before);
    }
  });

  it("takes a feedback webhook only with an http address and a secret from the environment", () => {
    const read = (url: string, secret?: string) =>
      readOptions(["--feedback-webhook", url], { CREWDECK_FEEDBACK_SECRET: secret });
    const url = "https://example.com/people";
    assert.deepEqual(read(url, "a secret").feedbackWebhook, { url, secret: "a secret" });
    assert.throws(() => read(url), /set CREWDECK_FEEDBACK_SECRET/);
    assert.throws(() => read("file:///people", "a secret"), /expected an address/);
    assert.throws(() => read("people", "a secret"), /expected an address/);
  });

  it("refuses invalid options in one line, with the command that describes them", () => {
    for (const args of [
      ["--port", "x"],
      ["--port", "65536"],
      ["--parallel", "0"],
      ["--parallel", "1.5"],
      ["--task-seconds", ""],
      ["--task-seconds", "Infinity"],
      // Node's timers can't wait so long.
      ["--drain-seconds", "2147484"],
      ["--engine", "model"],
      ["--unfinished", "forget"],
      ["--on-restart", "forget"],
      ["--config", "c.jsonc", "a"],
      ["--config", "c.jsonc", "--engine", "crewai"],
      ["--config", "c.jsonc", "--token", "T"],
      ["--role", "api"],
      ["--dialect", "x"],
      ["--database", "a/b"],
      ["--database", "mysql://a"],
      ["--database", "postgres://a:100%@b/c"],
      ["--database", "postgres://a/b", "--on-restart", "hold"],
      ["--host", "0.0.0.0"],
      ["--public-url", "https://crews.example.com"],
      ["--trust-proxy"],
    ]) {
      assert.throws(
        () => readOptions(args, {}),
        (error) =>
          error instanceof Refusal &&
          error.reason === "options" &&
          /^--[^\n]+\. See "crewdeck serve --help"\.$/.test(error.message),
        args.join(" "),
      );
    }
  });

  it("needs Node 22.13 with node:sqlite, and reports the version", () => {
    for (const version of ["22.13.0", "22.20.1", "23.0.0", "24.11.1", "26.0.0"])
      assert.equal(nodeProblem(version, true), undefined);
    for (const version of ["18.20.0", "20.20.2", "22.12.0", "22.5.1"])
      assert.match(
        nodeProblem(version, true) ?? "",
        new RegExp(`Node 22\\.13 or newer.*this is Node ${version}`),
      );
    assert.match(nodeProblem("24.0.0", false) ?? "", /Node 24\.0\.0 was built without it/);
  });

  it("keeps a crew's data outside its project, always in the same folder", () => {
    const env = { XDG_DATA_HOME: "/data", LOCALAPPDATA: "/data" };
    const folder = defaultDataFolder("/work/crew", 1, env);
    assert.equal(defaultDataFolder("/work/crew/", 1, env), folder);
    assert.notEqual(defaultDataFolder("/other/crew", 1, env), folder);
    assert.equal(defaultDataFolder("/work/crew", 2, env), `${folder}-2`);
  });
});

describe("service: the rehearsal engine", () => {
  const attempt = {
    executionId: "1",
    project: crew,
    taskIndex: 0,
    task: crew.tasks[0]!,
    agent: crew.agents[0],
    inputs,
    earlier: [],
    notes: [],
    attempt: 1,
    isFirst: true,
  };
  const nothing = () => Promise.resolve();
  const ignore = { begin: nothing, step: nothing, event: nothing };

  it("always returns the same output, with a line that marks it", async () => {
    const engine = rehearsalEngine(0);
    const { output } = await engine.run(attempt, ignore);
    assert.equal(output, (await engine.run(attempt, ignore)).output);
    assert.equal(
      output,
      `${rehearsalMark}\n\nAgent: Researcher of tides\nTask: Research tides\nExpected output: Notes for sailors\nAttempt: 1\nEarlier outputs: 0`,
    );
  });

  it("takes the configured time", async () => {
    const start = performance.now();
    await rehearsalEngine(0.1).run(attempt, ignore);
    assert.ok(performance.now() - start >= 95);
  });

  it("repeats feedback of several lines, but no empty feedback", async () => {
    const notes = [
      { taskId: "draft", attempt: 1, isApprove: false, feedback: "One.\nTwo.", output: "" },
      { taskId: "draft", attempt: 2, isApprove: true, feedback: " ", output: "" },
    ];
    assert.match(
      (await rehearsalEngine(0).run({ ...attempt, notes }, ignore)).output,
      /Feedback:\n- draft, attempt 1, rejected: One\.\n {2}Two\.$/,
    );
  });
});
