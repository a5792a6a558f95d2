import assert from "node:assert/strict";
import { activityOf } from "../../../../src/executions/activity.ts";
import { withTimes } from "../../../../src/executions/times.ts";
import type { ActivityEvent } from "../../../../src/api/types.ts";
import type { Execution } from "../../../../src/executions/model.ts";
import { bundleName, bundleOf } from "../../../../src/views/export/bundle.ts";
import { recordedExecution } from "../../../support/recorded-execution.ts";
import { anExecution, aTask, notWaiting } from "../executions.ts";

function filesOf(given: Execution, events: readonly ActivityEvent[] = []) {
  const kept = { events, left: 0 };
  const execution = events.length === 0 ? given : withTimes(given, activityOf(given, kept));
  const prices = [{ pattern: "*", input: 1_000, output: 10_000 }];
  const now = Date.parse("2026-11-22T01:00:00.000Z");
  const files = bundleOf(execution, activityOf(execution, kept), { prices }, now);
  return new Map(files.map(({ path, text }) => [path, text]));
}

describe("An execution as a Markdown folder", () => {
  it("has the document with times, tokens and cost, the outputs and the timeline", () => {
    const { execution, events } = recordedExecution();
    const files = filesOf(execution, events);
    const paths = [...files.keys()];
    assert.deepEqual(paths, [
      "execution.md",
      "timeline.svg",
      "result.md",
      "outputs/01-research_task.md",
      "outputs/02-write_task.json",
    ]);
    assert.equal(files.get("result.md"), "A trip to Oslo.");
    assert.deepEqual(JSON.parse(files.get("outputs/02-write_task.json")!), { city: "Oslo" });
    assert.match(files.get("timeline.svg")!, /^<svg [^]*research_task[^]*<\/svg>\n$/);
    const document = files.get("execution.md")!;
    assert.match(document, /^# Sea otters\n/);
    assert.match(document, /\nCompleted · .*2 s\n\n!\[Timeline\]\(timeline\.svg\)\n/);
    assert.match(
      document,
      /\n## Task: research_task\n\nCompleted · .*220 tokens \(200 in, 20 out\)/,
    );
  });

  it("links each file that it has, and no other", () => {
    const { execution, events } = recordedExecution();
    const files = filesOf(execution, events);
    const links = [...files.get("execution.md")!.matchAll(/\]\(([^)]+)\)/g)].map(
      ([, link = ""]) => link,
    );
    const sorted = links.sort();
    assert.deepEqual(sorted, [...files.keys()].filter((path) => path !== "execution.md").sort());
  });

  it("has each attempt with the feedback on it", () => {
    const [research] = anExecution().tasks;
    const feedback = { isApprove: false, text: "Shorter, please.", at: "2026-10-21T12:02:00.000Z" };
    const files = filesOf(
      notWaiting({
        state: "completed",
        endedAt: "2026-10-21T12:10:00.000Z",
        tasks: [
          research!,
          aTask(
            "re/view: it",
            "completed",
            { output: "# Long draft", feedback },
            { output: "# Draft" },
          ),
        ],
      }),
    );
    assert.deepEqual([...files.keys()].slice(2), [
      "outputs/01-research.md",
      "outputs/02-re-view-it.md",
      "outputs/02-re-view-it.attempt-2.md",
    ]);
    assert.match(files.get("execution.md")!, /### Rejected\n\n> Shorter, please\./);
    assert.match(
      files.get("execution.md")!,
      /\n- \[re\/view: it, attempt 2\]\(outputs\/02-re-view-it\.attempt-2\.md\)\n/,
    );
  });

  it("has no callback's address, and links that run a command have no effect", () => {
    const secret = "path-with-a-key";
    const inputs = { topic: "[click](command:workbench.action.quit)" };
    const callbacks = { taskWebhookUrl: `https://hooks.test/${secret}` };
    const files = filesOf(notWaiting({ request: { inputs, callbacks } }));
    assert.ok(![...files.values()].join("\n").includes(secret));
    assert.doesNotMatch(files.get("execution.md")!, /\(command:/);
  });

  it("has file names for every file system", () => {
    assert.deepEqual(
      [
        "a/b\\c:d",
        "../up",
        " tea in  the office ",
        "…",
        "日本 語",
        "a".repeat(99),
        "end.-",
        "Con",
      ].map((label) => bundleName(anExecution({ label }))),
      ["a-b-c-d", "up", "tea-in-the-office", "_", "日本-語", "a".repeat(60), "end", "_Con"],
    );
  });
});
