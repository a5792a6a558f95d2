import assert from "node:assert/strict";
import { adviceFrom } from "../../../src/kickoff/form/hints.ts";
import { ProjectError, type ProjectProblem } from "../../../src/projects/types.ts";

describe("What a kickoff form says of a project's files", () => {
  const at = (line: number) => ({ file: "config/tasks.yaml", line, column: 3 });
  const problem = (kind: ProjectProblem["kind"], line: number): ProjectProblem => ({
    kind,
    error: new ProjectError(`Problem ${line}.`, "better.", at(line)),
  });

  it("is a note of warnings, with the first one's place", () => {
    assert.deepEqual(adviceFrom([problem("unused", 1), problem("warning", 2)]), {
      text: "1 note about this project's files: config/tasks.yaml:2:3: Problem 2. Expected: better.",
      at: at(2),
    });
    assert.equal(
      adviceFrom([problem("warning", 2), problem("warning", 3)])?.text,
      "2 notes about this project's files. The first: config/tasks.yaml:2:3: Problem 2. Expected: better.",
    );
  });

  it("is first what Python may refuse, and nothing of what only has no effect", () => {
    assert.deepEqual(adviceFrom([problem("warning", 1), problem("error", 2)]), {
      text: "The crew's Python may refuse this: config/tasks.yaml:2:3: Problem 2. Expected: better. (1 more)",
      at: at(2),
    });
    assert.equal(adviceFrom([problem("unused", 1)]), undefined);
  });
});
