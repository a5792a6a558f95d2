import assert from "node:assert/strict";
import { asArray, asObject, type JsonObject } from "../../../src/base/json.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import type { Call } from "../../../src/service/calls.ts";
import { noRules, type Question } from "../../../src/service/questions.ts";
import { waitFor } from "../../support/wait.ts";
import { harness, inputs, messageOf, openReceiver, restart, serve } from "./support.ts";

const mail: Question = { kind: "tool", tool: "send_mail", arguments: { to: "a" } };
const call: Call = {
  ...{ kind: "model", name: "chat/completions", key: "k", at: 0, seconds: 1, isCut: false },
  ...{ request: { model: "m" }, response: "Yes", crewai: "1.15.30", variables: {} },
  ...{ model: "m", usage: { prompt_tokens: 7, completion_tokens: 2 } },
};

/** Asks at its first task. `received` has its rules, then the answers. */
function asking(...questions: readonly Question[]) {
  const received: unknown[] = [];
  const engine: Engine = {
    ...rehearsalEngine(0),
    async run({ taskIndex }, report) {
      const rules = await report.begin();
      if (taskIndex > 0) return { output: "Later" };
      received.push(rules);
      await report.call(call);
      for (const question of questions) received.push(await report.ask(question));
      return { output: "Done" };
    },
  };
  return { engine, received };
}

const rules = { approve_tools: ["send_mail"], limits: { tokens: 5 } };

async function untilAsked(id: string, callId: string): Promise<JsonObject> {
  return await waitFor(`the question ${callId}`, async () => {
    const { pending_tool_call, pending_budget } = asObject(await harness.status(id));
    const pending = asObject(pending_tool_call ?? pending_budget);
    return pending["call_id"] === callId ? (pending as JsonObject) : undefined;
  });
}

async function answer(id: string, callId: string, isApprove: boolean, more: object = {}) {
  return await harness.request("POST", "/resume", {
    ...{ execution_id: id, task_id: callId, human_feedback: "", is_approve: isApprove, ...more },
  });
}

const first = "research: send_mail #1";

