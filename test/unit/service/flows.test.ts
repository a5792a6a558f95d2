import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { asArray, asObject } from "../../../src/base/json.ts";
import type { CrewProject } from "../../../src/projects/types.ts";
import type { Engine, FlowPart, Reports, TaskResult } from "../../../src/service/engine.ts";
import { documentedDialect } from "../../../src/service/dialects.ts";
import {
  createFeedbackWebhook,
  type FeedbackWebhook,
} from "../../../src/service/feedback-webhook.ts";
import { change } from "../../../src/service/database/database.ts";
import { createStore } from "../../../src/service/store.ts";
import type { CallbackReceiver } from "../../support/callback-receiver.ts";
import { waitFor } from "../../support/wait.ts";
import { cipher, harness, type HarnessOptions, openReceiver, serve, valuesOf } from "./support.ts";

const flow: CrewProject = {
  kind: "flow",
  entry: "src/news/main.py",
  name: "news",
  agents: [],
  tasks: ["write", "review", "publish"].map((id) => ({
    id,
    description: "",
    expectedOutput: "",
    humanInput: id === "review",
  })),
  inputs: ["topic", "words"],
  inputSchema: { properties: { words: { type: "integer" } }, required: ["words"] },
};

const pause = {
  method: "review",
  message: "Is it right?",
  options: ["approved", "rejected", "request_changes"],
  defaultOption: null,
  metadata: { desk: "news" },
  state: { topic: "tides" },
};

/** Reports that a method ran. */
async function ran(report: Reports, name: string, output: string): Promise<void> {
  const started = await began(report, name);
  await report.event(eventOf("method_execution_finished", { started_event_id: started }), {
    name,
    output,
  });
}

async function began(report: Reports, name: string): Promise<string> {
  const event_id = randomUUID();
  await report.event(eventOf("method_execution_started", { event_id }), { name, output: "" });
  return event_id;
}

function eventOf(type: string, more: Readonly<Record<string, string>>) {
  return { event_id: randomUUID(), type, timestamp: new Date().toISOString(), ...more };
}

/** Writes, waits for a person, and publishes what is approved; changes are requested in a loop. */
async function news(part: FlowPart, report: Reports): Promise<TaskResult> {
  const { inputs, answer } = part;
  const [outcome] = answer?.outcomes ?? [];
  if (outcome === "approved") {
    await ran(report, "publish", `Published (${answer?.feedback})`);
    return { output: `Published (${answer?.feedback})` };
  }
  if (outcome === "rejected") return { output: "Dropped" };
  const output = `On ${JSON.stringify(inputs)}, ${answer?.feedback ?? "none"}`;
  await ran(report, "write", output);
  await began(report, "review");
  const usage = { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 };
  return {
    output,
    usage,
    pause: { ...pause, output, requestedAt: `${Number(answer?.requestedAt ?? 0) + 1}` },
  };
}

const engineOf = (runFlow: typeof news): Engine => ({
  name: "flows",
  run: () => Promise.reject(new Error("A flow has no tasks.")),
  runFlow,
});

