import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { Crew } from "../../../src/crews/types.ts";
import { type Execution, without } from "../../../src/executions/model.ts";
import { readSummary, writeExecution } from "../../../src/executions/record.ts";
import { rehearsalMark } from "../../../src/service/engine.ts";
import { staleByAttempt } from "../../../src/sending/errors.ts";
import { eventOf } from "../../../src/views/events.ts";
import { executionRow, taskRow } from "../../../src/views/tree/execution-rows.ts";
import { crewRow, goneCrewRow, hintRow } from "../../../src/views/tree/rows.ts";
import { anApproval, anExecution, notWaiting } from "./executions.ts";

const start = Date.parse("2026-10-21T12:00:00.000Z");
const unauthorized = new CrewApiError({
  kind: "unauthorized",
  status: 401,
  message: "The crew refused the token.",
  remedy: "Set another one.",
});
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

describe("a crew's row", () => {
  it("shows a deployed crew's host, and the path by which crews of one server differ", () => {
    const shown = (url: string) => crewRow({ ...deployed, url }, {}).description;
    assert.equal(shown("https://crew.test/one"), "crew.test/one");
    assert.equal(shown("https://crew.test/two"), "crew.test/two");
    const row = crewRow(deployed, {});
    const unnamed = crewRow({ ...deployed, name: row.description }, {});
    assert.deepEqual([unnamed.label, unnamed.description], [row.description, ""]);
    assert.equal(row.description, "crew.test");
    assert.deepEqual(menusOf(row.facts), ["remote"]);
  });

  it("says that the token was refused, or that this machine has none", () => {
    const refusing = crewRow(deployed, { refusing: unauthorized });
    assert.match(refusing.description, /Token refused/);
    assert.match(refusing.sentence, /Token refused/);
    assert.ok(refusing.tooltip.includes("Set another one."));
    assert.match(refusing.facts, /:refusing\b/);
    assert.equal(
      crewRow(deployed, { tokens: { kind: "none" } }).description,
      "No token on this machine",
    );
    const refusalOf = (tokenType: "bearer" | "userBearer") =>
      new CrewApiError({
        kind: "unauthorized",
        status: 401,
        tokenType,
        message: "No.",
        remedy: "Set it.",
      });
    assert.match(
      crewRow(deployed, { refusing: refusalOf("userBearer") }).description,
      /^User's token refused/,
    );
    assert.match(
      crewRow(deployed, { refusing: refusalOf("bearer") }).sentence,
      /Organisation's token refused/,
    );
  });

  it("distinguishes a token that this machine lost from one that it never had", () => {
    const row = crewRow(deployed, { tokens: { kind: "lost", why: "gone" } });
    assert.equal(row.description, "Token lost here – set it again");
    assert.ok(
      row.tooltip.some((line) => line.includes("secret storage no longer returns the token")),
    );
    assert.match(row.sentence, /Token lost here/);
  });

  it("shows which token is in use, and that there is another, in description, tooltip and to screen readers", () => {
    const both = crewRow(deployed, {
      tokens: { kind: "stored", inUse: "userBearer", types: ["bearer", "userBearer"] },
    });
    assert.equal(both.description, "User Bearer Token · crew.test");
    assert.ok(both.tooltip.includes("Uses the user's token (User Bearer Token)"));
    assert.ok(both.tooltip.includes("Also here: the organisation's token (Bearer Token)"));
    assert.equal(
      both.sentence,
      "Crew Writers, crew.test, uses the user's token (User Bearer Token)",
    );
    const usual = crewRow(deployed, {
      tokens: { kind: "stored", inUse: "bearer", types: ["bearer"] },
    });
    assert.equal(usual.description, "crew.test");
    assert.equal(
      crewRow(local, {
        tokens: { kind: "stored", inUse: "bearer", types: ["bearer", "userBearer"] },
      }).description,
      crewRow(local, {}).description,
    );
  });

  it("says that a local crew runs with crewAI, where that is, and what a restart interrupted", () => {
    const real = {
      ...local.local!,
      engine: "crewai" as const,
      engineNote: "crewAI 1.15.30, /p/.venv/bin/python",
    };
    const row = crewRow({ ...local, local: real }, {});
    assert.equal(row.description, "crewAI");
    assert.ok(row.tooltip.includes("crewAI 1.15.30, /p/.venv/bin/python"));
    assert.doesNotMatch(row.tooltip.join(), /rehearsal/);
    const held = crewRow({ ...local, local: { ...real, interrupted: ["1", "2", "3"] } }, {});
    assert.equal(held.description, "crewAI · 3 executions were interrupted");
    assert.match(held.sentence, /, 3 executions were interrupted/);
    assert.match(held.facts, /^crew:local:running\b.*:interrupted\b/);
  });

  it("says why a local crew is rehearsed", () => {
    const engineNote = "crewAI is not installed for /p/.venv/bin/python.";
    const row = crewRow({ ...local, local: { ...local.local!, engineNote } }, {});
    assert.ok(row.tooltip.includes(engineNote));
    assert.match(row.facts, /^crew:local\b.*:rehearsal\b/);
  });

  it("says that a local crew calls no model, and whether it runs", () => {
    assert.equal(crewRow(local, {}).description, "rehearsal, no model");
    assert.equal(crewRow(local, {}).sentence, "Crew Mine, rehearsal – no language model is called");
    assert.ok(
      crewRow(local, {}).tooltip.includes(
        "Served on this machine: rehearsal – no language model is called",
      ),
    );
    assert.deepEqual(menusOf(crewRow(local, {}).facts), ["local", "running"]);
    const stopped = crewRow({ ...local, local: { ...local.local!, running: false } }, {});
    assert.equal(stopped.description, "stopped · rehearsal, no model");
    assert.deepEqual(menusOf(stopped.facts), ["local", "stopped"]);
    const starting = crewRow(
      { ...local, local: { ...local.local!, running: false, starting: true } },
      {},
    );
    assert.equal(starting.description, "starting…");
    assert.deepEqual(
      menusOf(starting.facts),
      ["local"],
      "can't be started or stopped while it starts",
    );
  });

  it("says why a local crew doesn't run: neutral if it was stopped, red if it failed", () => {
    const idle = (more: Partial<NonNullable<Crew["local"]>>) =>
      crewRow({ ...local, local: { ...local.local!, running: false, ...more } }, {});
    const [stopped, closed, failed] = [
      idle({}),
      idle({ ranBefore: true }),
      idle({ failure: "It ended unexpectedly\n(exit code 3)." }),
    ];
    assert.deepEqual(
      [stopped.icon, closed.icon],
      [
        { id: "server-process", color: "disabledForeground" },
        { id: "server-process", color: "disabledForeground" },
      ],
    );
    assert.match(stopped.tooltip.join("\n"), /It was stopped here or in another window\./);
    assert.match(
      closed.tooltip.join("\n"),
      /It ended when nothing was left to do, and starts again when it is needed/,
    );
    assert.deepEqual(failed.icon, { id: "error", color: "list.errorForeground" });
    assert.equal(
      failed.description,
      "failed: It ended unexpectedly (exit code 3) · rehearsal, no model",
    );
    assert.match(failed.tooltip.join("\n"), /It failed: It ended unexpectedly \(exit code 3\)\./);
    assert.match(failed.sentence, /failed: It ended unexpectedly/);
    for (const row of [stopped, closed, failed])
      assert.deepEqual(menusOf(row.facts), ["local", "stopped"], "can be started from the row");
  });

  it("marks a crew that is no longer connected, and offers no action of a connected one", () => {
    assert.equal(goneCrewRow(deployed).description, "not connected");
    assert.deepEqual(menusOf(goneCrewRow(deployed).facts), []);
    assert.doesNotMatch(goneCrewRow(deployed).facts, /^crew/);
  });
});

