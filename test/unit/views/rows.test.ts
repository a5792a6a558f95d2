import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { TokenType } from "../../../src/api/types.ts";
import type { Crew } from "../../../src/crews/types.ts";
import { type Execution, type SentResume, without } from "../../../src/executions/model.ts";
import { summaryOf } from "../../../src/executions/record.ts";
import { rehearsalMark } from "../../../src/service/engine.ts";
import { staleByAttempt } from "../../../src/sending/errors.ts";
import type { Circumstances } from "../../../src/view/actions.ts";
import { eventOf } from "../../../src/views/events.ts";
import { executionRow, taskRow } from "../../../src/views/tree/execution-rows.ts";
import type { GroupKind } from "../../../src/views/tree/arrangement.ts";
import { crewRow, goneCrewRow, projectRow } from "../../../src/views/tree/rows.ts";
import { anApproval, anExecution, aTask, notWaiting } from "./executions.ts";

const start = Date.parse("2026-10-21T12:00:00.000Z");
const deployed: Crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };
const local: Crew = {
  id: "local:file:///a",
  name: "Mine",
  url: "http://127.0.0.1:4000",
  local: { folder: "file:///a", engine: "rehearsal", running: true },
};

/** The conditions on rows in the manifest. */
const menus = {
  local: /^crew:local\b/,
  stopped: /^crew:local:stopped\b/,
  running: /^crew:local:running\b/,
  remote: /^crew:remote\b/,
  approve: /^(execution|task)\b.*:approve\b/,
  reject: /^(execution|task)\b.*:reject\b/,
  sendAgain: /^execution\b.*:sendAgain\b/,
  ended: /^execution\b.*:ended\b/,
  output: /^(execution|task)\b.*:output\b/,
};

function menusOf(facts: string): string[] {
  return Object.entries(menus).flatMap(([name, condition]) =>
    condition.test(facts) ? [name] : [],
  );
}

const mine = (more: Partial<NonNullable<Crew["local"]>>): Crew => ({
  ...local,
  local: { ...local.local!, ...more },
});
const idle = (more: Partial<NonNullable<Crew["local"]>> = {}) => mine({ running: false, ...more });
const stored = (inUse: TokenType, ...types: TokenType[]) => ({
  tokens: { kind: "stored", inUse, types } as const,
});
const refusal = () => ({
  refusing: new CrewApiError({
    ...{
      kind: "unauthorized" as const,
      status: 401,
      message: "Refused.",
      remedy: "Set another one.",
    },
  }),
});
const engineNote = "crewAI 1.15.30, /p/.venv/bin/python";
const real = { engine: "crewai", engineNote } as const;
const withHeld = { ...real, interrupted: ["1", "2", "3"] };
const failure = "It ended unexpectedly\n(exit code 3).";
const noCrewai = "crewAI is not installed for /p/.venv/bin/python.";
const two = stored("userBearer", "bearer", "userBearer");
const noToken = { tokens: { kind: "none" } } as const;

/** What rows of crews have beside their names, and say to screen readers. */
const crewRows: readonly (readonly [Crew, string, Parameters<typeof crewRow>[1]?])[] = [
  [deployed, "crew.test"],
  [{ ...deployed, url: "https://crew.test/one" }, "crew.test/one"],
  [{ ...deployed, name: "crew.test" }, ""],
  [deployed, "Token refused – replace it to continue", refusal()],
  [deployed, "No token on this machine", noToken],
  [deployed, "Token can't be read", { tokens: { kind: "locked" } }],
  [deployed, "User Bearer Token · crew.test", two],
  [deployed, "crew.test", stored("bearer", "bearer")],
  [local, "rehearsal, no model", stored("bearer", "bearer", "userBearer")],
  [mine(real), "crewAI"],
  [mine(withHeld), "crewAI · 3 interrupted"],
  [idle(), "stopped · rehearsal, no model"],
  [idle({ starting: true }), "starting…"],
  [idle({ failure }), "failed: It ended unexpectedly (exit code 3) · rehearsal, no model"],
];