describe("service: flows", () => {
  const parts: FlowPart[] = [];
  let run = news;
  const engine = engineOf((part, report) => {
    parts.push(part);
    return run(part, report);
  });
  const open = async (options: HarnessOptions = {}) =>
    await serve({ engine, project: flow, ...options });
  beforeEach(() => {
    parts.length = 0;
    run = news;
  });

  const kickoff = (inputs: object = { topic: "tides" }) => harness.kickoff({ inputs });
  /** Serves the flow; resolves to an execution that waits for a person. */
  const paused = async () => {
    await open();
    return await harness.kickoffUntilWaiting({ inputs: { topic: "tides" } });
  };
  const answer = (id: string, isApprove: boolean, feedback: string) =>
    harness.resume(id, isApprove, feedback, { task_id: "review" });
  const tasksOf = (tasks: readonly { task_id: string; output: string }[] = []) =>
    tasks.map(({ task_id, output }) => `${task_id}: ${output}`);
  const written = (feedback: string) => `On {"topic":"tides"}, ${feedback}`;

  it("run from their start to a pause, and with its answer to the end; methods are the tasks", async () => {
    await open();
    const id = await kickoff();
    const waiting = await harness.untilWaiting(id);
    assert.deepEqual(waiting.pending_human_input, {
      task_id: "review",
      task_output: written("none"),
      attempt: 1,
      message: pause.message,
      emit_options: pause.options,
    });
    assert.equal(waiting.current_task, "review");
    assert.deepEqual(waiting.progress, { completed_tasks: 1, unit: "step" });
    assert.deepEqual((await answer(id, true, "Approved.")).body, {
      status: "resumed",
      message: "Execution resumed successfully",
    });
    const { status, result } = await harness.untilEnded(id);
    assert.deepEqual([status, result?.output], ["completed", "Published (Approved.)"]);
    assert.deepEqual(tasksOf(result?.tasks), [
      `write: ${written("none")}`,
      `review: ${written("none")}`,
      "publish: Published (Approved.)",
    ]);
    assert.deepEqual(valuesOf(parts, "answer"), [
      undefined,
      { requestedAt: "1", feedback: "Approved.", outcomes: ["approved"] },
    ]);
  });

  it("take an answer by its words alone, whatever is_approve says", async () => {
    await open();
    for (const [feedback, outcomes] of [
      ["rejected", ["rejected"]],
      ["request_changes", ["request_changes"]],
      ["Shorter, please", null],
    ] as const) {
      const id = await kickoff();
      await harness.untilWaiting(id);
      parts.length = 0;
      const more = { task_id: "review", is_answer: true };
      const { status, body } = await harness.resume(id, true, feedback, more);
      assert.equal(status, 200, JSON.stringify(body));
      await waitFor("the next part", () => parts.length > 0);
      assert.deepEqual(parts[0]?.answer, { requestedAt: "1", feedback, outcomes });
    }
  });

  it("name the option that crewAI takes for an empty answer", async () => {
    run = async (part, report) => {
      const result = await news(part, report);
      return result.pause
        ? { ...result, pause: { ...result.pause, defaultOption: "rejected" } }
        : result;
    };
    await open();
    const { pending_human_input: pending } = await harness.untilWaiting(await kickoff());
    assert.equal(pending?.default_outcome, "rejected");
  });

  it("tell the schema of their inputs, take these with their JSON types, none of them required even if the schema says so, and refuse an id", async () => {
    await open();
    assert.deepEqual((await harness.request("GET", "/inputs")).body, {
      inputs: ["topic", "words"],
      crewdeck: { kind: "flow", schema: flow.inputSchema },
    });
    await harness.untilWaiting(await kickoff({ words: 3, topic: null }));
    assert.deepEqual(parts[0]?.inputs, { words: 3, topic: null });
    await harness.untilWaiting(await kickoff({}));
    assert.deepEqual(parts[1]?.inputs, {});
    const stored = await harness.sql("SELECT project FROM executions");
    assert.ok(stored.every(({ project }) => !String(project).includes("inputSchema")));
    for (const body of [
      { inputs: { id: "other" } },
      { inputs: {}, run_again: { execution_id: "x", task_id: "write" } },
    ])
      assert.equal((await harness.request("POST", "/kickoff", body)).status, 400);
  });

  it("may run a method again after a rejection, as another attempt", async () => {
    const id = await paused();
    const { body } = await answer(id, false, "request changes");
    // The service doesn't repeat the task: the flow decides.
    assert.equal((body as { status: string }).status, "resumed");
    const again = await harness.untilWaiting(id, 2);
    assert.equal(again.pending_human_input?.task_output, written("request changes"));
    assert.deepEqual(tasksOf(again.tasks), [
      `review: ${written("none")}`,
      `write: ${written("request changes")}`,
    ]);
    await answer(id, false, "rejected");
    assert.equal((await harness.untilEnded(id)).result?.output, "Dropped");
  });

  it("are answered only where they wait, and only with what an option can mean", async () => {
    const id = await paused();
    const { status, body } = await answer(id, true, "rejected");
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), /contradicts is_approve/);
    assert.equal((await harness.resume(id, true, "", { task_id: "write" })).status, 400);
    assert.equal((await answer(id, true, "")).status, 200);
    assert.equal((await answer(id, true, "")).status, 400);
    await harness.untilEnded(id);
  });

  it("wait for a person in the live dialect, too", async () => {
    await open({ dialect: "live" });
    const id = await kickoff();
    const until = (state: string) =>
      waitFor(state, async () => {
        const now = asObject(await harness.status(id));
        return now["state"] === state && now;
      });
    const waiting = await until("PAUSED");
    assert.equal(waiting["flow_id"], id);
    const { unit, total, remaining, completed, current } = asObject(waiting["progress"]);
    assert.deepEqual(
      [unit, total, remaining, completed, current],
      ["step", null, null, 1, "review"],
    );
    await answer(id, true, "");
    const ended = await until("SUCCESS");
    assert.equal(ended["result"], "Published ()");
    assert.ok(!("flow_id" in ended));
  });

  it("that wait are still waiting after a restart, and continue from their pause", async () => {
    const id = await paused();
    await harness.close();
    await open({ folder: harness.folder });
    assert.equal((await harness.untilWaiting(id)).pending_human_input?.message, pause.message);
    await answer(id, true, "Good.");
    assert.equal((await harness.untilEnded(id)).result?.output, "Published (Good.)");
    assert.deepEqual(
      parts.map(({ answer }) => answer?.requestedAt),
      [undefined, "1"],
    );
  });

  it("run the methods since the last pause again if the engine ended meanwhile, and fail after three tries", async () => {
    let deaths = 1;
    run = async (part, report) => {
      if (part.answer === undefined) return await news(part, report);
      await ran(report, "write", `try ${deaths}`);
      await began(report, "publish");
      if (deaths++ < 3) throw new Error("The process ended.");
      return await news(part, report);
    };
    const id = await paused();
    await answer(id, true, "approved");
    const { result } = await harness.untilEnded(id);
    assert.deepEqual(tasksOf(result?.tasks), [
      `review: ${written("none")}`,
      "write: try 3",
      "publish: Published (approved)",
    ]);
    deaths = -10;
    const other = await kickoff();
    await harness.untilWaiting(other);
    await answer(other, true, "approved");
    const { status, error } = await harness.untilEnded(other);
    assert.deepEqual([status, error], ["error", "The flow failed: The process ended."]);
  });

  for (const isEarly of [true, false])
    it(`keep the pause of the worker that took over, and its answer, if the slow one ${isEarly ? "begins" : "pauses"} after it`, async () => {
      await open();
      const store = createStore(harness.database, cipher);
      run = async (part, report) => {
        if (part.answer) return await news(part, report);
        const key = { executionId: part.executionId, taskIndex: 1, attempt: 1 };
        const { method, message, options, defaultOption } = pause;
        const theirs = { method, message, options, defaultOption, requestedAt: "theirs" };
        const takeOver = async () => {
          await store.begin(part.executionId);
          await harness.database.transaction(function* () {
            yield* change("DELETE FROM attempts WHERE task_index >= 0");
            yield* store.beginAttempt(key, "review");
            yield* store.finish(key, "waiting", "Theirs", {}, { pause: theirs });
          });
          assert.equal((await answer(part.executionId, true, "approved")).status, 200);
        };
        if (isEarly) await takeOver();
        const result = await news(part, report);
        if (!isEarly) await takeOver();
        return result;
      };
      const id = await kickoff();
      const { result } = await harness.untilEnded(id);
      const reviews = tasksOf(result?.tasks).filter((task) => task.startsWith("review"));
      assert.deepEqual(reviews, ["review: Theirs"]);
      assert.equal(result?.output, "Published (approved)");
      assert.deepEqual(
        parts.map(({ answer }) => answer?.requestedAt),
        [undefined, "theirs"],
      );
    });

  it("report their methods and pauses as events, each end with its start", async () => {
    const id = await paused();
    await answer(id, true, "approved");
    const status = asObject(await harness.untilEnded(id));
    const events = asArray(status["events"]).map(asObject);
    const named = events.map(({ type, task_name = "", attempt = "" }) =>
      [type, task_name, attempt].join(" ").trim(),
    );
    assert.deepEqual(named, [
      "method_execution_started write 1",
      "method_execution_finished write 1",
      "method_execution_started review 1",
      "method_execution_paused review 1",
      "human_feedback_requested review 1",
      "human_feedback_received review 1",
      "method_execution_started publish 1",
      "method_execution_finished publish 1",
      "crew_kickoff_completed",
    ]);
    const begun = new Set(events.map(({ event_id }) => event_id));
    for (const { type, started_event_id } of events)
      if (/(finished|paused|received)$/.test(String(type))) assert.ok(begun.has(started_event_id));
      else assert.equal(started_event_id, undefined, String(type));
    const received = events.find(({ type }) => type === "human_feedback_received");
    assert.deepEqual(
      [received?.["feedback"], received?.["outcome"], received?.["is_approve"]],
      ["approved", "approved", true],
    );
  });

  it("call the human-input callback of the kickoff at a pause", async () => {
    await open();
    const receiver = await openReceiver();
    const id = await harness.kickoff({
      inputs: { topic: "tides" },
      humanInputWebhookUrl: `${receiver.url}/h`,
    });
    const [callback] = await waitFor(
      "the callback",
      () => receiver.received.length > 0 && receiver.received,
    );
    assert.deepEqual(callback?.body, {
      execution_id: id,
      task_id: "review",
      task_output: written("none"),
      message: pause.message,
      emit_options: pause.options,
      kickoff_id: id,
      meta: null,
    });
  });
});

