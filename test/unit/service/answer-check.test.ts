import assert from "node:assert/strict";
import { mismatches } from "../../../src/service/requests.ts";
import { answerProblems } from "../../support/answer-check.ts";

type Answer = Parameters<typeof answerProblems>[0];

const problemsOf = (answer: Partial<Answer>) =>
  answerProblems({
    ...{ method: "GET", path: "/inputs", status: 200, contentType: "application/json" },
    body: {},
    ...answer,
  });

describe("service: the validation of its responses", () => {
  it("accepts valid responses", () => {
    const body = { error: "e", message: "m", details: {}, detail: "d" };
    const text = { contentType: "text/plain", body: "Internal Server Error" };
    for (const answer of [
      { body: { inputs: ["a"] } },
      ...["/x/status", "/status/x", "/elsewhere"].map((path) => ({ path, status: 404, body })),
      { method: "POST", path: "/kickoff", status: 500, ...text },
    ])
      assert.deepEqual(problemsOf(answer), []);
  });

  it("reports a wrong type, a missing or additional member, and an undescribed status or content type", () => {
    const kickoff = { method: "POST", path: "/kickoff" };
    const refusal = { method: "POST", path: "/resume", status: 400 };
    const wrong: [Partial<Answer>, RegExp][] = [
      [{ body: { inputs: [1] } }, /\/inputs\/0 must be string/],
      [{}, /required property 'inputs'/],
      [{ body: { inputs: [], more: 1 } }, /additional properties/],
      [{ status: 302 }, /302: this status is not described/],
      [{ contentType: "text/html", body: "" }, /text\/html is not described/],
      [{ ...kickoff, body: { kickoff_id: "1" } }, /format "uuid"/],
      [{ path: "/x/status", body: { status: "waiting" } }, /oneOf/],
      [{ ...refusal, body: { error: "e", message: "m" } }, /oneOf/],
    ];
    for (const [answer, problem] of wrong) assert.match(problemsOf(answer).join("\n"), problem);
  });

  it("names an invalid member once", () => {
    const problems = mismatches("/components/schemas/KickoffRequest", {
      inputs: {},
      crewWebhookUrl: "mailto:a@b",
    });
    assert.deepEqual(
      problems.map(({ path }) => path),
      [["crewWebhookUrl"]],
    );
    assert.throws(() => mismatches("/components/schemas/Nothing", {}), /no schema/);
  });
});
