import assert from "node:assert/strict";
import { noActivity } from "../../../src/executions/activity.ts";
import type { Question } from "../../../src/api/types.ts";
import { readFlowRequest } from "../../../src/callbacks/flow-webhooks.ts";
import { requestReceived } from "../../../src/executions/flow-requests.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { applyReading, newExecution } from "../../../src/executions/reduce.ts";
import {
  resumeAnswered,
  resumeRefused,
  resumeSending,
  resumeUnanswered,
} from "../../../src/executions/resumes.ts";
import { staleByAttempt } from "../../../src/sending/errors.ts";
import { renderExecution } from "../../support/rendered.ts";
import { buttonsOn, eventOf } from "../../../src/views/events.ts";
import { pageModel } from "../../../src/views/page/model.ts";
import { executionRow, taskRow } from "../../../src/views/tree/execution-rows.ts";
import { aRequest } from "../callbacks/flow-samples.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { aReading } from "../executions/samples.ts";
import { markdownLinks } from "../../support/markdown-links.ts";

const crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };
const clock = new FakeClock();
const target = { taskId: "review_article", attempt: 1 };

/** As it is stored after the webhook. */
function asked(changes: object = {}, outside: object = {}): Execution {
  const read = readFlowRequest(JSON.stringify(aRequest(changes, outside)));
  assert.ok(read);
  const { ids, label } = read;
  const [kickoffId = ""] = ids;
  const tracked = newExecution({ crew, origin: "tracked", kickoffId, label }, clock);
  return requestReceived(tracked, read.request, clock.now());
}

const answering = (execution: Execution) =>
  resumeSending(execution, target, {
    ...{ isApprove: true, isAnswer: true, text: "request_changes", at: new Date(0).toISOString() },
  });

function modelOf(execution: Execution) {
  return pageModel(execution, noActivity, { canStop: true });
}

/** As a local flow's status says it. */
function paused(changes: Partial<Question> = {}): Execution {
  const local = { id: "local:file:///a", name: "News", url: "http://127.0.0.1:4000" };
  const running = newExecution({ crew: local, origin: "kickoff", kickoffId: "k1" }, clock);
  const question = { options: ["publish", "revise"], message: "Is it **right**?", ...changes };
  const waiting = { taskId: "review", output: "Draft.", attempt: 1, ...question };
  return applyReading(running, aReading({ state: "waiting", waiting }), clock.now());
}

const fromFlow = paused({ defaultOption: "revise" });
const fromWebhook = asked();