describe("service: calls that wait for a person", () => {
  it("are shown, and answered once, by their IDs", async () => {
    const { engine, received } = asking(mail, mail, mail);
    await serve({ engine });
    const id = await harness.kickoff({ inputs, ...rules });
    assert.deepEqual(await untilAsked(id, first), {
      ...{ call_id: first, task_id: "research", attempt: 1 },
      ...{ tool: "send_mail", arguments: { to: "a" } },
    });
    const early = await answer(id, "research: send_mail #2", true);
    assert.equal(early.status, 404);
    const [one, other] = await Promise.all([answer(id, first, true), answer(id, first, false)]);
    assert.deepEqual([one.status, other.status].sort(), [200, 400]);
    await untilAsked(id, "research: send_mail #2");
    await answer(id, "research: send_mail #2", false, { human_feedback: "Not today." });
    await untilAsked(id, "research: send_mail #3");
    await answer(id, "research: send_mail #3", true, { for_run: true });
    await harness.untilWaiting(id);
    assert.deepEqual(received[0], { ...noRules, ask: ["send_mail"], limits: { tokens: 5 } });
    assert.deepEqual(received.slice(2), [
      { isApprove: false, isForRun: false, words: "Not today." },
      { isApprove: true, isForRun: true, words: "" },
    ]);
    const { body } = await harness.request("GET", `/executions/${id}/audit`);
    const acts = String(body)
      .trim()
      .split("\n")
      .map((line) => asObject(JSON.parse(line)));
    assert.deepEqual(
      acts.slice(2).map(({ action, task_id, feedback }) => [action, task_id, feedback]),
      [
        ["reject", "research: send_mail #2", "Not today."],
        ["approve", "research: send_mail #3", ""],
      ],
    );
    const { events } = asObject(await harness.status(id));
    const types = asArray(events).map((event) => String(asObject(event)["type"]));
    assert.equal(types.filter((type) => type === "human_feedback_received").length, 3);
  });

  it("are reported to the human-input callback", async () => {
    await serve({ engine: asking(mail).engine });
    const receiver = await openReceiver();
    const humanInputWebhookUrl = `${receiver.url}/human`;
    const id = await harness.kickoff({ inputs, ...rules, humanInputWebhookUrl });
    const received = await waitFor("the callback", () => receiver.at("/human")[0]);
    const { task_id, task_output, pending_tool_call } = asObject(received.body);
    assert.deepEqual([task_id, task_output], [first, '{"to":"a"}']);
    assert.equal(asObject(pending_tool_call)["tool"], "send_mail");
    await answer(id, first, true);
    await harness.untilWaiting(id);
  });

  it("give a later attempt what was allowed, what was used, and since when", async () => {
    const { engine, received } = asking(mail, { kind: "budget", tokens: 9, dollars: 0.5 });
    let failures = 0;
    const failing: Engine = {
      ...engine,
      async run(attempt, report) {
        const made = await engine.run(attempt, report);
        if ((failures += 1) === 1) throw new Error("No");
        return made;
      },
    };
    await serve({ engine: failing });
    const id = await harness.kickoff({ inputs, ...rules });
    await untilAsked(id, first);
    await answer(id, first, true, { for_run: true });
    const { limits, tokens } = await untilAsked(id, "research: budget #2");
    assert.deepEqual([limits, tokens], [{ tokens: 5 }, 9]);
    await answer(id, "research: budget #2", true);
    await untilAsked(id, "research: send_mail #3");
    assert.deepEqual(received[3], {
      ...noRules,
      ...{ ask: ["send_mail"], allowed: ["send_mail"], limits: { tokens: 5 } },
      ...{ since: { tokens: 9, dollars: 0.5 }, used: [["m", 7, 2]] },
    });
    assert.equal((await harness.request("POST", `/stop/${id}`)).status, 200);
  });

  it("stop the execution if a person wants no larger budget, before the call goes on", async () => {
    const { engine, received } = asking({ kind: "budget", tokens: 9, dollars: 0 });
    await serve({ engine });
    const id = await harness.kickoff({ inputs, ...rules });
    await untilAsked(id, "research: budget #1");
    assert.equal((await answer(id, "research: budget #1", false)).status, 200);
    assert.equal((await harness.untilEnded(id)).status, "stopped");
    assert.equal((await answer(id, "research: budget #1", true)).status, 400);
    assert.equal(received.length, 1);
    const { body } = await harness.request("GET", `/executions/${id}/audit`);
    assert.deepEqual(String(body).match(/(?<="action":")\w+/g), ["kickoff", "stop"]);
  });

  it("wait no longer once the execution was stopped", async () => {
    await serve({ engine: asking(mail).engine });
    const id = await harness.kickoff({ inputs, ...rules });
    await untilAsked(id, first);
    assert.equal((await harness.request("POST", `/stop/${id}`)).status, 200);
    assert.equal(asObject(await harness.status(id))["pending_tool_call"], undefined);
  });

  it("count what was estimated", async () => {
    const { engine, received } = asking();
    const estimating: Engine = {
      ...engine,
      async run(attempt, report) {
        if (attempt.taskIndex > 0) return await engine.run(attempt, report);
        await report.begin();
        const { usage: estimate, ...more } = call;
        await report.call({ ...more, ...(estimate && { estimate }) });
        return await engine.run(attempt, report);
      },
    };
    await serve({ engine: estimating });
    await harness.untilWaiting(await harness.kickoff({ inputs, ...rules }));
    assert.deepEqual(asObject(received[0])["used"], [["m", 7, 2]]);
  });

  it("ask again after a restart, and a late answer to the first question counts for nothing", async () => {
    const { engine, received } = asking(mail);
    await serve({ engine });
    const id = await harness.kickoff({ inputs, ...rules });
    await untilAsked(id, first);
    await restart({ engine });
    await untilAsked(id, "research: send_mail #2");
    const late = await answer(id, first, true);
    assert.equal(late.status, 400);
    assert.equal(received.length, 2);
    await answer(id, "research: send_mail #2", true);
    await harness.untilWaiting(id);
  });

  it("are refused in a kickoff with wrong rules", async () => {
    await serve({});
    for (const wrong of [
      { approve_tools: "send_mail" },
      { limits: { tokens: 0 } },
      { limits: 5 },
    ]) {
      const refused = await harness.request("POST", "/kickoff", { inputs, ...wrong });
      assert.equal(refused.status, 400, messageOf(refused));
    }
  });
});