describe("a crew's row", () => {
  for (const [of, text, known = {}] of crewRows)
    it(`says: ${text}`, () => {
      const { description, sentence } = crewRow(of, known);
      assert.equal(description, text);
      const parts = text === "" ? [] : text.split(" · ");
      assert.equal(sentence, [`Crew ${of.name}`, ...parts].join(", "));
    });

  it("has in its tooltip what to do, and where crewAI runs or why it doesn't", () => {
    for (const [of, text, known = {}] of [
      [deployed, "Set another one.", refusal()],
      [mine(real), engineNote],
      [mine({ engineNote: noCrewai }), noCrewai],
      [idle(), "It starts again when you kick it off or continue."],
    ] as const)
      assert.ok(crewRow(of, known).tooltip.includes(text), text);
  });

  it("has facts for its menu: only what starts or stops it now, and what it lacks", () => {
    const facts = (of: Crew, known = {}) => crewRow(of, known).facts;
    assert.match(facts(mine(withHeld)), /^crew:local:running\b.*:interrupted\b/);
    assert.match(facts(mine({ engineNote: noCrewai })), /^crew:local\b.*:rehearsal\b/);
    assert.deepEqual(menusOf(facts(deployed)), ["remote"]);
    assert.deepEqual(menusOf(facts(local)), ["local", "running"]);
    assert.deepEqual(menusOf(facts(idle({ starting: true }))), ["local"]);
    for (const state of [{}, { failure }])
      assert.deepEqual(menusOf(facts(idle(state))), ["local", "stopped"]);
  });

  it("is neutral if it was stopped, and red if it failed", () => {
    const neutral = { id: "server-process", color: "disabledForeground" };
    assert.deepEqual(crewRow(idle(), {}).icon, neutral);
    const red = { id: "error", color: "list.errorForeground" };
    assert.deepEqual(crewRow(idle({ failure }), {}).icon, red);
  });

  it("marks a crew that is no longer connected, and offers no action of a connected one", () => {
    assert.equal(goneCrewRow(deployed).description, "not connected");
    assert.deepEqual(menusOf(goneCrewRow(deployed).facts), []);
    assert.doesNotMatch(goneCrewRow(deployed).facts, /^crew/);
  });
});

/** Seconds after its start. */
const rowAt = (
  execution: Execution,
  seconds = 130,
  circumstances: Circumstances = {},
  group: GroupKind = "crew",
) => executionRow(execution, start + seconds * 1000, circumstances, group);

const second = anExecution({ waiting: { ...anExecution().waiting!, attempt: 2 } });
const lost = notWaiting({ state: "unconfirmed", kickoffIds: [], tasks: [] });
const mayBeWaiting = notWaiting({ state: "unknown", mayBeWaiting: true });
const unreachable = { short: "crew unreachable", text: "Check the address.", isLasting: false };
const refused = { short: "not watched: token refused", text: "No.", isLasting: true };
const stop = { at: "2026-10-21T12:03:00.000Z", outcome: "answered" } as const;
const both = { engine: "rehearsal", pinned: true as const };
const completed = { state: "completed", executionTime: 65 } as const;
const history = [{ at: new Date(start + 90_000).toISOString(), state: "running" }] as const;
const held = {
  ...{ isInterrupted: true, canStop: true },
  doubt: { short: "continue or discard it", text: "Interrupted.", isLasting: true },
};
const flow = (state: Execution["state"]) =>
  notWaiting({ state, progress: { completed: 1, unit: "step" } });
const [sent, accepted] = [anApproval("unanswered"), anApproval("answered")];
const waits = "Waiting for you · 1/3 · 2 min · review";
const runs = "Running · 1/3 · 2 min";

const sending: SentResume = { ...sent, outcome: "sending" };
const stillPaused = { taskId: "review", attempt: 1 };
const unanswered = { ...stop, outcome: "unanswered" } as const;
const mistyped = without({ ...mayBeWaiting, origin: "tracked", tasks: [] }, "progress");
const hibernating = notWaiting({ state: "unknown", stateText: "HIBERNATING" });
const kickingOff = { isKickingOff: true };