describe("service: the feedback webhook of flows", () => {
  const secret = "a secret";
  const engine = engineOf(news);
  let receiver: CallbackReceiver;
  let feedbackWebhook: FeedbackWebhook;
  beforeEach(async () => {
    receiver = await openReceiver();
    const url = `${receiver.url}/people?key=hidden`;
    const address = () => "http://127.0.0.1:9";
    feedbackWebhook = createFeedbackWebhook({ url, secret, address });
    await serve({ engine, project: flow, feedbackWebhook });
  });
  const requests = (count: number) =>
    waitFor("a request", () => receiver.received.length === count && receiver.received);
  const answer = (body: Record<string, unknown>, feedback: unknown) =>
    harness.request("POST", new URL(String(body["callback_url"])).pathname, feedback, {
      Authorization: "",
    });

  it("is sent in the vendor's shape with a signature that holds, and takes the answer once, without a token", async () => {
    const id = await harness.kickoffUntilWaiting({ inputs: { topic: "tides" } });
    const [sent] = await requests(1);
    assert.ok(sent);
    const { request, callback_url, ...rest } = sent.body;
    const { id: requestId, created_at, ...about } = request as Record<string, unknown>;
    assert.equal(typeof requestId, "string");
    assert.ok(Date.parse(String(created_at)) > 0);
    assert.deepEqual(about, {
      flow_id: id,
      method_name: "review",
      message: pause.message,
      emit_options: pause.options,
      state: pause.state,
      metadata: pause.metadata,
    });
    assert.deepEqual(rest, {
      event: "new_request",
      deployment: { id: 0, name: "news", organization_id: 0 },
      assigned_to_email: null,
    });
    assert.match(String(callback_url), /^http:\/\/127\.0\.0\.1:9\/feedback\//);
    const timestamp = String(sent.headers["x-timestamp"]);
    assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 60);
    const hash = createHmac("sha256", secret)
      .update(`${timestamp}.${JSON.stringify(sent.body)}`)
      .digest("hex");
    assert.equal(sent.headers["x-signature"], `sha256=${hash}`);

    const given = { feedback: "Approved", source: "email" };
    assert.equal((await answer(sent.body, {})).status, 400);
    const forged = new URL(`${String(callback_url).slice(0, -1)}g`).pathname;
    const refused = await harness.app.request(forged, { method: "POST" });
    assert.equal(refused.status, 401);
    assert.equal((await answer(sent.body, given)).status, 200);
    const ended = await harness.untilEnded(id);
    assert.equal(ended.result?.output, "Published (Approved)");
    const [decision] = asArray(asObject(ended)["decisions"]).map(asObject);
    assert.deepEqual(
      [decision?.["action"], decision?.["by"], decision?.["task_id"], decision?.["attempt"]],
      ["approve", { type: "webhook" }, "review", 1],
    );
    assert.equal((await answer(sent.body, given)).status, 400);
  });

  it("asks anew at each pause, and an old address answers none of them", async () => {
    const id = await harness.kickoff({ inputs: { topic: "tides" } });
    const [first] = await requests(1);
    await answer(first?.body ?? {}, { feedback: "request_changes" });
    await harness.untilWaiting(id, 2);
    const [, second] = await requests(2);
    assert.equal((await answer(first?.body ?? {}, { feedback: "approved" })).status, 400);
    assert.equal((await answer(second?.body ?? {}, { feedback: "rejected" })).status, 200);
    assert.equal((await harness.untilEnded(id)).result?.output, "Dropped");
  });

  it("has an address for answers that is of no other crew", async () => {
    await harness.kickoff({ inputs: { topic: "tides" } });
    const [request] = await requests(1);
    const other = harness.service.appOf({
      ...{ name: "other", engine, dialect: documentedDialect, feedbackWebhook },
      readProject: () => Promise.resolve(flow),
    });
    const { pathname } = new URL(String(request?.body["callback_url"]));
    const body = JSON.stringify({ feedback: "approved" });
    assert.equal((await other.request(`/other${pathname}`, { method: "POST", body })).status, 400);
    assert.equal((await answer(request?.body ?? {}, { feedback: "approved" })).status, 200);
  });

  it("has an address for answers that is in no log", async () => {
    await harness.kickoff({ inputs: { topic: "tides" } });
    const [request] = await requests(1);
    await harness.sql("ALTER TABLE attempts RENAME COLUMN feedback TO lost");
    assert.equal((await answer(request?.body ?? {}, { feedback: "approved" })).status, 500);
    await harness.sql("ALTER TABLE attempts RENAME COLUMN lost TO feedback");
    assert.match(harness.log.join(), /^POST \/feedback\/: .*column.*feedback/);
    assert.ok(
      !harness.log.join().includes(new URL(String(request?.body["callback_url"])).pathname),
    );
  });

  it("is logged without its path, and sent again if it fails, until it arrives", async () => {
    receiver.behave = (response) =>
      response.writeHead(receiver.received.length === 1 ? 500 : 204).end();
    await harness.kickoff({ inputs: { topic: "tides" } });
    const [first, second] = await requests(2);
    assert.deepEqual(second?.body, first?.body);
    assert.match(
      harness.log.join(),
      /to http:\/\/127\.0\.0\.1:\d+ failed, and is sent again at .*: The receiver answered 500\.$/,
    );
  });
});
