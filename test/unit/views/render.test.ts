import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import MarkdownIt from "markdown-it";
import type { JsonValue } from "../../../src/base/json.ts";
import {
  type Execution,
  type SentKickoff,
  type SentResume,
  without,
} from "../../../src/executions/model.ts";
import { rehearsalMark } from "../../../src/service/engine.ts";
import type { Circumstances } from "../../../src/view/actions.ts";
import { mapLine, missingText, sectionOf } from "../../../src/view/text.ts";
import { renderExecution } from "../../support/rendered.ts";
import { anExecution, aTask, notWaiting } from "./executions.ts";
import { randomBytes } from "node:crypto";
import { receiverAddress } from "../../../src/base/loopback.ts";

function headings(execution: Execution): string[] {
  const tokens = new MarkdownIt({ html: true }).parse(renderExecution(execution).text, {});
  return tokens.flatMap((token, at) =>
    token.type === "heading_open" ? [`${token.markup} ${tokens[at + 1]?.content ?? ""}`] : [],
  );
}

const rejecting = (text: string): SentResume => ({
  ...{ taskId: "review", attempt: 1, outcome: "answered", answer: "retrying" },
  feedback: { isApprove: false, text, at: "2026-10-21T12:02:00.000Z" },
});
const rejected = rejecting("Shorter.\n\n# And funnier");

/** What the text of an execution says, and does not say. */
type Case = readonly [
  says: string,
  of: Execution,
  has: RegExp,
  not?: RegExp,
  known?: Circumstances,
];

const local = { ...anExecution().crew, id: "local:file:///crew" };
const queued = notWaiting({
  state: "queued",
  engine: "crewai",
  crew: local,
  seenAt: "2026-10-21T12:00:01Z",
});
const lost = notWaiting({ state: "unconfirmed", kickoffIds: [], tasks: [] });
const mayBeWaiting = notWaiting({ state: "unknown", mayBeWaiting: true, tasks: [] });
const output = `${rehearsalMark}\n\nAgent: Editor`;
const approved = { ...rejected, feedback: { ...rejected.feedback, isApprove: true } };
const stillPaused = { taskId: "review", attempt: 1 };
const refused: SentResume = {
  ...{ ...rejected, taskId: "nosuch", outcome: "refused", message: "Task ID not found" },
};
const research = (state: "running" | "completed") => [
  { ...aTask("research", state), executionTime: 0 },
];
const writeUp = (output = "The end.") => [aTask("write_up", "completed", { output })];
const completed = (result: string) =>
  notWaiting({ state: "completed", output: result, tasks: writeUp() });
const again = (outputs?: Record<string, string>) => {
  const runAgain = { executionId: "one", taskId: "review", ...(outputs && { outputs }) };
  return anExecution({ request: { inputs: {}, callbacks: {}, runAgain } });
};
const failed = (error: string, engine = "crewai") =>
  notWaiting({ state: "failed", error, engine, crew: local });
const model = /Check the crew's model .*“Choose Model…”.*, then kick off again\./;

