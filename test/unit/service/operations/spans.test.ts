import assert from "node:assert/strict";
import type { Engine } from "../../../../src/service/engine.ts";
import { MisbehavingServer, text } from "../../../support/misbehaving-server.ts";
import { waitFor } from "../../../support/wait.ts";
import { cipher, harness, Harness, serve } from "../support.ts";

const accept = text(200, "", { "content-type": "application/x-protobuf" });

describe("service: spans of executions", () => {
  let receiver: MisbehavingServer;
  beforeEach(async () => {
    receiver = await MisbehavingServer.start();
    receiver.otherwise = accept;
  });
  afterEach(async () => {
    await harness.end();
    await receiver.stop();
  });

  const spansTo = (url: string, hasContent = false) => ({
    url: new URL(`${url}/v1/traces`),
    headers: { "x-key": "k-0123456789" },
    hasContent,
  });
  const begin = async (
    options: { engine?: Engine; folder?: string; hasContent?: boolean } = {},
  ) => {
    const { hasContent, ...others } = options;
    const operations = { spans: spansTo(receiver.url, hasContent) };
    await serve({ callbackBackoffMs: 600_000, ...others, operations });
  };
  const sent = (count: number) =>
    waitFor(`${count} requests with spans`, () => receiver.requests.length >= count);
  const complete = async () => {
    const id = await harness.kickoffUntilWaiting();
    await harness.approve(id, "Good tides");
    return id;
  };
  const untilState = (id: string, state: string) =>
    waitFor(`the spans to be ${state}`, async () => {
      const found = "SELECT state FROM deliveries WHERE execution_id = ? AND kind = 'spans'";
      const states = await harness.sql(found, id);
      return states.length > 0 && states.every((request) => request["state"] === state);
    });

  it("are sent at the end, as one trace with tasks, attempts, agents and waits", async () => {
    await begin();
    const id = await harness.kickoffUntilWaiting();
    await harness.reject(id, 2, "Shorter");
    assert.equal(receiver.requests.length, 0);
    await harness.approve(id);
    await sent(1);
    const [{ method, path: at, headers, body } = assert.fail()] = receiver.requests;
    assert.deepEqual([method, at], ["POST", "/v1/traces"]);
    assert.equal(headers["x-key"], "k-0123456789");
    assert.match(String(headers["user-agent"]), /^crewdeck\/1\.2\.3/);
    for (const [name, count] of [
      ["invoke_workflow example", 1],
      ["task research", 1],
      ["task draft", 1],
      ["attempt 1", 1],
      ["attempt 2", 1],
      ["wait for a person", 2],
      ["task polish", 1],
      ["invoke_agent ", 4],
    ] as const)
      assert.equal(body.split(name).length - 1, count, name);
    assert.ok(body.includes(id));
  });

  it("have no inputs, outputs and feedback, unless they are asked for", async () => {
    await begin();
    await complete();
    await sent(1);
    await begin({ hasContent: true });
    await complete();
    await sent(2);
    const [without, complete_] = receiver.requests;
    for (const words of ['"topic":"tides"', "Task: Research tides", "Good tides"]) {
      assert.ok(!without?.body.includes(words), words);
      assert.ok(complete_?.body.replaceAll("\\", "").includes(words), words);
    }
  });

  it("are sent once, also of an execution that was stopped", async () => {
    await begin();
    const first = await complete();
    await sent(1);
    await untilState(first, "sent");
    await harness.close();
    await begin({ folder: harness.folder });
    const second = await harness.kickoffUntilWaiting();
    await harness.request("POST", `/stop/${second}`);
    await sent(2);
    await untilState(second, "sent");
    assert.equal(receiver.requests.length, 2);
    assert.ok(receiver.requests[0]?.body.includes(first));
    assert.ok(receiver.requests[1]?.body.includes(second));
  });

  it("go on after a restart behind those that were acknowledged", async () => {
    const at = (seconds: number) => new Date(Date.now() + seconds).toISOString();
    await begin({
      engine: {
        name: "tools",
        run: async ({ task, attempt }, report) => {
          for (let call = 0; call < 300; call += 1) {
            const event_id = `${task.id} ${attempt} ${call}`;
            const tool_name = `tool ${call}`;
            await report.event({
              type: "tool_usage_started",
              timestamp: at(call),
              event_id,
              tool_name,
            });
            await report.event({
              type: "tool_usage_finished",
              timestamp: at(call + 1),
              event_id: `${event_id} end`,
              started_event_id: event_id,
            });
          }
          return { output: task.id };
        },
      },
    });
    receiver.next(accept, text(400, "key k-0123456789 is wrong"));
    const id = await complete();
    await sent(2);
    await waitFor("the failure to be logged", () => harness.log.length > 0);
    assert.match(
      harness.log.join("\n"),
      /^A request with spans of execution \S+ to http:\/\/127\.0\.0\.1:\d+ failed, and is sent again at \S+: HTTP 400$/,
    );
    await harness.close();
    await harness.sql("UPDATE deliveries SET due = 0 RETURNING due");
    await begin({ folder: harness.folder });
    await untilState(id, "sent");
    const bodies = receiver.requests.map(({ body }) => body);
    assert.equal(bodies.length, 3);
    assert.equal(bodies[2], bodies[1]);
    const tools = (body = "") => body.split("execute_tool").length;
    assert.ok(tools(bodies[0]) > 400 && tools(bodies[1]) > 200);
  });

  it("that can't be sent never fail the execution, and are given up after 12 attempts", async () => {
    receiver.otherwise = text(404, "");
    await begin();
    const id = await complete();
    await waitFor("the failure to be logged", () => harness.log.length > 0);
    assert.equal((await harness.status(id)).status, "completed");
    await harness.sql("UPDATE deliveries SET due = 0, failures = 11 RETURNING due");
    await untilState(id, "given up");
    const end = await waitFor("the end to be logged", () => harness.log[1]);
    assert.match(end, /was given up after 12 attempts: HTTP 404$/);
  });

  /** More processes on the data of a service without spans, whose ended execution's spans are still to be sent. */
  const unsent = async () => {
    await serve({ operations: {} });
    const id = await complete();
    await harness.sql(
      `INSERT INTO deliveries (id, execution_id, url, body, kind, queue) VALUES ('s', ?, ?, '{"from":0}', 'spans', '2 spans') RETURNING id`,
      ...[id, cipher.encrypt("")],
    );
    const { folder } = harness;
    const operations = { spans: spansTo(receiver.url) };
    return { id, open: (name = "") => new Harness({ folder, name, operations }) };
  };

  it("are sent by one of several processes", async () => {
    const { id, open } = await unsent();
    const all = [open(), open(), open()];
    // One that starts on a file takes it for its own: none may send before all have begun.
    for (const each of all) await each.opened();
    await Promise.all(all.map((each) => each.start()));
    await untilState(id, "sent");
    assert.equal(receiver.requests.length, 1);
  });

  it("are sent also by a process that doesn't serve the crew", async () => {
    const { id, open } = await unsent();
    await open("other").start();
    await untilState(id, "sent");
    assert.equal(receiver.requests.length, 1);
  });
});