/** What a row shows in 2 min 10 s. */
const descriptions: readonly (readonly [
  description: string,
  of: Execution,
  circumstances?: Circumstances,
  group?: GroupKind,
])[] = [
  [waits, anExecution()],
  [`${runs} · pinned · rehearsal`, notWaiting(both)],
  ["Completed · 1 min · pinned · rehearsal", notWaiting({ ...both, ...completed })],
  ["Failed · 1/3 · 1 min", notWaiting({ ...completed, state: "failed" })],
  ["Failed · 1/3 · 42 s", notWaiting({ executionTime: 42, state: "failed" })],
  [`${runs} · crew unreachable`, notWaiting(), { doubt: unreachable }],
  // Nothing can be out of date after the end, and a completed flow's status has no count.
  ["Completed", flow("completed"), { doubt: refused }],
  ["Running · 1/3 · not watched: token refused", notWaiting(), { doubt: refused }],
  ["May be waiting for you · 1/3 · 2 min", mayBeWaiting],
  ["Unknown to the crew – check the ID", mistyped],
  ["Running · 1 done · 2 min", flow("running")],
  ["Failed · 1 done", flow("failed")],
  [`${waits} · feedback may have been sent`, anExecution({ resumes: [sent] })],
  [`${waits} · answered, pause still reported`, anExecution({ resumes: [accepted] })],
  [`${runs} · answered, pause still reported`, notWaiting({ stillPaused, resumes: [accepted] })],
  // Nothing of a pause that is over, nor of feedback after the end.
  [runs, notWaiting({ resumes: [accepted] })],
  ["Completed · 1 min", notWaiting({ ...completed, resumes: [sent, sending] })],
  ["Kicking off… · 1/3", lost, kickingOff],
  ["Kicking off… · 1/3 · Writers", lost, kickingOff, "state"],
  ["May have started · 1/3", lost],
  [`${runs} · stopping…`, notWaiting({ stop })],
  ["Stopped · 1/3", notWaiting({ stop, state: "stopped" })],
  [`${runs} · request to stop may have been sent`, notWaiting({ stop: unanswered })],
  ["Interrupted · 1/3 · 1 min 30 s · continue or discard it", notWaiting({ history }), held],
  [`${runs} · Writers`, notWaiting(), {}, "day"],
  ["1/3 · 2 min · review · attempt 2 · Writers", second, {}, "waiting"],
  // No state in its group, unless the crew has words for it.
  ["1/3 · Writers", notWaiting({ state: "failed", error: "No." }), {}, "state"],
  ["HIBERNATING · 1/3 · 2 min · Writers", hibernating, {}, "state"],
];