const cases: readonly Case[] = [
  [
    "what a queued execution waits for, in a crew that runs with crewAI",
    { ...queued, progress: { completed: 0, unit: "task", place: 2 } },
    /^Queued, place 2 .*It starts after the crew's other executions: .*one at a time/ms,
  ],
  [
    "that Python loads the project of one that has its turn",
    { ...queued, progress: { completed: 0, unit: "task", place: 0 } },
    /^Starting .*It begins when Python has loaded/ms,
  ],
  ["that one is starting that was just sent", without(queued, "seenAt"), /^Starting/m],
  [
    "nothing of it if it was interrupted",
    queued,
    /^Interrupted/m,
    /It (?:starts|begins)/,
    { isInterrupted: true },
  ],
  ["that it was interrupted", notWaiting(), /^Interrupted/m, /^Running/m, { isInterrupted: true }],
  [
    "where an execution began that ran again from a task",
    again(),
    /^It began at task review, with the earlier outputs of `one`\.$/m,
  ],
  [
    "of which execution, if that is known",
    again(),
    /with the earlier outputs of Home \\\*heat\\\* pumps\.$/m,
    /`one`/,
    { earlier: "Home *heat* pumps" },
  ],
  ["which outputs are kept, and no others", again(), /^Kept · by Researcher$/m, /Kept[^]*Kept/],
  [
    "that an output is kept, not that its task was done in no time",
    again(),
    /^## Task: research\n\nKept from “Home \\\*heat\\\* pumps” · by \S.*$/m,
    /^## Task: research\n\nCompleted/m,
    { earlier: "Home *heat* pumps" },
  ],
  [
    "which outputs were edited before it began",
    again({ research: "Mine." }),
    /Edited before: research\.$/m,
  ],
  ...[
    "Task execution failed: ValueError: OPENAI_API_KEY is required",
    "Task execution failed: ConnectionError: Failed to connect to OpenAI API: Connection error.",
    "Task execution failed: ValueError: Model my-model not found: Error code: 404",
  ].map((error): Case => [`what to do about the model: ${error}`, failed(error), model]),
  [
    "an error unchanged, with what to do",
    notWaiting({ state: "failed", error: "Traceback:\n  # boom ``` x" }),
    /## Error\n\n````text\nTraceback:\n {2}# boom ``` x\n````\n\nLook for the cause .*\n\n## Inputs/,
  ],
  [
    "that a completed task's output is available at the end",
    notWaiting({ tasks: research("completed") }),
    /## Task: research\n\nCompleted · 0 s\n\n\*Output is available when the execution has ended\.\*/,
  ],
  [
    "that feedback may have been sent, also if the crew reported no task",
    { ...mayBeWaiting, resumes: [{ ...rejected, taskId: "t-9", outcome: "unanswered" }] },
    /## It may be waiting for you[^]*## Task: t-9\n\n### Attempt 1[^]*> Shorter\.[^]*May have been sent: no response arrived/,
  ],
  [
    "that the crew accepted feedback and still reports the pause",
    notWaiting({ stillPaused, resumes: [rejected] }),
    /The crew accepted your feedback on “review”, but it still reports the pause\. .* by itself\.$/m,
  ],
  [
    "what the crew refused, of a task that may exist",
    { ...mayBeWaiting, resumes: [refused, { ...refused, outcome: "unanswered" }] },
    /## Task: nosuch[^]*Task ID not found[^]*May have been sent/,
  ],
  [
    "no duration before the end",
    notWaiting({ executionTime: 0, tasks: research("running") }),
    /## Task: research\n\nRunning/,
    /Duration|0 s/,
  ],
  [
    "of a running task only what was seen, if it may be waiting",
    { ...mayBeWaiting, tasks: research("running") },
    /## Task: research\n\nLast seen running/,
  ],
  [
    "what the crew answered once: its message, which repeats the status",
    notWaiting({ resumes: [{ ...rejected, message: "Task will be retried" }] }),
    /\nSent · the crew answered “Task will be retried” · 2026/,
    /retrying/,
  ],
  [
    "that no model was called if the rehearsal engine ran it",
    anExecution({ engine: "rehearsal" }),
    /no language model was called/,
  ],
  [
    "that no model was called if only the result says so",
    notWaiting({ state: "completed", output }),
    /> Rehearsal: no language model was called/,
  ],
  [
    "that no model was called if only an output says so",
    notWaiting({ tasks: writeUp(output) }),
    /> Rehearsal/,
  ],
  [
    "what to do if the response to a kickoff never arrived",
    lost,
    /May have started[^]*Crewdeck: Track an Execution by Its ID…/,
  ],
  [
    "no more while the request of a kickoff is being sent",
    lost,
    /Kicking off…/,
    /May have started|Track an Execution/,
    { isKickingOff: true },
  ],
  [
    "an unknown state as the crew sent it",
    notWaiting({ state: "unknown", stateText: "HIBERNATING" }),
    /^HIBERNATING · /m,
  ],
  [
    "last what started it, as its crew reports it",
    notWaiting({ trigger: { type: "service_account", id: "12", origin: "schedule" } }),
    /^## Crew and IDs\n[^#]*\n- Started by: service account 12 · schedule$/m,
  ],
  [
    "in plain words how it was started",
    notWaiting({ trigger: { type: "user", origin: "replay" } }),
    /^- Started by: user · run again from a task$/m,
  ],
  [
    "it in one short line, whatever the crew sends",
    notWaiting({ trigger: { type: "user", id: `<b>\n# x${"y".repeat(300)}` } }),
    /^- Started by: user \\<b> # xy{1,200}…$/m,
  ],
  ["the result itself", completed("The end.\n"), /\n\n## Result\n\nThe end\.\n\n## Inputs\n/],
  ["that a result is empty", completed(" "), /## Result\n\n\*empty output\*/],
  [
    "feedback with its line breaks",
    notWaiting({ resumes: [rejecting("Too long.\r\nName one tea.\n\n- short\n- plain\n")] }),
    /\n> Too long\. {2}\n> Name one tea\.\n>\n> - short {2}\n> - plain\n/,
  ],
];

const quoted = `As it said: ${rehearsalMark}`;
const silentCases: readonly (readonly [says: string, of: Execution, not: RegExp])[] = [
  ["of Python in a rehearsal", { ...queued, engine: "rehearsal" }, /It (?:starts|begins)/],
  ["about the model after another failure", failed("ValueError: no instruments"), model],
  [
    "of an output to come after the end",
    notWaiting({ state: "completed", tasks: research("completed") }),
    /Output is available/,
  ],
  ["of a pause that is over", notWaiting({ resumes: [rejected] }), /still reports/],
  ["of a typed task ID that was refused", { ...mayBeWaiting, resumes: [refused] }, /nosuch/],
  ["of one because of a quote", completed(quoted), /> Rehearsal/],
  ["of what started it if the crew doesn't", notWaiting(), /Triggered/],
  [
    "of it if that isn't known, or only that it came through the API",
    notWaiting({ trigger: { type: "unknown", origin: "api" } }),
    /Triggered|\bapi\b/,
  ],
];

describe("the execution document", () => {
  for (const [says, of, has, not, known] of cases)
    it(`says ${says}`, () => {
      const { text } = renderExecution(of, known);
      assert.match(text, has);
      if (not !== undefined) assert.doesNotMatch(text, not);
    });

  for (const [says, of, not] of silentCases)
    it(`says nothing ${says}`, () => assert.doesNotMatch(renderExecution(of).text, not));

  it("says that an ID is unknown, and what to do", () => {
    assert.match(
      missingText("Writers", "99").text,
      /No execution `99` of the crew “Writers” is tracked[^]*Crewdeck: Track an Execution by Its ID…/,
    );
  });

  it("has title, state, inputs, tasks, times, history and IDs in this order", () => {
    assert.deepEqual(headings(anExecution()), [
      "# Sea otters",
      "## Inputs",
      "## Task: research",
      "## Task: review",
      "### Attempt 1",
      "#### Draft",
      "## Times",
      "## History",
      "## Crew and IDs",
    ]);
    const lines = renderExecution(anExecution()).text.split("\n");
    assert.equal(lines[2], "Waiting for you · task review · 1 of 3 done");
    assert.match(lines[4] ?? "", /^The output of task review waits for you: approve it, or reject/);
    assert.ok(lines.includes("- topic: Sea otters"));
    assert.ok(lines.includes("Waiting for you · by Editor"));
  });

  it("shows every attempt with the feedback between them", () => {
    const execution = anExecution({
      tasks: [
        aTask(
          "review",
          "waiting",
          { output: "First.", feedback: rejected.feedback },
          { output: "Second." },
        ),
      ],
      resumes: [rejected],
    });
    assert.deepEqual(headings(execution).slice(2, -3), [
      "## Task: review",
      "### Attempt 1",
      "### Rejected",
      "#### And funnier",
      "### Attempt 2",
    ]);
    const { text } = renderExecution(execution);
    assert.match(
      text,
      /First\.[^]*> Shorter\.\n>\n> #### And funnier\n\nSent · the crew answered “retrying”[^]*Second\./,
    );
  });

  it("says of a conditional task that it was skipped", () => {
    const tasks = [
      { task_id: "research", output: "Facts", agent: "Reader" },
      { task_id: "translate", output: "", agent: "Writer" },
      { task_id: "publish", output: "Done", agent: "Writer" },
    ];
    const answer = { status: "completed", result: { output: "Done", tasks } };
    const started = notWaiting({ state: "running", tasks: [] });
    const { text } = renderExecution(applyReading(started, readStatus(answer), Date.now()));
    assert.match(
      text,
      /## Task: translate\n\nSkipped · by Writer\n\n\*Its condition was not met, so it has no output\.\*\n/,
    );
    assert.equal(text.match(/Skipped/g)?.length, 1);
  });

  it("says that a flow asks a person elsewhere, and where that can be answered", () => {
    const running = notWaiting({ state: "running" });
    const paused = readStatus({ state: "PAUSED", status: "Paused", flow_id: "f1" });
    const asked = applyReading(running, paused, Date.now());
    const { text } = renderExecution(asked);
    assert.match(text, /^A person is asked · the crew says “PAUSED”/m);
    assert.match(text, /## The flow asks a person\n[^]*Open Dashboard[^]*Test Callbacks/);
    assert.doesNotMatch(text, /May be waiting|task's ID/i);
    const gone = applyReading(asked, readStatus({ state: "NOT FOUND" }), Date.now());
    assert.match(renderExecution(gone).text, /## It may be waiting for you/);
  });

  it("keeps an output that a deployed crew reported before the pause, which it doesn't report", () => {
    const running = notWaiting({ tasks: writeUp("Notes.") });
    const paused = applyReading(running, readStatus({ state: "NOT FOUND" }), Date.now());
    const text = renderExecution(paused).text;
    assert.match(text, /## It may be waiting[^]*## Task: write_up[^]*Notes\./);
  });

  it("says in the heading that feedback was not accepted, and keeps its section", () => {
    const rendered = (...resumes: SentResume[]) => renderExecution(anExecution({ resumes }));
    const message = "Nothing accepts connections.";
    const before = rendered({ ...rejected, outcome: "sending" });
    const refused: SentResume = { ...rejected, outcome: "refused", message };
    const after = rendered(refused, { ...refused, feedback: approved.feedback });
    const headed = after.text.split("\n").filter((line) => /^### (Rejected|Approved)/.test(line));
    assert.deepEqual(headed, ["### Rejected – without effect", "### Approved – without effect"]);
    const [id] = before.sections.filter((section) => section.id.endsWith(" feedback 1"));
    assert.ok(id !== undefined && sectionOf(after, id.id) !== undefined);
  });

  it("says to check an ID that was never known first, and only then that it may be waiting", () => {
    const unknown = { ...mayBeWaiting, origin: "tracked", stateText: "NOT FOUND" } as const;
    const { text } = renderExecution(without(unknown, "progress"));
    assert.match(
      text,
      /Unknown to the crew – check the ID[^]*## The crew does not know this ID\n\nCheck the ID[^]*waits for a person looks the same/,
    );
    const known: readonly Execution[] = [
      { ...without(unknown, "progress"), seenAt: "2026-10-21T12:00:30.000Z" },
      unknown,
      { ...without(unknown, "progress"), origin: "kickoff" },
    ];
    for (const execution of known)
      assert.match(
        renderExecution(execution).text,
        /May be waiting for you[^]*## It may be waiting/,
      );
  });

  it("shows the result below its own heading", () => {
    const endedAt = "2026-10-21T12:03:30.000Z";
    const execution = notWaiting({ state: "completed", output: "# Otters\n\n## Life", endedAt });
    assert.deepEqual(headings(execution).slice(0, 5), [
      "# Sea otters",
      "## Result",
      "### Otters",
      "#### Life",
      "## Inputs",
    ]);
    assert.match(renderExecution(execution).text, /- Duration: 3 min 30 s/);
  });

  it("shows a new ID from a response only among the IDs", () => {
    const kickoffIds = ["11111111-aaaa", "22222222-bbbb"];
    const resumes = [{ ...rejected, answer: "22222222-bbbb" }];
    const { text } = renderExecution(notWaiting({ kickoffIds, resumes }));
    assert.match(text, /\nSent · 2026/);
    assert.match(text, /- Continues as: 22222222-bbbb/);
    assert.equal(text.split("22222222-bbbb").length, 2);
  });

  it("shows the names of tasks and agents as short lines without control characters", () => {
    const name = `evil\n\u001b[31m\u202ename ${"x".repeat(400)}`;
    const { text } = renderExecution(
      anExecution({
        tasks: [{ ...aTask(name, "waiting", { output: "A" }), agent: name }],
        waiting: { taskId: name, attempt: 1, since: "2026-10-21T12:01:00.000Z" },
        resumes: [{ ...rejected, taskId: name }],
        history: [{ at: "2026-10-21T12:01:00.000Z", state: "waiting", taskId: name, attempt: 1 }],
      }),
    );
    const lines = text.split("\n").filter((line) => line.includes("evil"));
    assert.ok(
      ["Waiting for you · task evil", "## Task: evil", "- 2026"].every((start) =>
        lines.some((line) => line.startsWith(start)),
      ),
      lines.join("\n"),
    );
    for (const line of lines) assert.match(line, /^[^\p{Cc}\u202e]{1,350}$/u);
  });

  it("keeps its structure with names and values that look like Markdown", () => {
    const markup = "# x\n## y `z` <script> [a](command:b)";
    const execution = anExecution({
      label: markup,
      request: {
        inputs: { [markup]: markup, "": "", __proto__x: null, list: ["# no", { a: 1 }], n: 5 },
        callbacks: {},
      },
      tasks: [{ ...aTask(markup, "waiting", { output: "ok" }), agent: markup }],
      waiting: { taskId: markup, attempt: 1, since: "2026-10-21T12:01:00.000Z" },
    });
    const levels = headings(execution).map((heading) => heading.split(" ", 2).join(" "));
    assert.deepEqual(levels, [
      "# \\#".replace("\\", ""),
      "## Inputs",
      "## Task:",
      "### Attempt",
      "## Times",
      "## History",
      "## Crew",
    ]);
    const html = new MarkdownIt({ html: true })
      .parse(renderExecution(execution).text, {})
      .flatMap((token) => [token, ...(token.children ?? [])]);
    assert.deepEqual(
      html
        .filter((token) => token.type.startsWith("html") || token.type === "link_open")
        .map((token) => token.content || token.attrs),
      [],
    );
  });

  it("doesn't grow with the depth of a JSON input", () => {
    const deep = JSON.parse(
      `${"[".repeat(400)}${"[1],".repeat(999)}[1]${"]".repeat(400)}`,
    ) as JsonValue;
    const request = { inputs: { deep }, callbacks: {} };
    const { text } = renderExecution(notWaiting({ request }));
    assert.ok(text.length < 3 * JSON.stringify(deep).length, `${text.length} characters`);
  });

  it("shows the beginning of a large output, up to the end of a line, and its size", () => {
    const line = `${"x".repeat(100)}\n`;
    const shown = (output: string) =>
      renderExecution(notWaiting({ state: "completed", output })).text;
    const text = shown(line.repeat(51_500));
    assert.match(
      text,
      /## Result\n\n> This output is large: 5\.2 MB\. Here is its beginning; “Open Output” shows all of it\.\n\nx{100}\n/,
    );
    assert.equal(text.split(line.trim()).length - 1, 990);
    assert.match(text, /x{100}\n\n…\n\n## Inputs/);
    assert.match(shown("ü".repeat(500_001)), /large: 1 MB/);
    assert.doesNotMatch(shown("x".repeat(100_000)), /large/);
  });
});

describe("the reader's place", () => {
  it("is kept if the beginning and the end of a document change at once", () => {
    const before = renderExecution(anExecution());
    const after = renderExecution(
      notWaiting({
        state: "completed",
        label: "New title",
        engine: "rehearsal",
        output: "Done",
        tasks: [
          anExecution().tasks[0]!,
          aTask(
            "review",
            "completed",
            { output: "# Draft\n\nText.", feedback: rejected.feedback },
            { output: "Better." },
          ),
        ],
        resumes: [rejected],
        endedAt: "2026-10-21T12:03:00.000Z",
      }),
    );
    const [old, now] = [before.text.split("\n"), after.text.split("\n")];
    for (const line of [
      "## Inputs",
      "Found a lot.",
      "## Task: review",
      "Text.",
      "## Times",
      "- Address: https://crew.test",
    ]) {
      assert.equal(now[mapLine(old.indexOf(line), before, after)], line);
    }
    assert.equal(mapLine(old.length - 1, before, after), now.length - 1);
  });

  it("moves to the nearest section that still exists", () => {
    const before = renderExecution(anExecution());
    const after = missingText("Writers", "11111111-aaaa");
    const [old, now] = [before.text.split("\n"), after.text.split("\n")];
    for (const line of old.keys()) assert.ok(mapLine(line, before, after) < now.length);
  });
});

describe("callbacks that have not arrived", () => {
  const error = "The receiver answered 500.";
  const failed = { kind: "task", count: 2, attempts: 3, error };

  const lineOf = (undelivered: Execution["undelivered"], rest: Partial<Execution> = {}) => {
    const execution = undelivered ? { ...rest, undelivered } : rest;
    return renderExecution(notWaiting(execution))
      .text.split("\n")
      .find((line) => line.includes("arrived"));
  };

  it("are one line in the document, by kind, which is gone when they have arrived", () => {
    const text = "Callbacks that have not arrived: 2 × task, The receiver answered 500.";
    assert.equal(lineOf([failed]), text);
    assert.equal(lineOf(undefined), undefined);
    assert.equal(lineOf([failed], { state: "completed", output: "Done" }), text);
    const events = { kind: "human_input", count: 30, attempts: 12, isGivenUp: true } as const;
    assert.equal(lineOf([failed, events]), `${text}; 30 × human input, given up`);
  });

  it("are not named before their first attempt has failed", () => {
    assert.equal(lineOf([{ kind: "crew", count: 1, attempts: 0 }]), undefined);
  });

  it("are not named while no window received them here, which is no fault", () => {
    const own = receiverAddress(3000, randomBytes(32).toString("base64url"));
    const other = "http://127.0.0.1:4000/hook";
    const error = "connect ECONNREFUSED 127.0.0.1:3000";
    const undelivered = [
      { kind: "task", count: 1, attempts: 3, error },
      { kind: "human_input", count: 1, attempts: 3, error },
    ];
    const sent = (callbacks: SentKickoff["callbacks"]) => ({ request: { inputs: {}, callbacks } });
    const both = sent({ taskWebhookUrl: own, humanInputWebhookUrl: own });
    assert.equal(lineOf(undelivered, both), undefined);
    const line = lineOf([{ ...failed, error: "The receiver answered 500." }], both) ?? "";
    assert.match(line, /: 2 × /);
    const mixed = sent({ taskWebhookUrl: other, humanInputWebhookUrl: own });
    const theirs = { ...undelivered[0]!, error: "connect ECONNREFUSED 127.0.0.1:4000" };
    const text = `Callbacks that have not arrived: 1 × task, ${theirs.error}`;
    assert.equal(lineOf([theirs, undelivered[1]!], mixed), text);
  });

  it("can't write Markdown", () => {
    const line = lineOf([{ ...failed, kind: "*new*", error: "[x](command:y) <b>" }]);
    assert.match(line ?? "", /: 2 × \\\*new\\\*, /);
    assert.doesNotMatch(line ?? "", /[^\\][[<]/);
  });
});
