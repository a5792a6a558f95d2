import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/api/types.ts";
import type { Engine, TaskAttempt } from "../../../src/service/engine.ts";
import type { CallbackReceiver } from "../../support/callback-receiver.ts";
import { waitFor } from "../../support/wait.ts";
import { crew, harness, inputs, openReceiver, restart, serve } from "./support.ts";

/** What an engine that holds back what follows a review was asked for. */
type Asked = Pick<TaskAttempt, "attempt" | "draft" | "refusal">;

const usage = { total_tokens: 3, prompt_tokens: 2, completion_tokens: 1 };
/** Only the task that is reviewed, the crew's last. */
const project = { ...crew, tasks: crew.tasks.slice(1, 2) };

describe("service: what follows a review", () => {
  let receiver: CallbackReceiver;
  let base: string;
  let asked: Asked[];
  /** What the approved draft becomes, one after the other. */
  let finish: (draft: string) => Promise<{ output: string; refusal?: JsonObject }>;
  beforeEach(async () => {
    asked = [];
    finish = (text) => Promise.resolve({ output: `${text}, final` });
    receiver = await openReceiver();
    base = receiver.url;
    await serve({ engine, project });
  });

  const textOf = ({ text }: JsonObject) => (typeof text === "string" ? text : "");
  const engine: Engine = {
    name: "reviewed",
    async run({ attempt, draft, refusal, task }, work) {
      await work.begin();
      if (!task.humanInput) return { output: "plain", usage };
      asked.push({ attempt, ...(draft && { draft }), ...(refusal && { refusal }) });
      const text = `draft ${attempt}`;
      return draft
        ? { ...(await finish(textOf(draft))), usage }
        : { output: text, draft: { text }, usage };
    },
  };
  const callbacks = () => ({
    taskWebhookUrl: `${base}/task`,
    crewWebhookUrl: `${base}/crew`,
    humanInputWebhookUrl: `${base}/human`,
  });
  /** What the status says of what happened, and the tokens. */
  const activity = async (id: string) => {
    const { body } = await harness.request("GET", `/${id}/status`);
    return body as { events: { type: string }[]; usage_metrics: { total_tokens: number } };
  };
  const events = async (id: string) => (await activity(id)).events.map(({ type }) => type);
  const bodies = (path: string) => receiver.at(path).map(({ body }) => body);
  const outputs = () => bodies("/task").map(({ output }) => output);

  it("happens once, after the approval: status, callbacks and events have the final output, and its tokens count", async () => {
    const id = await harness.kickoff({ inputs, ...callbacks() });
    const waiting = await harness.untilWaiting(id);
    assert.equal(waiting.pending_human_input?.task_output, "draft 1");
    await waitFor("the request", () => receiver.at("/human").length === 1);
    assert.deepEqual(await events(id), [
      "crew_kickoff_started",
      "task_started",
      "task_paused",
      "human_feedback_requested",
    ]);
    const { body } = await harness.resume(id, true, "good", callbacks());
    assert.deepEqual(body, { status: "completed", message: "Execution completed" });
    const { result } = await harness.untilEnded(id);
    assert.deepEqual(
      [result?.output, result?.tasks[0]?.output, (await activity(id)).usage_metrics.total_tokens],
      ["draft 1, final", "draft 1, final", 6],
    );
    await waitFor("both callbacks", () =>
      ["/task", "/crew"].every((path) => receiver.at(path).length > 0),
    );
    assert.deepEqual(
      [outputs(), bodies("/crew").map(({ result }) => result)],
      [["draft 1, final"], ["draft 1, final"]],
    );
    assert.deepEqual((await events(id)).slice(4), [
      "human_feedback_received",
      "task_completed",
      "crew_kickoff_completed",
    ]);
    assert.deepEqual(asked, [{ attempt: 1 }, { attempt: 1, draft: { text: "draft 1" } }]);
  });

  it("never happens to a rejected draft", async () => {
    const id = await harness.kickoffUntilWaiting({ inputs, ...callbacks() });
    await harness.reject(id, 2, "shorter", callbacks());
    await harness.approve(id, "", callbacks());
    await waitFor("the callback", () => receiver.at("/task").length > 0);
    assert.deepEqual(outputs(), ["draft 2, final"]);
    assert.deepEqual(asked.map(({ draft }) => draft).filter(Boolean), [{ text: "draft 2" }]);
    const left = await harness.sql(
      "SELECT count(*) AS count FROM attempts WHERE review IS NOT NULL",
    );
    assert.equal(Number(left[0]?.["count"]), 0);
  });

  it("leads to the next attempt if a guardrail refuses the approved draft, which has its words", async () => {
    const refusal = { context: "Too short." };
    finish = (text) =>
      Promise.resolve(text === "draft 1" ? { output: "", refusal } : { output: "Final." });
    const id = await harness.kickoffUntilWaiting({ inputs, ...callbacks() });
    const { body } = await harness.resume(id, true, "good", callbacks());
    assert.deepEqual(body, { status: "resumed", message: "Execution resumed successfully" });
    const waiting = await harness.untilWaiting(id, 2);
    assert.deepEqual([waiting.current_task, waiting.progress?.completed_tasks], ["draft", 0]);
    await harness.reject(id, 3, "longer", callbacks());
    assert.equal((await harness.approve(id, "", callbacks())).result?.output, "Final.");
    assert.deepEqual(
      asked.map(({ attempt, draft, refusal: words }) => [attempt, draft !== undefined, words]),
      [
        [1, false, undefined],
        [1, true, undefined],
        [2, false, refusal],
        [3, false, refusal],
        [3, true, refusal],
      ],
    );
    await waitFor("the callback", () => receiver.at("/task").length > 0);
    assert.deepEqual(outputs(), ["Final."]);
  });

  it("shows a running task meanwhile, which can't be answered again, and can be stopped", async () => {
    let end: () => void = () => undefined;
    finish = () => new Promise((resolve) => (end = () => resolve({ output: "late" })));
    const id = await harness.kickoffUntilWaiting({ inputs, ...callbacks() });
    const resumed = harness.resume(id, true, "good", callbacks());
    await waitFor("the second call", () => asked.length === 2);
    const status = await harness.status(id);
    assert.deepEqual(
      [status.status, status.pending_human_input, status.current_task, status.tasks],
      ["running", undefined, "draft", undefined],
    );
    assert.equal((await harness.resume(id, true, "again")).status, 400);
    assert.deepEqual((await resumed).body, {
      status: "resumed",
      message: "Execution resumed successfully",
    });
    assert.equal((await harness.request("POST", `/stop/${id}`)).status, 200);
    end();
    assert.equal((await harness.untilEnded(id)).status, "stopped");
    assert.deepEqual(receiver.at("/task"), []);
  });

  it("happens after a restart if the service was killed between the approval and its end, at least once", async () => {
    let kill: () => void = () => undefined;
    finish = () => new Promise((_, reject) => (kill = () => reject(new Error("killed"))));
    const id = await harness.kickoffUntilWaiting({ inputs });
    await harness.resume(id, true, "good", callbacks());
    await waitFor("the second call", () => asked.length === 2);
    const closed = harness.close();
    kill();
    await closed;
    finish = (text) => Promise.resolve({ output: `${text}, after the restart` });
    await serve({ engine, project, folder: harness.folder });
    assert.equal((await harness.untilEnded(id)).result?.output, "draft 1, after the restart");
    await waitFor("the callback", () => receiver.at("/task").length > 0);
    assert.deepEqual(outputs(), ["draft 1, after the restart"]);
    const again = { attempt: 1, draft: { text: "draft 1" } };
    assert.deepEqual(asked, [{ attempt: 1 }, again, again]);
  });

  it("fails the execution like the task itself, and isn't tried more often", async () => {
    finish = () => Promise.reject(new Error("The callback failed."));
    const id = await harness.kickoffUntilWaiting({ inputs, ...callbacks() });
    const { error } = await harness.approve(id, "good", callbacks());
    assert.equal(error, "Task execution failed: The callback failed.");
    assert.equal(asked.length, 4);
    assert.equal((await events(id)).at(-2), "task_failed");
  });

  it("has happened already if the version before let the task wait", async () => {
    const id = await harness.kickoffUntilWaiting({ inputs });
    await restart({ engine, project }, "UPDATE attempts SET review = NULL");
    await harness.untilWaiting(id);
    assert.equal((await harness.approve(id, "good")).result?.output, "draft 1");
    assert.deepEqual(asked, [{ attempt: 1 }]);
  });
});