describe("an execution's row", () => {
  it("has title, state, progress and time, and a sentence for screen readers", () => {
    const row = executionRow(anExecution(), start + 130_000);
    assert.equal(row.label, "Sea otters");
    assert.equal(row.description, "Waiting for you at task review · 1/3 · 2 min");
    assert.equal(
      row.sentence,
      "Sea otters, Waiting for you at task review, 1 of 3 tasks done, 2 min",
    );
    assert.match(
      executionRow(
        notWaiting({ progress: { completed: 0, total: 1, unit: "task" }, tasks: [] }),
        start,
      ).sentence,
      /0 of 1 task done/,
    );
    assert.deepEqual(menusOf(row.facts), ["approve", "reject", "output"]);
  });

  it("counts the tasks that callbacks told, which a status did not count yet", () => {
    const tasks = ["research", "outline", "review"].map((taskId, index) => ({
      ...{ taskId, attempts: [] },
      state: index < 2 ? ("completed" as const) : ("waiting" as const),
    }));
    const rowOf = (unit: string) =>
      executionRow(anExecution({ progress: { completed: 1, total: 3, unit }, tasks }), start);
    assert.match(rowOf("task").sentence, /2 of 3 tasks done/);
    assert.match(rowOf("step").sentence, /1 of 3 steps done/);
  });

  it("counts a flow's steps only until its end, whose status has no count", () => {
    const progress = { completed: 1, unit: "step" };
    const sentenceOf = (state: "running" | "failed" | "completed") =>
      executionRow(notWaiting({ progress, state }), start).sentence;
    assert.match(sentenceOf("running"), /1 step/);
    assert.match(sentenceOf("failed"), /1 step/);
    assert.doesNotMatch(sentenceOf("completed"), /step/);
  });

  it("shows state, progress and time first, in a side bar of usual width beside the beginning of its title", () => {
    const all = { engine: "rehearsal", pinned: true as const };
    const unreachable = { short: "crew unreachable", text: "No. Look.", isLasting: false };
    const description = (execution: Parameters<typeof executionRow>[0], circumstances = {}) =>
      executionRow(execution, start + 130_000, circumstances).description;
    assert.equal(
      executionRow(notWaiting({ label: "The sea otters of the northern Pacific" }), start).label,
      "The sea otters of t…",
    );
    assert.equal(description(notWaiting(all)), "Running · 1/3 · 2 min · pinned · rehearsal");
    assert.equal(
      description(notWaiting({ ...all, state: "completed", executionTime: 65 })),
      "Completed · 1 min 5 s · pinned · rehearsal",
    );
    assert.equal(
      description(notWaiting({ state: "failed", executionTime: 65 })),
      "Failed · 1/3 · 1 min 5 s",
    );
    assert.equal(
      description(notWaiting(), { doubt: unreachable }),
      "Running · 1/3 · 2 min · crew unreachable",
    );
    assert.equal(
      description(notWaiting({ state: "unknown", mayBeWaiting: true })),
      "May be waiting for you · 1/3 · 2 min",
    );
    assert.equal(
      description(
        without(
          notWaiting({ state: "unknown", mayBeWaiting: true, origin: "tracked", tasks: [] }),
          "progress",
        ),
      ),
      "Unknown to the crew – check the ID",
      "its start is not known",
    );
  });

  it("differs from rows with the same title by number and time", () => {
    const localTime = (hour: number) => new Date(2026, 9, 21, hour, 5).toISOString();
    const titled = (localId: string, hour: number, number: number) =>
      notWaiting({
        localId,
        kickoffIds: [localId],
        startedAt: localTime(hour),
        ...(number === 0 ? { label: "Other" } : { title: { text: "Sea otters", number } }),
      });
    const rows = [
      titled("other", 16, 0),
      titled("two", 15, 3),
      titled("one", 14, 2),
      titled("yesterday", -9, 1),
    ].map((execution) => executionRow(execution, Date.parse(localTime(17))));
    assert.deepEqual(
      rows.map(({ label, description }) => `${label}: ${description}`),
      [
        "Other: Running · 1/3 · 1 h",
        "Sea otters (3): Running · 1/3 · 2 h · 15:05",
        "Sea otters (2): Running · 1/3 · 3 h · 14:05",
        "Sea otters: Running · 1/3 · 1 d 2 h",
      ],
    );
    assert.match(
      rows[1]!.sentence,
      /^Sea otters \(3\), Running, .*, Kicked off: 2026-10-21 15:05:00$/,
    );
    assert.deepEqual(rows[1]!.tooltip.at(-1), "ID: two");
  });

  it("says if the rehearsal engine runs it", () => {
    assert.match(
      executionRow(anExecution({ engine: "rehearsal" }), start).description,
      /rehearsal$/,
    );
  });

  it("is the same from the summary as from the whole execution", () => {
    const output = `${rehearsalMark}\n\nAgent: Editor`;
    const long = { text: "Sea otters. ".repeat(1000), list: Array.from({ length: 500 }, String) };
    const rejected = {
      number: 1,
      output: "Draft.",
      feedback: { isApprove: false, text: "Shorter.", at: "2026-10-21T12:02:00.000Z" },
    };
    for (const execution of [
      anExecution(),
      notWaiting({ state: "completed", output }),
      notWaiting({ state: "failed", error: "It\nbroke. ".repeat(100) }),
      anExecution({ request: { inputs: { ...long, short: { depth: 1 } }, callbacks: {} } }),
      anExecution({
        tasks: [
          { taskId: "review", state: "waiting", attempts: [rejected, { number: 2, output: "" }] },
        ],
      }),
    ]) {
      const summary = readSummary(writeExecution(execution).summary);
      assert.deepEqual(executionRow(summary, start), executionRow(execution, start));
      assert.deepEqual(
        summary.tasks.map((task) => taskRow(task, summary)),
        execution.tasks.map((task) => taskRow(task, execution)),
      );
    }
  });

  it("shows each state by text and icon, not by colour alone", () => {
    const states = [
      "queued",
      "running",
      "waiting",
      "completed",
      "failed",
      "stopped",
      "unconfirmed",
    ] as const;
    const rows = states.map((state) => executionRow(anExecution({ state }), start));
    rows.push(executionRow(notWaiting({ state: "unknown", mayBeWaiting: true }), start));
    assert.equal(new Set(rows.map((row) => row.icon.id)).size, rows.length);
    assert.equal(new Set(rows.map((row) => row.description.split(" · ")[0])).size, rows.length);
  });

  it("offers feedback if the crew may be waiting, and to send it again if no response arrived", () => {
    const sent = anApproval("unanswered");
    assert.deepEqual(
      menusOf(executionRow(notWaiting({ state: "unknown", mayBeWaiting: true }), start).facts),
      ["reject"],
    );
    const row = executionRow(anExecution({ resumes: [sent] }), start);
    assert.match(row.description, /feedback may have been sent/);
    assert.deepEqual(menusOf(row.facts), ["sendAgain", "output"]);
  });

  it("says that the crew still reports an answered pause", () => {
    const accepted = anApproval("answered");
    for (const execution of [
      anExecution({ resumes: [accepted] }),
      notWaiting({ stillPaused: { taskId: "review", attempt: 1 }, resumes: [accepted] }),
    ]) {
      const row = executionRow(execution, start);
      assert.match(row.description, /answered, pause still reported/);
    }
    assert.doesNotMatch(
      executionRow(notWaiting({ resumes: [accepted] }), start).description,
      /pause/,
    );
  });

  it("says that the kickoff request is being sent, and offers no other run until then", () => {
    const sent = notWaiting({ state: "unconfirmed", kickoffIds: [], tasks: [] });
    const row = executionRow(sent, start, { isKickingOff: true });
    assert.match(row.description, /^Kicking off…/);
    assert.match(row.sentence, /^Sea otters, Kicking off…/);
    assert.doesNotMatch(row.facts, /runAgain/);
    assert.match(
      executionRow(sent, start, { isKickingOff: true }, "state").description,
      /^Kicking off…/,
    );
    const later = executionRow(sent, start);
    assert.match(later.description, /^May have started/);
    assert.match(later.facts, /:runAgain\b/);
  });

  it("shows no unanswered feedback after the end", () => {
    const sent = anApproval("unanswered");
    for (const outcome of ["sending", "unanswered"] as const) {
      const row = executionRow(
        notWaiting({ state: "completed", output: "x", resumes: [{ ...sent, outcome }] }),
        start,
      );
      assert.doesNotMatch(row.description, /feedback/);
      assert.deepEqual(menusOf(row.facts), ["ended", "output"]);
    }
  });

  it("shows a failed status request on the row, with the remedy in the tooltip", () => {
    const doubt = { short: "crew unreachable", text: "Check the address.", isLasting: false };
    const row = executionRow(notWaiting(), start, { doubt });
    assert.match(row.description, /crew unreachable/);
    assert.ok(row.tooltip.includes("Check the address."));
    assert.doesNotMatch(
      executionRow(notWaiting({ state: "completed" }), start, { doubt }).description,
      /unreachable/,
    );
  });
});

