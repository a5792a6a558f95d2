import assert from "node:assert/strict";
import type { JsonValue } from "../../../../src/base/json.ts";
import type { ActivityEvent } from "../../../../src/api/types.ts";
import { activityOf } from "../../../../src/executions/activity.ts";
import { type Execution, type SentResume, without } from "../../../../src/executions/model.ts";
import { contentOf } from "../../../../src/view/markdown.ts";
import { type PageCircumstances, pageModel } from "../../../../src/views/page/model.ts";
import { aRichExecution, richDraft, someEvents } from "../../../support/page/samples.ts";

function modelOf(
  execution: Execution,
  circumstances: Partial<PageCircumstances> = {},
  events: readonly ActivityEvent[] = [],
) {
  const activity = activityOf(execution, { events, left: 0 });
  const { view, ...more } = pageModel(execution, activity, { canStop: true, ...circumstances });
  return { ...view, ...more };
}

/** With feedback on its second output. */
function answered(outcome: SentResume["outcome"], isApprove = true): Execution {
  const waiting = aRichExecution();
  const text = isApprove ? "Approved." : "Shorter still.";
  const feedback = { isApprove, text, at: "2026-10-21T12:03:00.000Z" };
  const sent = { taskId: "outline", attempt: 2, feedback, outcome };
  return { ...waiting, resumes: [...waiting.resumes, sent] };
}

/** It runs again, or goes on. */
function runsAgain(isApprove = false): Execution {
  const execution = answered("answered", isApprove);
  return {
    ...without(execution, "waiting"),
    state: "running",
    tasks: execution.tasks.map((task) =>
      task.taskId === "outline" ? { ...task, state: "running" } : task,
    ),
  };
}