describe("What a flow asks, as a person sees it", () => {
  for (const [whose, execution, taskId, of] of [
    ["of a local flow", fromFlow, "review", /of “News” waits for you at task “review”\.$/],
    [
      "of a webhook",
      fromWebhook,
      "review_article",
      /“Please review this article\.” of “Writers” waits for you at task “review_article”\./,
    ],
  ] as const) {
    it(`is a row, a notification and a sentence that ask for an answer, not for an approval, ${whose}`, () => {
      const { facts, description, sentence } = executionRow(execution, clock.now());
      assert.match(facts, /^execution\b(?!.*:approve\b).*:answer\b/);
      assert.match(description, new RegExp(`^Waiting for you · .*${taskId}`));
      assert.ok(sentence.includes(taskId), sentence);
      const task = execution.tasks.find((task) => task.taskId === taskId);
      const row = taskRow(task ?? assert.fail(), execution);
      assert.match(row.facts, /^task:waiting:answer\b/);
      assert.equal(row.sentence, `Task ${taskId}, Waiting for you`);
      const event = eventOf(execution, clock.now());
      assert.equal(event?.kind, "waiting");
      assert.match(event.message, of);
    });
  }

  it("is an answer to write if it names none", () => {
    const open = paused({ options: [] });
    const { text } = renderExecution(open);
    assert.match(text, /The flow asks you at review/);
    assert.doesNotMatch(text, /approve/);
    assert.deepEqual(modelOf(open).review?.answers, [], "a box alone");
  });

  it("is no longer reported once an answer is on its way", () => {
    assert.equal(eventOf(answering(fromWebhook), clock.now()), undefined);
  });

  it("is in the document with its question and its answers", () => {
    const { text } = renderExecution(fromFlow);
    for (const part of [
      /The flow asks you at review and continues with your answer\./,
      // Beside its output and its lenses.
      /^## Task: review\n\nWaiting for you\n\n> Is it \*\*right\*\*\?\n\n.*Draft\./ms,
    ])
      assert.match(text, part);
    assert.doesNotMatch(text, /approve it/);
    const received = renderExecution(fromWebhook).text;
    for (const part of [
      /The flow asks you at review_article and continues with your answer\./,
      /Please review this article\./,
      /"title": "Otters"/,
    ])
      assert.match(received, part);
    assert.ok(!received.includes("/callback/abc"), "who knows the address may be able to answer");
  });

  it("is on the page with a button for each answer, and says where the answer goes", () => {
    const { review } = modelOf(fromFlow);
    assert.deepEqual(review?.answers, [
      { label: "publish", text: "publish" },
      { label: "revise (default)", text: "revise" },
    ]);
    assert.deepEqual([review.status, review.note], ["waits", "Is it **right**?"]);
    const here = "Goes to “News” (local, on this machine), and the flow continues with it.";
    assert.equal(review.goesTo, here);
    const there = "Goes to app.crew.test, and the flow continues with it.";
    assert.equal(modelOf(fromWebhook).review?.goesTo, there);
    const answered = modelOf(resumeAnswered(answering(fromWebhook), target, {}));
    assert.equal(answered.review, undefined);
    assert.equal(answered.view.tasks[0]?.attempts[0]?.feedback[0]?.kind, "answered");
  });

  it("is opened from its notification", () => {
    const titles = buttonsOn(paused(), "waiting").map(({ title }) => title);
    assert.deepEqual(titles, ["Open"]);
  });

  it("stays readable with what became of the answer", () => {
    const sent = answering(asked());
    const answered = resumeAnswered(sent, target, { message: "Resumed" });
    for (const [execution, outcome] of [
      [sent, /### Your answer\n\n> request_changes\n\nSending…/],
      [
        resumeUnanswered(sent, target),
        /### Your answer\n\n> request_changes\n\nMay have been sent/,
      ],
      [resumeRefused(sent, target, "Too late"), /### Your answer – without effect[^]*\n\nToo late/],
      [answered, /### Your answer\n\n> request_changes\n\nSent · the crew answered “Resumed”/],
    ] as const) {
      const { text } = renderExecution(execution);
      assert.match(text, outcome);
      assert.match(text, /Please review this article\./);
    }
    assert.match(renderExecution(answered).text, /Your answer, task review_article/);
  });

  it("stays readable if the flow went on without an answer from here", () => {
    const over = applyReading(asked(), aReading({ state: "completed", output: "Done." }), 0);
    const note = "This request no longer waits, and was not answered from here.";
    const { text } = renderExecution(over);
    assert.ok(text.includes(note) && text.includes("Please review this article."));
    assert.equal(modelOf(over).view.tasks[0]?.attempts[0]?.note, note);
    assert.ok(!renderExecution(asked()).text.includes(note));
  });

  it("says where its answer can't go", () => {
    const execution = asked({}, { callback_url: "http://crew.test/callback" });
    assert.match(modelOf(execution).review?.goesTo ?? "", /can't be used/);
  });

  it("is late once the next one waits at the same method", () => {
    const read = readFlowRequest(JSON.stringify(aRequest({ id: "2" })));
    const next = requestReceived(asked(), read?.request ?? assert.fail(), clock.now());
    assert.ok(staleByAttempt(next, target));
  });

  const evil =
    "$(zap) <img src=x onerror=alert(1)> \u001b[31mred\u001b[0m [go](command:workbench.quit) <command:x> \u202eecho";
  it("shows every text of the webhook as data: icons, HTML, ANSI, command links", () => {
    const execution = asked(
      {
        message: evil,
        method_name: evil,
        emit_options: [evil, "approved"],
        state: { [evil]: evil },
        metadata: { note: evil },
      },
      { assigned_to_email: evil, deployment: { name: evil } },
    );
    const { text } = renderExecution(execution);
    const commands = markdownLinks(text).filter((link) => /command/i.test(link));
    assert.deepEqual(commands, []);
    const model = modelOf(execution);
    const labels = [
      executionRow(execution, clock.now()).label,
      model.review?.name,
      model.view.title,
      ...(model.review?.answers ?? []).map(({ label }) => label),
    ];
    for (const label of labels) assert.doesNotMatch(label ?? "", /[\u001b\u202e]/);
    // What is sent is what the flow named.
    assert.equal(model.review?.answers?.[0]?.text, evil);
  });
});