describe("stopping, on an execution's row", () => {
  const now = Date.parse("2026-10-21T12:05:00.000Z");

  it("is offered while its crew is connected", () => {
    const facts = (circumstances: object) => executionRow(notWaiting(), now, circumstances).facts;
    assert.match(facts({ canStop: true }), /:stop\b/);
    assert.doesNotMatch(facts({ canStop: true, isInterrupted: true }), /:stop\b/);
  });

  it("is shown until the status says that it ended", () => {
    const stop = { at: "2026-10-21T12:03:00.000Z", outcome: "answered" } as const;
    const text = (more: object) => executionRow(notWaiting({ stop, ...more }), now).description;
    assert.match(text({}), /stopping…/);
    assert.doesNotMatch(text({ state: "stopped" }), /stopping/);
    assert.match(text({ stop: { ...stop, outcome: "unanswered" } }), /· request to stop may have/);
  });
});

describe("an execution's row in any group", () => {
  const second = anExecution({ waiting: { ...anExecution().waiting!, attempt: 2 } });

  it("names the waiting task and its attempt in the tooltip and to screen readers", () => {
    const row = executionRow(second, start);
    assert.match(row.sentence, /Waiting for you at task review, attempt 2/);
    assert.ok(row.tooltip.includes("Waiting for you at task review, attempt 2"));
  });

  it("omits what its group says, and names the crew if the group doesn't", () => {
    const description = (group: "crew" | "day") =>
      executionRow(notWaiting(), start + 130_000, {}, group).description;
    assert.equal(description("crew"), "Running · 1/3 · 2 min");
    assert.equal(description("day"), "Running · 1/3 · 2 min · Writers");
    assert.equal(
      executionRow(second, start + 130_000, {}, "waiting").description,
      "review, attempt 2 · 1/3 · 2 min · Writers",
    );
    assert.equal(
      executionRow(notWaiting({ state: "failed", error: "No." }), start, {}, "state").description,
      "1/3 · Writers",
    );
    assert.equal(
      executionRow(notWaiting({ state: "unknown", stateText: "HIBERNATING" }), start, {}, "state")
        .description,
      "HIBERNATING · 1/3 · Writers",
    );
    assert.match(
      executionRow(second, start, {}, "waiting").sentence,
      /^Sea otters, Waiting for you at task review, attempt 2, .*Crew: Writers$/,
    );
  });

  it("says why what it does isn't known, without a spinner", () => {
    const doubt = { short: "not watched: token refused", text: "No.", isLasting: true };
    const row = executionRow(notWaiting(), start, { doubt });
    for (const text of [row.description, row.sentence, ...row.tooltip.slice(3, 4)])
      assert.ok(text.includes(doubt.short), text);
    const task = { taskId: "review", state: "running", attempts: [] } as const;
    assert.match(taskRow(task, notWaiting(), { doubt }).description, /Last seen running/);
    for (const { icon } of [row, taskRow(task, notWaiting(), { doubt })])
      assert.equal(icon.id, "eye-closed");
    assert.doesNotMatch(
      executionRow(notWaiting({ state: "completed" }), start, { doubt }).description,
      /not watched/,
    );
  });

  it("is interrupted, not running, until a person decides about it", () => {
    const history = [{ at: new Date(start + 90_000).toISOString(), state: "running" }] as const;
    const doubt = { short: "continue or discard it", text: "Interrupted.", isLasting: true };
    const circumstances = { isInterrupted: true, canStop: true, doubt };
    const row = executionRow(notWaiting({ history }), start + 3_600_000, circumstances);
    assert.match(row.description, /^Interrupted · 1\/3 · 1 min 30 s( ·|$)/);
    assert.match(row.facts, /^execution\b(?!.*:stop\b).*:continueExecution:discardExecution\b/);
    assert.match(row.sentence, /^Sea otters, Interrupted, .*continue or discard it/);
    const running = { taskId: "review", state: "running", attempts: [] } as const;
    const task = taskRow(running, notWaiting(), circumstances);
    assert.match(task.description, /^Interrupted/);
    const queued = executionRow(notWaiting({ state: "queued" }), start, circumstances);
    for (const { icon } of [row, task, queued]) assert.equal(icon.id, "warning");
  });

  it("says that it is pinned, and offers to unpin it", () => {
    const row = executionRow(notWaiting({ pinned: true }), start);
    assert.match(row.description, / · pinned( ·|$)/);
    assert.match(row.sentence, /, pinned$/);
    assert.match(row.facts, /:pinned\b/);
    assert.doesNotMatch(executionRow(notWaiting(), start).facts, /pinned/);
  });

  it("shows inputs and error in the tooltip, shortened to one line each", () => {
    const inputs = {
      topic: "Sea\notters",
      long: "x".repeat(500),
      list: ["a", 1],
      four: "",
      five: "5",
      six: "6",
    };
    const { tooltip } = executionRow(
      notWaiting({ state: "failed", error: "It\nbroke.", request: { inputs, callbacks: {} } }),
      start,
    );
    assert.ok(
      tooltip.includes("topic: Sea otters") &&
        tooltip.includes('list: ["a",1]') &&
        tooltip.includes("and 2 more inputs") &&
        tooltip.includes("Error: It broke."),
      tooltip.join("|"),
    );
    assert.ok(tooltip.every((line) => line.length <= 90 && !line.includes("\n")));
  });
});

