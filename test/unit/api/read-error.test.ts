import assert from "node:assert/strict";
import { readErrorBody } from "../../../src/api/problems.ts";

describe("the body of an error", () => {
  const table: readonly (readonly [
    what: string,
    body: unknown,
    message: string | undefined,
    missing?: readonly string[],
  ])[] = [
    [
      "documented",
      { error: "Invalid Request", message: "Execution is not in pending human input state" },
      "Execution is not in pending human input state",
    ],
    ["documented, an error alone", { error: "Not Found" }, "Not Found"],
    [
      "documented, missing inputs",
      {
        error: "Validation Error",
        message: "Missing required inputs",
        details: { missing_inputs: ["budget", "a, b"] },
      },
      "Missing required inputs",
      ["budget", "a, b"],
    ],
    [
      "FastAPI's list with objects where words are expected",
      {
        detail: [
          { loc: ["body", { toString: null }, "topic"], msg: "Bad", type: { toString: null } },
          { loc: ["body", "inputs", "topic"], msg: { toString: null }, type: ["missing"] },
        ],
      },
      "body.topic: Bad; body.inputs.topic",
    ],
    ["live, a text", { detail: "Not authenticated" }, "Not authenticated"],
    [
      "live, missing inputs",
      { detail: "Missing inputs: audience, topic" },
      "Missing inputs: audience, topic",
      ["audience", "topic"],
    ],
    [
      "FastAPI's list with missing inputs",
      {
        detail: [
          { loc: ["body", "inputs", "topic"], msg: "Field required", type: "missing" },
          { loc: ["body", "inputs", "n"], msg: "Not a number", type: "int_parsing" },
        ],
      },
      "body.inputs.topic: Field required; body.inputs.n: Not a number",
      ["topic"],
    ],
    ["an error that is an object", { error: { message: "Inner", type: "x" } }, "Inner"],
    ["JSON without a message", { code: 3 }, '{"code":3}'],
    ["a code", { detail: { code: "session_busy", kickoff_id: "k1" } }, "session_busy"],
    ["an error's code", { error: { code: "quota_exceeded" } }, "quota_exceeded"],
    ["a number", { error: { code: 429 } }, '{"error":{"code":429}}'],
    [
      "a list of errors",
      { errors: ["No credit", { message: "Try later" }, { title: "Busy" }] },
      "No credit; Try later; Busy",
    ],
    [
      "a problem (RFC 9457)",
      { type: "about:blank", title: "Out of credit", status: 403 },
      "Out of credit",
    ],
    ["msg", { msg: "Not now" }, "Not now"],
    ["a reason", { ok: false, reason: "Not now" }, "Not now"],
    ["a message's text", { message: { text: "Not now", lang: "en" } }, "Not now"],
    ["an empty detail", { detail: "", error: "Not now" }, "Not now"],
    ["nothing", {}, undefined],
    ["OAuth", { error: "invalid_token", error_description: "It has expired" }, "It has expired"],
    ["a list of problems", [{ loc: ["body", "x"], msg: "Bad" }], "body.x: Bad"],
    ["an empty list", { detail: [] }, '{"detail":[]}'],
  ];
  for (const [what, body, message, missing = []] of table)
    it(`is read: ${what}`, () => {
      const read = readErrorBody(JSON.stringify(body));
      assert.equal(read.message, message);
      assert.deepEqual(read.missingInputs, missing);
    });

  const texts: readonly (readonly [text: string, message: string | undefined])[] = [
    ["Internal Server Error", "Internal Server Error"],
    ["", undefined],
    ["  \r\n ", undefined],
    ["\r\n\r\nFirst\nSecond", "First"],
    [
      "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center></body></html>",
      "502 Bad Gateway",
    ],
    [
      "<!DOCTYPE html><style>body { color: red }</style><script>alert(1)</script><p>Sorry &amp; goodbye &lt;3</p>",
      "Sorry &amp; goodbye &lt;3",
    ],
    ["a\u001b[31mred\u0007", "a [31mred"],
    ["<<<<".repeat(30_000), "<".repeat(299) + "…"],
  ];
  for (const [text, message] of texts)
    it(`is read as ${JSON.stringify(message)} from ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.equal(readErrorBody(text).message, message);
    });

  it("is truncated to one line", () => {
    assert.equal(readErrorBody("x".repeat(1000)).message?.length, 300);
  });

  it("has no missing inputs without a name", () => {
    assert.deepEqual(
      readErrorBody(JSON.stringify({ detail: "Missing inputs: , a,," })).missingInputs,
      ["a"],
    );
  });
});
