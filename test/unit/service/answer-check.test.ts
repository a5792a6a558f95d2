import assert from "node:assert/strict";
import { answerProblems } from "../../support/answer-check.ts";

describe("service: the validation of its responses", () => {
  const valid = { method: "GET", path: "/inputs", status: 200, contentType: "application/json" };
  const error = { error: "e", message: "m", details: {}, detail: "d" };
  for (const [answer, problem] of [
    [{ body: { inputs: ["a"] } }, /^$/],
    [{ path: "/elsewhere", status: 404, body: error }, /^$/],
    [{ body: { inputs: [1] } }, /\/inputs\/0 must be string/],
    [{ body: {} }, /required property 'inputs'/],
    [{ body: { inputs: [], more: 1 } }, /additional properties/],
    [{ status: 302 }, /302: this status is not described/],
    [{ contentType: "text/html", body: "" }, /text\/html is not described/],
    [{ path: "/x/status", body: { status: "waiting" } }, /oneOf/],
  ] as const)
    it(`says of ${JSON.stringify(answer)}: ${problem.source}`, () =>
      assert.match(answerProblems({ ...valid, body: {}, ...answer }).join("\n"), problem));
});