describe("The page's model", () => {
  it("has the output that waits, the earlier attempt and where feedback goes", () => {
    const { review } = modelOf(aRichExecution());
    assert.ok(review);
    const { output, goesTo, ...rest } = review;
    assert.deepEqual(rest, {
      taskId: "outline",
      name: "outline",
      attempt: 2,
      agent: "Editor",
      status: "waits",
    });
    assert.equal(output, richDraft);
    assert.match(goesTo, /^Goes to “Writers” \(crew\.test\)\. Your feedback becomes context/);
  });

  it("shows an input as it was given, also a deep one that would fill the memory with indentation", () => {
    const deep = `${"[".repeat(900)}${"1,".repeat(50_000)}1${"]".repeat(900)}`;
    const inputs = { topic: "Tea", deep: JSON.parse(deep) as JsonValue, few: { a: [1] } };
    const model = modelOf(aRichExecution({ request: { inputs, callbacks: {} } }));
    const shown = model.inputs.map(([, text]) => contentOf(text));
    const kinds = shown.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["markdown", "text", "json"]);
    assert.ok((shown[1]?.text.length ?? Infinity) <= deep.length);
    assert.equal(shown[2]?.text, '{\n  "a": [\n    1\n  ]\n}\n');
  });

  it("keeps the rejected output in its place until the next one waits", () => {
    const { review } = modelOf(runsAgain());
    assert.deepEqual([review?.status, review?.attempt], ["again", 2]);
    assert.equal(review?.output, richDraft);
    assert.equal(modelOf(runsAgain(true)).review, undefined);
  });

  it("tells what became of feedback, and offers to send it again only where that may be needed", () => {
    const states = (["sending", "unanswered", "answered"] as const)
      .map((each) => modelOf(answered(each)))
      .map(({ review }) => [review?.status, review?.action?.verb]);
    assert.deepEqual(states, [
      ["sending", undefined],
      ["unanswered", "sendAgain"],
      ["answered", "sendAgain"],
    ]);
    const late = modelOf(answered("answered")).review?.note ?? "";
    assert.match(
      late,
      /^The crew accepted your feedback on “outline”.* “Send Again…” asks first\.$/,
    );
  });

  it("has each task with agent, time and tokens, each attempt with the feedback that caused the next, and tasks to come", () => {
    const { tasks } = modelOf(aRichExecution(), {}, someEvents());
    assert.deepEqual(
      tasks.map(({ name, agent, label, facts, attempts }) => {
        const numbers = attempts.map(({ number, previous = 0 }) => `${number} after ${previous}`);
        return [name, agent, label, ...facts, ...numbers].join(" | ");
      }),
      [
        "research | Researcher on tea | Completed | 41 s | 1 after 0",
        "outline | Editor | Waiting for you | 1 after 0 | 2 after 1",
        "briefing | Writer | Not started",
      ],
    );
    const [given] = tasks[1]?.attempts[0]?.feedback ?? [];
    assert.equal(given?.title, "Rejected");
    assert.equal(given.text, "Shorter, please.\nName one tea.");
    assert.match(given.outcome, /^Sent · the crew answered “Task will be retried/);
  });

  it("tells how many tasks are still to come, and at its end how many were not started", () => {
    const waiting = aRichExecution();
    const of = (total: number, more: Partial<Execution> = {}) =>
      modelOf({
        ...waiting,
        progress: { completed: 1, total, unit: "task", current: "outline" },
        ...more,
      }).toCome;
    const toStart = (count: number) => `Tasks that have not started: ${count}`;
    assert.equal(waiting.tasks.length, 3);
    assert.deepEqual([of(3), of(4), of(6)], [undefined, toStart(1), toStart(3)]);
    const endedAt = "2026-10-21T12:05:00.000Z";
    assert.equal(of(6, { state: "stopped", endedAt }), toStart(3));
    const one = waiting.tasks.slice(0, 1);
    assert.equal(of(3, { state: "failed", endedAt, tasks: one }), toStart(1));
    assert.equal(of(6, { state: "completed", endedAt }), undefined);
    const steps = { completed: 1, total: 9, unit: "step" };
    assert.equal(modelOf({ ...waiting, progress: steps }).toCome, undefined);
  });

  it("has the last steps of a task that has no output yet", () => {
    const running: Execution = {
      ...without(aRichExecution(), "waiting"),
      state: "running",
      tasks: [{ taskId: "research", state: "running", attempts: [] }],
      resumes: [],
    };
    const [kickoff, started] = someEvents();
    const calls = Array.from({ length: 120 }, (_, at) => [
      { ...someEvents()[4]!, id: `c${at}`, at: started!.at + at * 10, parentId: "t1" },
      { ...someEvents()[5]!, id: `d${at}`, at: started!.at + at * 10 + 5, startedId: `c${at}` },
    ]).flat();
    const { tasks } = modelOf(running, {}, [kickoff!, started!, ...calls]);
    const [attempt] = tasks[0]?.attempts ?? [];
    const { number, stepCount, steps } = attempt ?? assert.fail();
    assert.deepEqual([number, stepCount, steps.length, steps.at(-1)?.id], [1, 120, 100, "c119"]);
  });

  it("shows an output as Markdown, JSON, or the text of a rehearsal, and only the beginning of a large one", () => {
    const shown = (output: string) => {
      const ended = { state: "completed", endedAt: "2026-10-21T12:04:00Z", output } as const;
      return contentOf(modelOf(without(aRichExecution(ended), "waiting")).result ?? "");
    };
    assert.equal(shown("# A").kind, "markdown");
    assert.deepEqual(shown('{"id": 12345678901234567890}'), {
      kind: "json",
      text: '{\n  "id": 12345678901234567890\n}\n',
      isCut: false,
    });
    const rehearsed = "[REHEARSAL - no language model was called]\n\nAgent: Editor";
    assert.deepEqual(shown(rehearsed), { kind: "text", text: rehearsed, isCut: false });
    const large = shown("A line of an output.\n".repeat(250_000));
    assert.ok(large.isCut);
    assert.equal(large.text.length, 100_000);
  });

  it("has a box for a task that a person names, though the crew reports no pause", () => {
    const lost = without(aRichExecution({ state: "unknown", mayBeWaiting: true }), "waiting");
    const target = { taskId: "publish", attempt: 1 };
    const { review } = modelOf(lost, { target });
    assert.deepEqual([review?.taskId, review?.attempt, review?.status], ["publish", 1, "waits"]);
    const { review: none, notices } = modelOf(lost);
    const notice = [none, notices[0]?.id, notices[0]?.kind];
    assert.deepEqual(notice, [undefined, "may be waiting", "warning"]);
  });

  it("shows nothing as running that was interrupted, and lets a person continue or discard it", () => {
    const model = modelOf(runsAgain(), { isInterrupted: true });
    assert.equal(model.state, "interrupted");
    assert.deepEqual(
      model.tasks.map(({ state, label }) => `${state}: ${label}`),
      ["completed: Completed", "interrupted: Interrupted", "pending: Not started"],
    );
    const refused = { short: "token refused", text: "No.", isLasting: true };
    const { state, elapsed } = modelOf(runsAgain(), { doubt: refused });
    assert.deepEqual([state, elapsed], ["unknown", undefined], "nor what nobody watches");
    const stopped = modelOf(runsAgain(), { isCrewStopped: true });
    assert.deepEqual([stopped.state, stopped.label], ["unknown", "Local crew is stopped"]);
    assert.deepEqual(stopped.actions[0]?.verb, "startLocalCrew");
  });

  it("says of a task that ran when it was stopped that it was stopped", () => {
    const rich = without(aRichExecution({ state: "stopped" }), "waiting");
    const tasks = rich.tasks.map((task) =>
      task.state === "waiting" ? { ...task, state: "pending" as const } : task,
    );
    const shown = modelOf({ ...rich, tasks }).tasks.map(({ state, label }) => `${state}: ${label}`);
    assert.deepEqual(shown, ["completed: Completed", "stopped: Stopped", "pending: Not started"]);
  });

  it("leads from an error to the files that it names and to the log, and from kept outputs to where they are from", () => {
    const crew = { id: "local:file:///writers", name: "Writers", url: "http://127.0.0.1:1" };
    const error = "ImportError (src/writers/crew.py:17): no key in “.env”.";
    const failed = without(aRichExecution({ state: "failed", endedAt: "x", error }), "waiting");
    const linksIn = (execution: Execution, earlier?: string) =>
      modelOf(execution, { earlier }).links.map(({ label, message }) => ({ label, message }));
    assert.deepEqual(linksIn(failed), []);
    assert.deepEqual(linksIn({ ...failed, crew }), [
      {
        label: "src/writers/crew.py:17",
        message: { type: "openFile", file: "src/writers/crew.py", line: 17 },
      },
      { label: ".env", message: { type: "openFile", file: ".env" } },
      { label: "Show Log", message: { type: "act", action: "showLog" } },
    ]);
    const runAgain = { executionId: "4d0a", taskId: "outline" };
    const again = aRichExecution({ request: { inputs: {}, callbacks: {}, runAgain } });
    const { notices } = modelOf(again, { earlier: "Home heat pumps" });
    const notice = notices.find(({ id }) => id === "run again");
    assert.match(notice?.lines.join() ?? "", /with the earlier outputs of \S*Home heat pumps/);
    assert.deepEqual(linksIn(again, "Home heat pumps"), [
      { label: "Open “Home heat pumps”", message: { type: "openEarlier" } },
    ]);
  });

  it("counts the time while it runs, and has what the crew said when it failed", () => {
    const { elapsed, use } = modelOf(aRichExecution());
    assert.equal(elapsed, Date.parse("2026-10-21T12:00:00.000Z"));
    assert.deepEqual(use, ["12,480 tokens (11,020 in, 1,460 out)"]);
    const end = { state: "failed", endedAt: "2026-10-21T12:04:00.000Z" } as const;
    const ended = aRichExecution({ ...end, error: "Rate limit `reached`" });
    const failed = modelOf(without(ended, "waiting"));
    assert.equal(failed.elapsed, "4 min");
    const [error] = failed.notices;
    assert.deepEqual([error?.id, error?.kind], ["error", "error"]);
    assert.match(error?.lines.join() ?? "", /Rate limit `reached`/);
  });
});