describe("an execution's row", () => {
  for (const [description, of, circumstances, group] of descriptions)
    it(`says: ${description}${group ? `, in the group of its ${group}` : ""}`, () =>
      assert.equal(rowAt(of, 130, circumstances, group).description, description));

  it("has the beginning of its title, and a sentence for screen readers", () => {
    const row = rowAt(anExecution(), 130, {}, "waiting");
    assert.equal(row.label, "Sea otters");
    assert.equal(row.sentence, "Sea otters, Waiting for you, 1 of 3 done, 2 min, review, Writers");
    assert.deepEqual(menusOf(row.facts), ["approve", "reject", "output"]);
    const again = rowAt(second, 0, {}, "waiting");
    assert.match(again.sentence, /^Sea otters, Waiting for you, .*review, attempt 2, Writers$/);
    assert.ok(again.tooltip.includes("attempt 2"));
  });

  it("shortens a long title before its state, progress and time", () => {
    const label = "The sea otters of the northern Pacific";
    for (const [changes, group, shown] of [
      [{ ...completed, label }, "crew", "The sea otters of…"],
      [{ state: "stopped", executionTime: 123, label }, "crew", "The sea otters…"],
      [{ state: "unknown", mayBeWaiting: true, label }, "waiting", "The sea ott…"],
      [{ ...completed, title: { text: label, number: 3 } }, "crew", "The sea otters… (3)"],
    ] as const)
      assert.equal(rowAt(notWaiting(changes), 130, {}, group).label, shown);
    const ended = rowAt(notWaiting(completed));
    assert.match(ended.sentence, /1 min 5 s/, "all of it to who can't see");
    const waiting = rowAt(anExecution({ label }), 130, {}, "waiting");
    const { description } = waiting;
    assert.deepEqual([waiting.label.length, description], [25, "1/3 · 2 min · review · Writers"]);
  });

  it("counts the tasks that callbacks told, which a status did not count yet", () => {
    const done = ["research", "outline"].map((taskId) => aTask(taskId, "completed"));
    const tasks = [...done, aTask("review", "waiting")];
    const rowOf = (unit: string) =>
      rowAt(anExecution({ progress: { completed: 1, total: 3, unit }, tasks }));
    assert.match(rowOf("task").sentence, /2 of 3 done/);
    assert.match(rowOf("step").sentence, /1 of 3 done/);
  });

  it("differs from rows with the same title by number and time", () => {
    const startedAt = new Date(2026, 9, 21, 15, 5).toISOString();
    const title = { text: "Sea otters", number: 3 };
    const own = notWaiting({ kickoffIds: ["two"], startedAt, title });
    const row = executionRow(own, Date.parse(startedAt) + 7_200_000);
    assert.equal(row.label, "Sea otters (3)");
    assert.equal(row.description, "Running · 1/3 · 2 h · 15:05");
    assert.match(row.sentence, /^Sea otters \(3\), .*, 15:05$/);
    assert.equal(row.tooltip.at(-1), "ID: two");
  });

  it("is the same from the summary as from the whole execution", () => {
    const output = `${rehearsalMark}\n\nAgent: Editor`;
    const long = { text: "Sea otters. ".repeat(1000), list: Array.from({ length: 500 }, String) };
    const feedback = { isApprove: false, text: "Shorter.", at: "2026-10-21T12:02:00.000Z" };
    const reviewed = aTask("review", "waiting", { output: "Draft.", feedback }, { output: "" });
    for (const execution of [
      anExecution(),
      notWaiting({ state: "completed", output }),
      notWaiting({ state: "failed", error: "It\nbroke. ".repeat(100) }),
      anExecution({ request: { inputs: { ...long, short: { depth: 1 } }, callbacks: {} } }),
      anExecution({ tasks: [reviewed] }),
    ]) {
      const summary = summaryOf(execution);
      assert.deepEqual(executionRow(summary, start), executionRow(execution, start));
      assert.deepEqual(
        summary.tasks.map((task) => taskRow(task, summary)),
        execution.tasks.map((task) => taskRow(task, execution)),
      );
    }
  });

  it("says the same duration from the summary, which has its tasks' times only if it waited", () => {
    const endedAt = new Date(start + 160_000).toISOString();
    for (const [times, time] of [
      [{ worked: 90, waited: 60 }, "2 min"],
      [{ worked: 90 }, "1 min"],
    ] as const) {
      const tasks = [{ ...aTask("write", "completed"), executionTime: 90, times }];
      const whole = notWaiting({ state: "completed", executionTime: 100, endedAt, tasks });
      const summary = summaryOf(whole);
      assert.deepEqual(summary.tasks[0]?.times, "waited" in times ? times : undefined);
      assert.deepEqual(executionRow(summary, start), executionRow(whole, start));
      assert.match(executionRow(summary, start).description, new RegExp(` ${time}$`));
    }
  });

  it("shows each state by text and icon, not by colour alone", () => {
    const states = [
      ...(["queued", "running", "waiting", "completed", "failed"] as const),
      ...(["stopped", "unconfirmed"] as const),
    ];
    const rows = [...states.map((state) => rowAt(anExecution({ state }))), rowAt(mayBeWaiting)];
    assert.equal(new Set(rows.map((row) => row.icon.id)).size, rows.length);
    assert.equal(new Set(rows.map((row) => row.description.split(" · ")[0])).size, rows.length);
  });

  it("has the facts for its menu: what can be done, and what it has", () => {
    const menu = (execution: Execution, circumstances: Circumstances = {}) =>
      menusOf(rowAt(execution, 0, circumstances).facts);
    assert.deepEqual(menu(mayBeWaiting), ["reject"]);
    assert.deepEqual(menu(anExecution({ resumes: [sent] })), ["sendAgain", "output"]);
    assert.deepEqual(menu(notWaiting({ state: "completed", output: "x" })), ["ended", "output"]);
    const facts = (...given: Parameters<typeof rowAt>) => rowAt(...given).facts;
    assert.match(facts(notWaiting(), 0, { canStop: true }), /:stop\b/);
    assert.doesNotMatch(facts(lost, 0, { isKickingOff: true }), /runAgain/);
    assert.match(facts(lost), /:runAgain\b/);
    assert.match(facts(notWaiting(both)), /:pinned\b/);
    assert.doesNotMatch(facts(notWaiting()), /pinned/);
    const menuOfHeld = /^execution\b(?!.*:stop\b).*:continueExecution:discardExecution\b/;
    assert.match(facts(notWaiting({ history }), 0, held), menuOfHeld);
  });

  it("says why what it does isn't known, with the remedy, and without a spinner", () => {
    const row = rowAt(notWaiting(), 0, { doubt: refused });
    for (const text of [row.sentence, ...row.tooltip.slice(3, 4)])
      assert.ok(text.includes(refused.short), text);
    assert.ok(row.tooltip.includes("No."));
    const ofTask = taskRow(aTask("review", "running"), notWaiting(), { doubt: refused });
    assert.match(ofTask.description, /Last seen running/);
    for (const { icon } of [row, ofTask]) assert.equal(icon.id, "eye-closed");
  });

  it("is interrupted, not running, until a person decides about it", () => {
    const row = rowAt(notWaiting({ history }), 3_600, held);
    assert.match(row.sentence, /^Sea otters, Interrupted, .*continue or discard it/);
    const task = taskRow(aTask("review", "running"), notWaiting(), held);
    assert.match(task.description, /^Interrupted/);
    const queued = rowAt(notWaiting({ state: "queued" }), 0, held);
    for (const { icon } of [row, task, queued]) assert.equal(icon.id, "warning");
  });

  it("shows inputs, error and what started it in the tooltip, shortened to one line each", () => {
    const inputs = {
      ...{ topic: "Sea\notters", long: "x".repeat(500), list: ["a", 1] },
      ...{ four: "", five: "5", six: "6" },
    };
    const request = { inputs, callbacks: {} };
    const trigger = { type: "user", id: "7\n" };
    const failed = notWaiting({ state: "failed", error: "It\nbroke.", request, trigger });
    const { tooltip } = rowAt(failed);
    const lines = ["topic: Sea otters", 'list: ["a",1]', "Error: It broke."];
    for (const line of [...lines, "Started by: user 7"]) assert.ok(tooltip.includes(line), line);
    assert.ok(tooltip.every((line) => line.length <= 90 && !line.includes("\n")));
  });
});

