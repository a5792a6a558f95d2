import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { asObject, textAt } from "../../../src/base/json.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { callbackAttempts } from "../../../src/service/deliveries.ts";
import type { CallbackReceiver, ReceivedCallback } from "../../support/callback-receiver.ts";
import type { ApiAnswer } from "../../support/crew-api.ts";
import { waitFor } from "../../support/wait.ts";
import { callbacksTo, crew, harness, inputs, openReceiver, serve, valuesOf } from "./support.ts";

const meta = JSON.parse(
  '{"": 0, "a b": {"c": [null, true]}, "__proto__": "x", "kickoff_id": "not this"}',
) as object;

describe("service: callbacks", () => {
  let receiver: CallbackReceiver;
  let base: string;
  beforeEach(async () => {
    receiver = await openReceiver();
    base = receiver.url;
    await serve();
  });

  const addresses = (prefix = "") => callbacksTo(base + prefix);
  const until = (path: string, count: number) =>
    waitFor(
      `${count} callbacks at ${path}`,
      () => receiver.at(path).length >= count && receiver.at(path),
    );
  const bodies = (callbacks: readonly ReceivedCallback[]) => callbacks.map(({ body }) => body);

  it("sends task, step and human-input callbacks with `meta`, whatever its keys, as JSON and without credentials", async () => {
    const id = await harness.kickoff({
      inputs,
      meta,
      ...addresses(),
      humanInputWebhookUrl: `${base}/human`,
    });
    const [first] = bodies(await until("/task", 1));
    const output = String(first?.["output"]);
    assert.match(output, /Task: Research tides/);
    assert.deepEqual(first, {
      description: "Research tides",
      name: "research",
      expected_output: "Notes for sailors",
      summary: "Research tides...",
      agent: "Researcher of tides",
      output,
      output_json: null,
      kickoff_id: id,
      meta,
    });
    const [step] = bodies(await until("/step", 2)).filter(
      ({ prompt }) => prompt === "Research tides",
    );
    assert.deepEqual(
      { ...step, thought: "" },
      {
        prompt: "Research tides",
        thought: "",
        tool: null,
        tool_input: null,
        result: output,
        kickoff_id: id,
        meta,
      },
    );
    const [human] = bodies(await until("/human", 1));
    assert.deepEqual(human, {
      kickoff_id: id,
      execution_id: id,
      task_id: "draft",
      task_output: (await harness.untilWaiting(id)).pending_human_input?.task_output,
      meta,
    });
    for (const { headers } of receiver.received) {
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers.authorization, undefined);
    }
    assert.equal(new Set(receiver.received.map((callback) => callback.id)).size, 4);
  });

  it("sends the steps of an attempt that begins again under IDs of their own, because they may be others", async () => {
    const tools = ["search", "search", "calculate"];
    const engine: Engine = {
      name: "costly",
      run: async (_attempt, report) => {
        await report.begin();
        const tool = tools.shift() ?? "";
        await report.step({ prompt: "", thought: "", tool, toolInput: null, result: "" });
        if (tool === "search") throw new Error("It is repeated.");
        return { output: "" };
      },
    };
    const project = { ...crew, tasks: crew.tasks.slice(0, 1) };
    await serve({ engine, project });
    await harness.kickoff({ inputs, stepWebhookUrl: `${base}/step` });
    const steps = bodies(await until("/step", 3)).map(({ tool }) => tool);
    assert.deepEqual(steps.sort(), ["calculate", "search", "search"]);
  });

  it("reports the tokens of all attempts when the crew has completed", async () => {
    const usage = { total_tokens: 9, prompt_tokens: 7, completion_tokens: 2 };
    const engine = { name: "model", run: () => Promise.resolve({ output: "done", usage }) };
    await serve({ engine });
    const id = await harness.kickoffUntilWaiting({ inputs, ...addresses() });
    await harness.reject(id, 2, "again");
    await harness.resume(id, true, "good", addresses());
    const [crew] = bodies(await until("/crew", 1));
    assert.deepEqual(crew?.["token_usage"], {
      total_tokens: 36,
      prompt_tokens: 28,
      completion_tokens: 8,
    });
  });

  it("reports the output of the last task that wasn't skipped as the crew's, like both statuses", async () => {
    const run: Engine["run"] = ({ task }) =>
      Promise.resolve(
        task.id === "research" ? { output: "Notes." } : { output: "", isSkipped: true },
      );
    const results: unknown[] = [];
    for (const dialect of ["documented", "live"] as const) {
      await serve({ dialect, engine: { name: "skipping", run } });
      const id = await harness.kickoff({ inputs, crewWebhookUrl: `${base}/${dialect}` });
      const [crew] = bodies(await until(`/${dialect}`, 1));
      const { body } = await harness.request("GET", `/${id}/status`);
      const { result } = body as { result: unknown };
      results.push(crew?.["result"], textAt(asObject(result), "output") ?? result);
    }
    assert.deepEqual(results, ["Notes.", "Notes.", "Notes.", "Notes."]);
  });

  it("sends callbacks after a resume only to the addresses of the resume", async () => {
    const id = await harness.kickoffUntilWaiting({
      inputs,
      meta,
      ...addresses("/first"),
      humanInputWebhookUrl: `${base}/first/human`,
    });
    await until("/first/human", 1);
    await harness.reject(id, 2, "again", {
      taskWebhookUrl: `${base}/second/task`,
      humanInputWebhookUrl: `${base}/second/human`,
    });
    await until("/second/human", 1);
    await harness.approve(id, "good", { crewWebhookUrl: `${base}/third/crew` });
    const [crew] = bodies(await until("/third/crew", 1));
    const status = await harness.status(id);
    assert.deepEqual(crew, {
      result: status.result?.output,
      result_json: null,
      token_usage: { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 },
      execution_time: status.execution_time,
      kickoff_id: id,
      meta,
    });
    for (const [path, count] of [
      ["/first/task", 1],
      ["/first/step", 2],
      ["/first/crew", 0],
      ["/second/task", 0],
      ["/second/step", 0],
      ["/third/task", 0],
    ] as const)
      assert.equal((await until(path, count)).length, count, path);
  });

  it("authenticates a human-input callback as requested", async () => {
    const url = `${base}/human`;
    for (const authentication of [
      { strategy: "bearer", token: "secret" },
      { strategy: "basic", username: "ü", password: "p:w" },
    ]) {
      await harness.kickoff({ inputs, humanInputWebhook: { url, authentication } });
      await until("/human", authentication.strategy === "bearer" ? 1 : 2);
    }
    assert.deepEqual(
      receiver.at("/human").map(({ headers }) => headers.authorization),
      ["Bearer secret", `Basic ${Buffer.from("ü:p:w").toString("base64")}`],
    );
  });

  it("moves credentials from an address to the header, and never logs them", async () => {
    await serve({ callbackBackoffMs: 1 });
    receiver.behave = (response) => response.writeHead(500).end();
    await harness.kickoff({
      inputs,
      humanInputWebhookUrl: `${base.replace("//", "//name:p%40ss@")}/human`,
    });
    const [callback] = await until("/human", 1);
    assert.equal(
      callback?.headers.authorization,
      `Basic ${Buffer.from("name:p@ss").toString("base64")}`,
    );
    await waitFor("it to be given up", () => harness.log.length > 0);
    assert.ok(!/p@ss|p%40ss/.test(harness.log.join()), harness.log.join());
  });

  it("tries again with the same Webhook-Id while the receiver refuses, hangs, redirects or disconnects", async () => {
    await serve({ callbackTimeoutMs: 300 });
    const elsewhere = await openReceiver();
    const other = elsewhere.url;
    const troubles: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(503).end(),
      () => undefined,
      (response) => response.writeHead(302, { Location: `${other}/stolen` }).end(),
      (response) => response.writeHead(307, { Location: `${other}/stolen` }).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(400).end("no"),
    ];
    receiver.behave = (response) =>
      (troubles.shift() ?? ((late) => late.writeHead(200).end("ok")))(response);
    const id = await harness.kickoff({
      inputs,
      taskWebhookUrl: `${base}/task`,
      humanInputWebhookUrl: `${base}/human`,
    });
    // Six troubles and two that arrive; an answer that comes late on a busy machine is another trouble.
    await waitFor(
      "all callbacks",
      async () =>
        receiver.received.length >= 8 &&
        receiver.at("/human").length > 0 &&
        (await harness.status(id)).undelivered_callbacks === undefined,
    );
    assert.equal(troubles.length, 0);
    assert.deepEqual([receiver.at("/task").length, receiver.at("/human").length], [1, 1]);
    assert.deepEqual(elsewhere.received, []);
  });

  it("gives up after all attempts and logs it without the path, while the crew continues", async () => {
    await serve({ callbackBackoffMs: 1 });
    receiver.behave = (response) => response.writeHead(500).end();
    const id = await harness.kickoff({ inputs, taskWebhookUrl: `${base}/secret-path` });
    // Nothing is logged of the attempts between the first and the last.
    await waitFor("it to be given up", () => harness.log.length === 2);
    assert.equal(receiver.received.length, callbackAttempts);
    const error = "The receiver answered 500.";
    const end = `The task callback of execution ${id} to ${base} was given up after ${callbackAttempts} attempts: ${error}`;
    assert.equal(harness.log[1], end);
    assert.ok(!harness.log.join().includes("secret-path"));
    const { undelivered_callbacks } = await harness.status(id);
    assert.deepEqual(undelivered_callbacks, [
      { callback: "task", count: 1, attempts: callbackAttempts, error, given_up: true },
    ]);
    await harness.untilWaiting(id);
  });

  it("sends events in groups of four if `realtime` is false, and the rest when a task waits or the execution ends", async () => {
    const webhooks = {
      url: `${base}/stream`,
      events: ["task_completed", "human_feedback_received", "crew_kickoff_completed"],
      realtime: false,
      authentication: { strategy: "bearer", token: "t" },
    };
    const id = await harness.kickoffUntilWaiting({ inputs, webhooks });
    // The request for feedback, which isn't asked for, also ends a group.
    await until("/stream", 1);
    await harness.resume(id, true, "", { webhooks });
    await until("/stream", 2);
    const types = receiver
      .at("/stream")
      .map(({ body }) => (body["events"] as { type: string }[]).map(({ type }) => type));
    assert.deepEqual(types, [
      ["task_completed"],
      ["human_feedback_received", "task_completed", "task_completed", "crew_kickoff_completed"],
    ]);
  });

  it("tells how an execution ended that can't continue, where the last resume asked for events", async () => {
    let isBroken = false;
    const broken = (): never => {
      throw new Error("x");
    };
    await serve({
      engine: {
        name: "breaks",
        run: () => (isBroken ? Promise.reject(new Error()) : Promise.resolve({ output: "done" })),
        isFinal: broken,
      },
    });
    const id = await harness.kickoffUntilWaiting();
    const webhooks = {
      url: `${base}/stream`,
      events: ["crew_kickoff_failed"],
      realtime: false,
      authentication: { strategy: "bearer", token: "t" },
    };
    await harness.reject(id, 2, "again", { webhooks });
    isBroken = true;
    await harness.resume(id, true, "", { webhooks });
    const [call] = await until("/stream", 1);
    await harness.untilEnded(id);
    const [event] = call?.body["events"] as { type: string; data: { error: string } }[];
    assert.equal(event?.type, "crew_kickoff_failed");
    assert.match(event.data.error, /can't continue: x/);
    assert.equal(call?.headers.authorization, "Bearer t");
  });

  it("lets a person answer each output as soon as its callback arrives", async () => {
    const humanInputWebhookUrl = `${base}/human`;
    const answered: Promise<ApiAnswer>[] = [];
    receiver.behave = (response, { body }) => {
      const isApprove = answered.length === 2;
      const id = String(body["kickoff_id"]);
      answered.push(harness.resume(id, isApprove, "", { humanInputWebhookUrl }));
      response.writeHead(204).end();
    };
    await harness.untilEnded(await harness.kickoff({ inputs, humanInputWebhookUrl }));
    assert.deepEqual(valuesOf(await Promise.all(answered), "status"), [200, 200, 200]);
  });
});
