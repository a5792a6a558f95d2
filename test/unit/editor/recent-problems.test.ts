import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import { kindOf, noteProblem, recentProblems } from "../../../src/editor/recent-problems.ts";

describe("The last problems", () => {
  it("are bounded; the oldest are dropped", () => {
    for (let count = 1; count <= 60; count++) noteProblem(`Trying ${count}`, new Error("no"));
    assert.equal(recentProblems.length, 50);
    assert.match(recentProblems.at(-1) ?? "", /^\d{4}-\S+Z Trying 60 \(Error\)$/);
  });

  it("keep an error's class, kind, status and code, and those of its causes, and nothing of its message", () => {
    const texts = { message: "secret", remedy: "secret", body: "secret" };
    const failed = new CrewApiError({ kind: "server", status: 503, ...texts });
    assert.equal(kindOf(failed), "CrewApiError server HTTP 503");
    const full = Object.assign(new Error("ENOSPC: no space left on device, open '/home/ada/x'"), {
      code: "ENOSPC",
    });
    assert.equal(kindOf(new Error("secret", { cause: full })), "Error ← Error ENOSPC");
    assert.equal(kindOf("secret"), "string");
    const odd = Object.assign(new Error("secret"), {
      name: "my secret",
      kind: "a secret",
      code: "https://secret.test",
    });
    assert.equal(kindOf(odd), "Error");
  });
});
