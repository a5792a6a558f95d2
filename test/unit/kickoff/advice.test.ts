import assert from "node:assert/strict";
import { adviceFrom } from "../../../src/kickoff/form/hints.ts";
import { ProjectError } from "../../../src/projects/types.ts";

describe("What a kickoff form says of a project's files", () => {
  it("is what Python may refuse, with the first one's place", () => {
    const at = { file: "config/tasks.yaml", line: 2, column: 3 };
    const text = "The crew's Python may refuse this: config/tasks.yaml:2:3: Problem.";
    const problem = new ProjectError("Problem.", at);
    assert.deepEqual(adviceFrom([problem]), { text, at });
    assert.deepEqual(adviceFrom([problem, problem]), { text: `${text} (1 more)`, at });
    assert.equal(adviceFrom([]), undefined);
  });
});