describe("the row of a project that isn't served", () => {
  it("has the name of its folder, and where that is", () => {
    const { label, description, tooltip, facts, sentence } = projectRow("/work/home_energy");
    assert.deepEqual([label, description], ["home_energy", "not served"]);
    assert.deepEqual(tooltip, ["/work/home_energy"]);
    assert.equal(sentence, "home_energy, not served");
    // Of its menu, as of a stopped crew.
    assert.match(facts, /^(crew:local:stopped|project)\b/);
  });
});

describe("a task's row", () => {
  it("shows its state, its attempt and its agent", () => {
    const two = aTask("review", "waiting", { output: "a" }, { output: "b" });
    const task = { ...two, agent: "Editor" };
    const row = taskRow(task, anExecution({ tasks: [task] }));
    assert.equal(row.description, "Waiting for you · attempt 2 · Editor");
    assert.equal(row.sentence, "Task review, Waiting for you, attempt 2, Editor");
    assert.deepEqual(menusOf(row.facts), ["approve", "reject", "output"]);
    assert.deepEqual(menusOf(taskRow(aTask("other", "running"), anExecution()).facts), []);
  });

  it("offers to run again from it once a local execution waits or has ended, never a deployed one", () => {
    const task = aTask("draft", "completed");
    const offers = (changes: Partial<Execution>) =>
      taskRow(task, anExecution({ tasks: [task], crew: local, ...changes }))
        .facts.split(":")
        .includes("again");
    for (const state of ["waiting", "completed", "failed", "stopped"] as const)
      assert.ok(offers({ state }), state);
    assert.equal(offers({ state: "running" }), false);
    assert.equal(offers({ state: "completed", crew: anExecution().crew }), false);
  });
});

describe("a crew's names in a row", () => {
  const name = "evil\n\u001b[31m\u202ename ".repeat(3_000);
  const task = { ...aTask(name, "waiting", {}, { output: "b" }), agent: name };
  const execution = anExecution({
    tasks: [task],
    waiting: { taskId: name, attempt: 2, since: "2026-10-21T12:01:00.000Z" },
    request: { inputs: { [name]: name }, callbacks: {} },
  });

  it("are one short line, wherever the row shows them", () => {
    const rows = [
      taskRow(task, execution),
      executionRow(execution, start),
      executionRow(execution, start, {}, "waiting"),
    ];
    for (const text of rows.flatMap(({ label, description, tooltip, sentence }) => [
      label,
      description,
      sentence,
      ...tooltip,
    ])) {
      assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
      assert.ok(text.length < 400, `${text.length} characters`);
    }
  });

  it("are one short line in messages", () => {
    const messages = [
      eventOf(execution, start)?.message,
      staleByAttempt(execution, { taskId: name, attempt: 1 })?.message,
      staleByAttempt(execution, { taskId: `${name}.`, attempt: 7 })?.message,
    ];
    for (const text of messages) assert.match(text ?? "", /^[^\p{Cc}\u202e]{20,400}$/u);
  });
});
