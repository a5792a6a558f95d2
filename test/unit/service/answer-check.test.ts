import assert from "node:assert/strict";
import { mismatches } from "../../../src/service/requests.ts";
import { answerProblems } from "../../support/answer-check.ts";

const json = "application/json";

describe("service: the validation of its responses", () => {
  it("accepts valid responses", () => {
    assert.deepEqual(
      answerProblems({
        method: "GET",
        path: "/inputs",
        status: 200,
        contentType: json,
        body: { inputs: ["a"] },
      }),
      [],
    );
    const error = { error: "e", message: "m", details: {}, detail: "d" };
    for (const path of ["/x/status", "/status/x", "/elsewhere"]) {
      assert.deepEqual(
        answerProblems({ method: "GET", path, status: 404, contentType: json, body: error }),
        [],
      );
    }
    assert.deepEqual(
      answerProblems({
        method: "POST",
        path: "/kickoff",
        status: 500,
        contentType: "text/plain",
        body: "Internal Server Error",
      }),
      [],
    );
  });

  it("reports a wrong type, a missing or additional member, and an undescribed status or content type", () => {
    const wrong: [Parameters<typeof answerProblems>[0], RegExp][] = [
      [
        { method: "GET", path: "/inputs", status: 200, contentType: json, body: { inputs: [1] } },
        /\/inputs\/0 must be string/,
      ],
      [
        { method: "GET", path: "/inputs", status: 200, contentType: json, body: {} },
        /required property 'inputs'/,
      ],
      [
        {
          method: "GET",
          path: "/inputs",
          status: 200,
          contentType: json,
          body: { inputs: [], more: 1 },
        },
        /additional properties/,
      ],
      [
        { method: "GET", path: "/inputs", status: 302, contentType: json, body: {} },
        /302: this status is not described/,
      ],
      [
        { method: "GET", path: "/inputs", status: 200, contentType: "text/html", body: "" },
        /text\/html is not described/,
      ],
      [
        {
          method: "POST",
          path: "/kickoff",
          status: 200,
          contentType: json,
          body: { kickoff_id: "1" },
        },
        /format "uuid"/,
      ],
      [
        {
          method: "GET",
          path: "/x/status",
          status: 200,
          contentType: json,
          body: { status: "waiting" },
        },
        /oneOf/,
      ],
      [
        {
          method: "POST",
          path: "/resume",
          status: 400,
          contentType: json,
          body: { error: "e", message: "m" },
        },
        /oneOf/,
      ],
    ];
    for (const [answer, problem] of wrong) assert.match(answerProblems(answer).join("\n"), problem);
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
