import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import { noteProblem, recentProblems } from "../../../src/editor/recent-problems.ts";

const kept = (error: unknown) => {
  noteProblem(0, "Trying", error);
  return recentProblems.at(-1)!;
};

describe("The last problems", () => {
  it("are bounded; the oldest are dropped", () => {
    for (let count = 1; count <= 52; count++) noteProblem(count, "Trying", new Error("no"));
    assert.deepEqual([recentProblems.length, recentProblems[0]?.at], [50, 3]);
  });

  it("keep an error's class, kind, status and code, and those of its causes", () => {
    const texts = { message: "secret", remedy: "secret", body: "secret" };
    const failed = new CrewApiError({ kind: "server", status: 503, ...texts });
    assert.equal(kept(failed).error, "CrewApiError server HTTP 503");
    const full = Object.assign(new Error("ENOSPC: no space left on device, open '/home/ada/x'"), {
      code: "ENOSPC",
    });
    assert.equal(kept(new Error("secret", { cause: full })).error, "Error ← Error ENOSPC");
    assert.equal(kept("secret").error, "string");
    const odd = Object.assign(new Error("secret"), {
      name: "my secret",
      kind: "a secret",
      code: "https://secret.test",
    });
    assert.equal(kept(odd).error, "Error");
  });

  it("keep the stack without folders", () => {
    const { frames } = kept(new TypeError("no"));
    assert.match(frames[0]!, /^(Context\.<anonymous> \()?recent-problems\.test\.ts:\d+:\d+\)?$/);
    assert.doesNotMatch(frames.filter((frame) => !frame.includes("node:")).join("\n"), /[/\\]/);
    const windows = Object.assign(new Error("no"), {
      stack:
        "Error: no\n\tat Foo.bar (C:\\Users\\Ada\\dist\\extension.js:1:2)\n    at async file:///home/ada/chunk-1.js:3:4",
    });
    assert.deepEqual(kept(windows).frames, ["Foo.bar (extension.js:1:2)", "chunk-1.js:3:4"]);
  });

  it("keep nothing of an error's message, even if it looks like a frame", () => {
    const message = "Refused\n    at secret (secret.test:1:1)\n    at https://crew.test/secret:1:1";
    for (const error of [
      new Error(message),
      Object.assign(new Error(message), { message: "other" }),
      new Error("other", { cause: new Error(message) }),
    ]) {
      assert.doesNotMatch(JSON.stringify(kept(error)), /secret/);
    }
  });
});
