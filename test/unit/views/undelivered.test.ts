import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { receiverAddress } from "../../../src/base/loopback.ts";
import type { Execution, SentKickoff } from "../../../src/executions/model.ts";
import { readExecution, readSummary, writeExecution } from "../../../src/executions/record.ts";
import { renderExecution } from "../../support/rendered.ts";
import { anExecution, notWaiting } from "./executions.ts";

const error = "The receiver answered 500.";
const failed = { kind: "task", count: 2, attempts: 3, error };

describe("callbacks that have not arrived", () => {
  const lineOf = (undelivered: Execution["undelivered"], rest: Partial<Execution> = {}) => {
    const execution = undelivered ? { ...rest, undelivered } : rest;
    return renderExecution(notWaiting(execution))
      .text.split("\n")
      .find((line) => line.includes("arrived"));
  };

  it("are one line in the document, which is gone when they have arrived", () => {
    const text = "2 callbacks have not arrived: task (3 attempts: The receiver answered 500).";
    assert.equal(lineOf([failed]), text);
    assert.equal(lineOf(undefined), undefined);
    assert.equal(lineOf([failed], { state: "completed", output: "Done" }), text);
  });

  it("are named by kind, with those that were given up", () => {
    assert.equal(
      lineOf([
        { kind: "human_input", count: 1, attempts: 1, error: "connect ECONNREFUSED 127.0.0.1:1" },
        { kind: "events", count: 30, attempts: 12, isGivenUp: true },
      ]),
      "31 callbacks have not arrived: human input (1 attempt: connect ECONNREFUSED 127.0.0.1:1), events (given up after 12 attempts).",
    );
    assert.equal(
      lineOf([{ ...failed, count: 1, attempts: 1 }]),
      "1 callback has not arrived: task (1 attempt: The receiver answered 500).",
    );
  });

  it("are not named before their first attempt has failed", () => {
    assert.equal(lineOf([{ kind: "crew", count: 1, attempts: 0 }]), undefined);
  });

  it("are not named while no window received them here, which is no fault", () => {
    const own = receiverAddress(3000, randomBytes(32).toString("base64url"));
    const other = "http://127.0.0.1:3000/hook";
    const error = "connect ECONNREFUSED 127.0.0.1:3000";
    const undelivered = [
      { kind: "task", count: 1, attempts: 3, error },
      { kind: "human_input", count: 1, attempts: 3, error },
    ];
    const sent = (callbacks: SentKickoff["callbacks"]) => ({ request: { inputs: {}, callbacks } });
    const both = sent({ taskWebhookUrl: own, humanInputWebhookUrl: own });
    assert.equal(lineOf(undelivered, both), undefined);
    assert.match(lineOf([{ ...failed, error: "The receiver answered 500." }], both) ?? "", /^2 /);
    const mixed = sent({ taskWebhookUrl: other, humanInputWebhookUrl: own });
    assert.equal(
      lineOf(undelivered, mixed),
      `1 callback has not arrived: task (3 attempts: ${error}).`,
    );
  });

  it("can't write Markdown", () => {
    const line = lineOf([{ ...failed, kind: "*new*", error: "[x](command:y) <b>" }]);
    assert.match(line ?? "", /^2 callbacks have not arrived: \\\*new\\\* \(3 attempts: /);
    assert.doesNotMatch(line ?? "", /[^\\][[<]/);
  });

  it("are stored with the execution and in its summary", () => {
    const execution = anExecution({ undelivered: [failed] });
    const texts = writeExecution(execution);
    assert.deepEqual(readExecution(texts).undelivered, [failed]);
    assert.deepEqual(readSummary(texts.summary).undelivered, [failed]);
  });
});
