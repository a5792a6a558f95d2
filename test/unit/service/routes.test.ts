import assert from "node:assert/strict";
import { ProjectError } from "../../../src/projects/types.ts";
import { readStatus } from "../../../src/api/read-status.ts";
import { asObject } from "../../../src/base/json.ts";
import { openSqlite } from "../../../src/base/sqlite.ts";
import { createApp, maxBody } from "../../../src/service/app.ts";
import { documentedDialect } from "../../../src/service/dialects.ts";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { waitFor } from "../../support/wait.ts";
import {
  ask,
  crew,
  errorBody,
  frontOf,
  harness,
  inputs,
  messageOf,
  onPostgres,
  restart,
  serve,
  valuesOf,
} from "./support.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

describe("service: routes and errors", () => {
  beforeEach(() => serve());

  it("lists the inputs of the crew", async () => {
    const { status, body } = await harness.request("GET", "/inputs");
    assert.deepEqual([status, body], [200, { inputs: ["topic", "audience"] }]);
  });

  it("answers a kickoff with a UUID", async () => {
    assert.match(await harness.kickoff(), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });

  it("starts one execution for requests of a token with the same Idempotency-Key, for a day, also after a restart", async () => {
    const ask = (key: string, topic = "tides", token = "T") =>
      harness.request(
        "POST",
        "/kickoff",
        { inputs: { ...inputs, topic } },
        { Authorization: `Bearer ${token}`, "Idempotency-Key": key },
      );
    const idOf = async (...request: Parameters<typeof ask>) => {
      const { status, body } = await ask(...request);
      assert.equal(status, 200, JSON.stringify(body));
      return asObject(body)["kickoff_id"];
    };
    const id = await idOf("k");
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => idOf("twice")));
    assert.equal(new Set(atOnce).size, 1);
    const others = [atOnce[0], await idOf("k", "tides", "U"), await idOf(""), await idOf("")];
    assert.equal(new Set([id, ...others]).size, 5);
    const message = "This Idempotency-Key came with another request before. Send a new one";
    const other = await ask("k", "winds");
    assert.deepEqual([other.status, other.body], [422, errorBody("Validation Error", message)]);
    await restart();
    assert.equal(await idOf("k"), id);
    await harness.sql(`DROP TRIGGER kickoff_stands ${onPostgres ? "ON executions" : ""}`);
    await harness.sql("UPDATE executions SET created_at = created_at - 86400000");
    const next = await idOf("k", "winds");
    assert.notEqual(next, id);
    assert.equal(await idOf("k", "winds"), next);
    // A kickoff that was refused has not taken its key.
    const key = { "Idempotency-Key": "refused" };
    assert.equal((await harness.request("POST", "/kickoff", { inputs: {} }, key)).status, 422);
    await idOf("refused");
  });

  it("answers both status paths alike", async () => {
    const id = await harness.kickoff();
    // The last event comes after the status that says that the task waits.
    await waitFor("the request for feedback", async () => {
      const { events = [] } = readStatus(await harness.status(id));
      return events.at(-1)?.type === "human_feedback_requested";
    });
    const answers = [
      await harness.request("GET", `/${id}/status`),
      await harness.request("GET", `/status/${id}`),
    ];
    assert.deepEqual(valuesOf(answers, "status"), [200, 200]);
    assert.deepEqual(answers[0]!.body, answers[1]!.body);
  });

  it("answers 404 for an unknown execution, with another detail than for an unknown route", async () => {
    const unknown = await harness.request("GET", `/${unknownId}/status`);
    assert.equal(unknown.status, 404);
    const message = `No execution found with ID: ${unknownId}`;
    assert.deepEqual(unknown.body, errorBody("Execution not found", message));
    const route = await harness.request("GET", "/executions");
    assert.equal(route.status, 404);
    assert.equal((route.body as { detail: string }).detail, "Not Found");
    assert.equal((await harness.request("GET", "/not-a-uuid/status")).status, 404);
  });

  it("answers 405 for another method and names the right one", async () => {
    for (const [method, path, allowed] of [
      ["POST", "/inputs", "GET"],
      ["GET", "/kickoff", "POST"],
      ["DELETE", "/resume", "POST"],
      ["POST", `/${unknownId}/status`, "GET"],
    ] as const) {
      const { status, headers } = await harness.request(method, path);
      assert.deepEqual([status, headers.get("Allow")], [405, allowed]);
    }
  });

  it("sends no CORS header", async () => {
    const answer = await harness.request("OPTIONS", "/kickoff", undefined, {
      Origin: "https://example.com",
      "Access-Control-Request-Method": "POST",
    });
    assert.equal(answer.status, 405);
    assert.deepEqual(
      [...answer.headers.keys()].filter((name) => name.startsWith("access-control")),
      [],
    );
  });

  it("answers 422 with the names of all missing inputs; null counts as missing", async () => {
    const { status, body } = await harness.request("POST", "/kickoff", {
      inputs: { topic: null, other: "x" },
    });
    assert.equal(status, 422);
    const message = "Missing required inputs: topic, audience";
    const details = { missing_inputs: ["topic", "audience"] };
    const detail = "Missing inputs: audience, topic";
    assert.deepEqual(body, errorBody("Validation Error", message, details, detail));
  });

  for (const [title, changes, whole, partial, missing_inputs] of [
    [
      "lists what crewAI doesn't fill in, and needs no value for it",
      { inputs: ["{topic", "topic", '"count": 1'] },
      '{"topic":"tea"}',
      '{"{topic":"tea"}',
      ["topic"],
    ],
    [
      "takes the crew's own values for inputs that a kickoff omits",
      { defaults: { audience: "colleagues" } },
      '{"topic":"tea"}',
      "{}",
      ["topic"],
    ],
    [
      "accepts inputs with the names of built-in properties",
      { inputs: ["constructor", "__proto__"] },
      '{"constructor":"a","__proto__":"b"}',
      "{}",
      ["constructor", "__proto__"],
    ],
  ] as const)
    it(title, async () => {
      const project = { ...crew, ...changes };
      await serve({ project });
      const kickoff = (values: string) =>
        harness.request("POST", "/kickoff", `{"inputs":${values}}`);
      const listed = await harness.request("GET", "/inputs");
      assert.deepEqual(listed.body, { inputs: project.inputs });
      assert.equal((await kickoff(whole)).status, 200);
      const { details } = (await kickoff(partial)).body as { details: unknown };
      assert.deepEqual(details, { missing_inputs });
    });

  it("answers 422 for a body without the wrapper `inputs`", async () => {
    const { status, body } = await harness.request("POST", "/kickoff", inputs);
    assert.equal(status, 422);
    const { details, message } = body as { details: unknown; message: string };
    assert.deepEqual(details, { missing_inputs: ["topic", "audience"] });
    assert.equal(
      message,
      'Missing required inputs: topic, audience. The body must have the member "inputs"',
    );
  });

  it("accepts a doubled and a trailing slash, and ids in upper case", async () => {
    const id = await harness.kickoffUntilWaiting();
    for (const [method, path, status] of [
      ["GET", "/inputs/", 200],
      ["GET", "//inputs", 200],
      ["GET", `//status///${id.toUpperCase()}/`, 200],
      ["GET", `/${id.toUpperCase()}/status/`, 200],
      ["POST", "//kickoff/", 200],
      ["POST", `//stop/${id.toUpperCase()}/`, 200],
      ["GET", "/", 404],
    ] as const) {
      const answer = await harness.app.request(`http://localhost${path}`, {
        method,
        headers: { Authorization: "Bearer T" },
        ...(method === "POST" && { body: JSON.stringify({ inputs }) }),
      });
      assert.equal(answer.status, status, path);
    }
  });

  it("accepts either casing of a resume", async () => {
    const id = await harness.kickoffUntilWaiting();
    const answer = await harness.request("POST", "/resume", {
      executionId: id.toUpperCase(),
      taskId: "draft",
      humanFeedback: "go on",
      is_approve: true,
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  });

  it("answers 400 to JSON that is nested too deep, wherever it is", async () => {
    const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    for (const body of [
      deep(20_000),
      `{"inputs":{"topic":${deep(20_000)},"audience":"a"}}`,
      `{"inputs":{"topic":"a","audience":"a"},"meta":{"a":${deep(20_000)}}}`,
    ])
      for (const path of ["/kickoff", "/resume"]) {
        const answer = await harness.request("POST", path, body);
        assert.equal(answer.status, 400);
        assert.match(messageOf(answer), /500 levels/);
      }
    await harness.kickoff({ inputs: { topic: JSON.parse(deep(100)) as unknown, audience: "a" } });
  });

  it("answers 415 to a compressed body", async () => {
    const zipped = { "Content-Encoding": "gzip" };
    const answer = await harness.request("POST", "/kickoff", { inputs }, zipped);
    assert.equal(answer.status, 415);
    assert.match(messageOf(answer), /gzip.*uncompressed/);
    const plain = { "Content-Encoding": "identity" };
    assert.equal((await harness.request("POST", "/kickoff", { inputs }, plain)).status, 200);
  });

  it("answers 400 for invalid JSON or a wrong type, and says where", async () => {
    const url = "http://a.example";
    const notValid = /crewWebhookUrl: is not a valid address/;
    const wrong: [unknown, RegExp][] = [
      ["{", /not valid JSON/],
      ["", /not valid JSON/],
      ['"text"', /body: must be object/],
    ];
    const wrongMembers: [object, RegExp][] = [
      [{ inputs: "x" }, /inputs: must be object/],
      [{ meta: "x" }, /meta: must be object/],
      [
        { taskWebhookUrl: "file:///etc/passwd" },
        /taskWebhookUrl: expected: An http or https address/,
      ],
      [{ stepWebhookUrl: "ftp://example.com" }, /stepWebhookUrl/],
      [{ crewWebhookUrl: 5 }, /crewWebhookUrl/],
      [{ crewWebhookUrl: "http://a.example:99999/x" }, notValid],
      [{ crewWebhookUrl: "http://%FF@a.example" }, notValid],
      [{ humanInputWebhookUrl: "not a url" }, /humanInputWebhookUrl/],
      [
        { humanInputWebhook: { url, authentication: { strategy: "basic" } } },
        /humanInputWebhook.authentication/,
      ],
      [{ webhooks: { url } }, /webhooks.events: must have required property/],
    ];
    for (const [members, message] of wrongMembers) wrong.push([{ inputs, ...members }, message]);
    for (const [sent, message] of wrong) {
      const { status, body } = await harness.request("POST", "/kickoff", sent);
      assert.equal(status, 400, JSON.stringify(sent));
      const answer = body as { error: string; message: string; detail: string };
      assert.equal(answer.error, "Invalid Request");
      assert.match(answer.message, message);
      assert.equal(answer.detail, answer.message);
    }
  });

  it("ignores unknown members, and null and empty callback addresses", async () => {
    await harness.kickoff({
      inputs: { ...inputs, more: "x" },
      unknown: 1,
      meta: null,
      taskWebhookUrl: null,
      stepWebhookUrl: "",
      crewWebhookUrl: null,
      humanInputWebhook: null,
      webhooks: null,
    });
  });

  it("answers 413 to more than a megabyte, and accepts a megabyte", async () => {
    const frame = JSON.stringify({ inputs: { topic: "", audience: "a" } }).length;
    const body = (size: number) => ({ inputs: { topic: "x".repeat(size - frame), audience: "a" } });
    const tooLarge = await harness.request("POST", "/kickoff", body(maxBody + 1));
    assert.equal(tooLarge.status, 413);
    const members = Object.keys(tooLarge.body as object).sort();
    assert.deepEqual(members, ["detail", "details", "error", "message"]);
    assert.equal((await harness.request("POST", "/kickoff", body(maxBody))).status, 200);
  });

  it("answers 500 with the position while the crew can't be read, and works again afterwards", async () => {
    let broken = true;
    const place = { file: "tasks.yaml", line: 3, column: 1 };
    const problem = new ProjectError("No task. Expected: one.", place);
    await serve({
      readProject: () => (broken ? Promise.reject(problem) : Promise.resolve(crew)),
    });
    for (const [method, path, body] of [
      ["GET", "/inputs", undefined],
      ["POST", "/kickoff", { inputs }],
    ] as const) {
      const answer = await harness.request(method, path, body);
      assert.equal(answer.status, 500);
      const { error, message, details } = asObject(answer.body);
      assert.equal(error, "Internal Server Error");
      assert.match(String(message), /tasks\.yaml:3:1/);
      assert.deepEqual(
        details,
        { crewdeck: method === "POST" ? { ...place, started: false } : place },
        "only a kickoff can start anything",
      );
    }
    assert.deepEqual(
      harness.log,
      ["GET", "POST"].map(
        (method) =>
          `${method} ${method === "GET" ? "/inputs" : "/kickoff"}: The crew can no longer be read. tasks.yaml:3:1: No task. Expected: one.`,
      ),
      "with the reason, and without inputs",
    );
    broken = false;
    await harness.kickoff();
  });

  it("says that the disk is full, without a stack trace in the log", async () => {
    const log: string[] = [];
    const full = (): never => {
      const database = openSqlite(":memory:");
      database.exec("PRAGMA max_page_count = 1; CREATE TABLE full (id INTEGER PRIMARY KEY)");
      throw new Error("The table fits.");
    };
    const { fetch } = createApp({
      ...{ name: "", dialect: documentedDialect, engine: rehearsalEngine(0) },
      executions: {
        startedWith: full,
        ...{ kickoff: full, view: full, resume: full, answer: full, audit: full, stop: full },
        ...{ calls: full, call: full, recording: full },
      },
      readProject: () => Promise.resolve(crew),
      log: (line) => log.push(line),
    });
    const front = frontOf([{ name: "", dialect: documentedDialect, fetch }]);
    const answer = await ask(front, "/kickoff", { inputs });
    const message = "The disk that keeps the service's data is full. Free some space";
    assert.deepEqual([answer.status, messageOf(answer)], [500, message]);
    assert.deepEqual(log, [`POST /kickoff: ${message}`]);
  });

  it("logs nothing of a client that leaves in the middle of its body", async () => {
    // Node's error (`ConnResetException`).
    const left = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
    const body: RequestInit & { duplex: "half" } = {
      body: new ReadableStream({ pull: (controller) => controller.error(left) }),
      duplex: "half",
    };
    const headers = { Authorization: "Bearer T" };
    const { app } = harness;
    const { status } = await app.request("/kickoff", { method: "POST", headers, ...body });
    assert.deepEqual([status, harness.log], [400, []]);
  });

  it("answers 500 without details of an unexpected error, and logs them", async () => {
    await harness.close();
    const answer = await harness.request("GET", `/${unknownId}/status`);
    const message = "An unexpected error occurred. See the service's log for details";
    assert.deepEqual([answer.status, messageOf(answer)], [500, message]);
    assert.match(
      harness.log.join("\n"),
      onPostgres ? /after calling end on the pool/ : /database is not open/,
    );
    const { body } = await harness.request("POST", "/kickoff", { inputs });
    const expected = errorBody("Internal Server Error", message);
    assert.deepEqual(body, expected, "must not say that nothing was started");
  });
});