describe("the row below a crew without executions", () => {
  it("says what to do, and that it starts a stopped local crew", () => {
    assert.equal(hintRow().label, "Kick off…");
    assert.equal(hintRow(true).label, "Start and kick off…");
  });
});

describe("a task's row", () => {
  it("shows its state, its attempt and its agent", () => {
    const task = {
      taskId: "review",
      agent: "Editor",
      state: "waiting",
      attempts: [
        { number: 1, output: "a" },
        { number: 2, output: "b" },
      ],
    } as const;
    const row = taskRow(task, anExecution({ tasks: [task] }));
    assert.equal(row.description, "Waiting for you · attempt 2 · Editor");
    assert.equal(row.sentence, "Task review, Waiting for you, attempt 2, Editor");
    assert.deepEqual(menusOf(row.facts), ["approve", "reject", "output"]);
    assert.deepEqual(
      menusOf(
        taskRow({ ...task, taskId: "other", state: "running", attempts: [] }, anExecution()).facts,
      ),
      [],
    );
  });

  it("offers to run again from it once a local execution waits or has ended, never a deployed one", () => {
    const task = { taskId: "draft", state: "completed", attempts: [] } as const;
    const local = { id: "local:file:///c", name: "Writers", url: "http://127.0.0.1:1" };
    const request = { inputs: {}, callbacks: {} };
    const offers = (changes: Partial<Execution>) =>
      taskRow(task, anExecution({ tasks: [task], crew: local, request, ...changes }))
        .facts.split(":")
        .includes("again");
    assert.deepEqual(
      [
        offers({ state: "waiting" }),
        ...(["completed", "failed", "stopped"] as const).map((state) => offers({ state })),
      ],
      [true, true, true, true],
    );
    assert.equal(offers({ state: "running" }), false);
    assert.equal(offers({ state: "completed", crew: anExecution().crew }), false);
  });
});

describe("a crew's names in a row", () => {
  const name = "evil\n\u001b[31m\u202ename ".repeat(3_000);
  const task = {
    taskId: name,
    agent: name,
    state: "waiting",
    attempts: [{ number: 1 }, { number: 2, output: "b" }],
  } as const;
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
    for (const text of messages) {
      assert.match(text ?? "", /^[^\p{Cc}\u202e]{20,400}$/u);
    }
  });
});
