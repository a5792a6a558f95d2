import assert from "node:assert/strict";
import { notesOf } from "../../../src/views/document/notes.ts";
import { renderExecution } from "../../../src/views/document/render.ts";
import { taskRow } from "../../../src/views/tree/execution-rows.ts";
import { anExecution, at } from "../executions/samples.ts";

describe("the time of a task", () => {
  const attempts = [{ number: 1 }, { number: 2 }];
  const shownFor = (execution: ReturnType<typeof anExecution>) => {
    const [task] = execution.tasks;
    const notes = notesOf(execution, renderExecution(execution), [], at(0));
    return {
      tree: taskRow(task!, execution).tooltip.slice(3),
      document: notes.slice(1).map(({ text }) => text),
    };
  };

  it("and of its waits for a person is the same in the tree and in the document", () => {
    const times = { worked: 12, waited: 70 };
    const task = { taskId: "review", state: "completed", attempts, times } as const;
    assert.deepEqual(shownFor(anExecution({ state: "running", tasks: [task] })), {
      tree: ["12 s", "waited for you: 1 min 10 s"],
      document: ["12 s · waited for you: 1 min 10 s"],
    });
  });

  it("is that of the pauses that were seen, if the crew tells no events", () => {
    const task = { taskId: "review", state: "running", attempts } as const;
    const time = (seconds: number) => new Date(at(seconds)).toISOString();
    const history = [
      { at: time(10), state: "waiting", taskId: "review", attempt: 1 },
      { at: time(75), state: "running", taskId: "review" },
      { at: time(80), state: "waiting", taskId: "review", attempt: 2 },
    ] as const;
    const execution = anExecution({ state: "waiting", tasks: [task], history });
    assert.deepEqual(shownFor(execution), {
      tree: ["waited for you: about 1 min 5 s"],
      document: ["waited for you: about 1 min 5 s"],
    });
  });
});
