import assert from "node:assert/strict";
import type { Engine } from "../../../../src/service/engine.ts";
import { createMetrics } from "../../../../src/service/operations/metrics.ts";
import type { CallbackReceiver } from "../../../support/callback-receiver.ts";
import { waitFor } from "../../../support/wait.ts";
import { harness, inputs, openReceiver, serve } from "../support.ts";

/** The samples of the service's own metrics, such as `crewdeck_x_total{crew="a"}`. */
function samples(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line.startsWith("crewdeck_"));
  return new Map(
    lines.map((line) => {
      const [, name = "", value = ""] = /^(\S+) (\S+)$/.exec(line) ?? assert.fail(line);
      return [name, Number(value)];
    }),
  );
}

function withName(text: string, name: string): Record<string, number> {
  const own = [...samples(text)].filter(([key]) => key === name || key.startsWith(`${name}{`));
  return Object.fromEntries(own);
}

const tokensOf = (prompt: number) => ({
  total_tokens: prompt + 5,
  prompt_tokens: prompt,
  completion_tokens: 5,
});

describe("service: metrics", () => {
  let receiver: CallbackReceiver;
  let base: string;
  const read = async (): Promise<string> => {
    const { operations } = harness.service;
    const fetch = operations?.before(harness.app.fetch) ?? assert.fail();
    return await (await fetch(new Request("http://127.0.0.1/metrics"))).text();
  };
  const begin = async (engine?: Engine) => {
    await serve({ operations: {}, ...(engine && { engine }) });
  };
  beforeEach(async () => {
    receiver = await openReceiver();
    base = receiver.url;
  });

  it("count a story with a rejection: kickoffs, attempts, waits, callbacks, requests and tokens", async () => {
    await begin({
      name: "model",
      run: ({ attempt, task }) =>
        Promise.resolve({ output: `${task.id} ${attempt}`, usage: tokensOf(10 * attempt) }),
    });
    await harness.request("POST", "/kickoff", { inputs: {} });
    const id = await harness.kickoffUntilWaiting({ inputs, taskWebhookUrl: `${base}/task` });
    await harness.kickoffUntilWaiting();
    await harness.reject(id, 2, "Shorter");
    const again = { taskWebhookUrl: `${base}/task` };
    await harness.approve(id, "", again);
    // research and the first draft; a resume without addresses, and then the other two.
    await waitFor("the callbacks to be counted", async () =>
      Object.entries(withName(await read(), "crewdeck_callback_attempts_total")).some(
        ([, count]) => count === receiver.at("/task").length && count === 3,
      ),
    );
    const text = await read();
    assert.deepEqual(withName(text, "crewdeck_kickoffs_total"), {
      'crewdeck_kickoffs_total{crew="",code="200"}': 2,
      'crewdeck_kickoffs_total{crew="",code="422"}': 1,
    });
    assert.deepEqual(withName(text, "crewdeck_attempts_total"), {
      // Of the first execution four, of the other one two.
      'crewdeck_attempts_total{engine="model",outcome="completed"}': 6,
    });
    assert.deepEqual(withName(text, "crewdeck_model_tokens_total"), {
      // All attempts but the second draft are first ones.
      'crewdeck_model_tokens_total{crew="",type="prompt"}': 70,
      'crewdeck_model_tokens_total{crew="",type="completion"}': 30,
    });
    assert.deepEqual(withName(text, "crewdeck_feedback_wait_seconds_count"), {
      crewdeck_feedback_wait_seconds_count: 2,
    });
    const waited = samples(text).get("crewdeck_feedback_wait_seconds_sum") ?? NaN;
    assert.ok(waited > 0 && waited < 90, `${waited} s`);
    assert.deepEqual(withName(text, "crewdeck_callback_attempts_total"), {
      'crewdeck_callback_attempts_total{kind="task",outcome="delivered"}': 3,
    });
    const requests = withName(text, "crewdeck_http_request_duration_seconds_count");
    const label = (route: string, status: string) =>
      `crewdeck_http_request_duration_seconds_count{route="${route}",status="${status}"}`;
    assert.equal(requests[label("/kickoff", "2xx")], 2);
    assert.equal(requests[label("/kickoff", "4xx")], 1);
    assert.equal(requests[label("/resume", "2xx")], 2);
    assert.ok((requests[label("/:id/status", "2xx")] ?? 0) > 0);
  });

  it("have the executions of the database by state, and the length of the queue", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    await begin({
      name: "model",
      run: async ({ inputs: { topic }, task }) => {
        if (topic === "hold") await gate;
        if (topic === "fail") throw new Error("No model");
        return { output: task.id };
      },
      isFinal: () => true,
    });
    await harness.complete();
    await harness.kickoffUntilWaiting();
    const failing = await harness.kickoff({ inputs: { ...inputs, topic: "fail" } });
    await harness.untilEnded(failing);
    const stopped = await harness.kickoffUntilWaiting();
    await harness.request("POST", `/stop/${stopped}`);
    await harness.sql("UPDATE executions SET crew = 'other' WHERE id = ? RETURNING id", stopped);
    const running = await harness.kickoff({ inputs: { ...inputs, topic: "hold" } });
    await waitFor(
      "the attempt to begin",
      async () => Reflect.get(await harness.status(running), "queued") !== true,
    );
    const text = await read();
    open();
    assert.deepEqual(withName(text, "crewdeck_executions"), {
      'crewdeck_executions{crew="",state="queued"}': 0,
      'crewdeck_executions{crew="",state="running"}': 1,
      'crewdeck_executions{crew="",state="waiting"}': 1,
      'crewdeck_executions{crew="",state="completed"}': 1,
      'crewdeck_executions{crew="",state="failed"}': 1,
      'crewdeck_executions{crew="other",state="stopped"}': 1,
      'crewdeck_executions{crew="",state="stopped"}': 0,
    });
    assert.deepEqual(withName(text, "crewdeck_queue_length"), {
      'crewdeck_queue_length{queue="callbacks"}': 0,
    });
    const attempts = withName(text, "crewdeck_attempts_total");
    assert.equal(attempts['crewdeck_attempts_total{engine="model",outcome="failed"}'], 1);
  });

  it("tell callbacks that failed from those that were given up, and attempts that were stopped", async () => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    let isUnderWay = false;
    await begin({
      name: "model",
      run: async () => {
        isUnderWay = true;
        await ended;
        throw new Error("Stopped");
      },
      rest: (_id, hasEnded) => {
        if (hasEnded) end();
      },
    });
    const id = await harness.kickoff();
    await waitFor("the attempt to begin", () => isUnderWay);
    await harness.request("POST", `/stop/${id}`);
    await waitFor("the attempt to end", async () =>
      Object.keys(withName(await read(), "crewdeck_attempts_total")).includes(
        'crewdeck_attempts_total{engine="model",outcome="stopped"}',
      ),
    );
    receiver.behave = (response) => response.writeHead(503).end();
    await serve({ operations: {}, callbackBackoffMs: 1 });
    await harness.kickoffUntilWaiting({ inputs, taskWebhookUrl: `${base}/task` });
    const given = 'crewdeck_callback_attempts_total{kind="task",outcome="given_up"}';
    await waitFor(
      "the callbacks to be given up",
      async () => withName(await read(), "crewdeck_callback_attempts_total")[given] === 1,
    );
    assert.deepEqual(withName(await read(), "crewdeck_callback_attempts_total"), {
      [given]: 1,
      'crewdeck_callback_attempts_total{kind="task",outcome="failed"}': 11,
    });
  });

  it("have as many series after a thousand paths, IDs and kinds of errors as before", async () => {
    await begin();
    const { app } = harness;
    const ask = async (method: string, path: string, headers = { Authorization: "Bearer T" }) =>
      (
        await app.request(path, { method, headers, ...(method === "POST" && { body: "{" }) })
      ).text();
    const round = async (number: number) => {
      for (const path of [
        `/${number}/status`,
        `/status/${number}`,
        `/x${number}`,
        `/a/${number}/b`,
      ])
        await ask("GET", path);
      for (const path of ["/kickoff", "/resume", `/stop/${number}`, `/feedback/${number}`])
        await ask("POST", path);
      await ask("GET", "/inputs", { Authorization: `Bearer ${number}` });
      await ask("DELETE", "/kickoff");
    };
    await round(0);
    const series = [...samples(await read()).keys()];
    for (let number = 1; number <= 100; number += 1) await round(number);
    assert.deepEqual([...samples(await read()).keys()], series);
    assert.ok(series.length < 200, `${series.length} series`);
    assert.ok(series.every((name) => !/[0-9a-f]{8}-/.test(name)));
  });

  it("are there without the database, too", async () => {
    await begin();
    const metrics = createMetrics();
    const query = () => Promise.reject(new Error("down"));
    metrics.addDatabase({ query }, [""]);
    const text = await metrics.text();
    assert.deepEqual(withName(text, "crewdeck_executions"), {});
    assert.match(text, /^process_cpu_seconds_total \d/m);
  });
});
