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

  it("are one line in the document, by kind, which is gone when they have arrived", () => {
    const text = "Callbacks that have not arrived: 2 × task, The receiver answered 500.";
    assert.equal(lineOf([failed]), text);
    assert.equal(lineOf(undefined), undefined);
    assert.equal(lineOf([failed], { state: "completed", output: "Done" }), text);
    const events = { kind: "human_input", count: 30, attempts: 12, isGivenUp: true } as const;
    assert.equal(lineOf([failed, events]), `${text}; 30 × human input, given up`);
  });

  it("are not named before their first attempt has failed", () => {
    assert.equal(lineOf([{ kind: "crew", count: 1, attempts: 0 }]), undefined);
  });

  it("are not named while no window received them here, which is no fault", () => {
    const own = receiverAddress(3000, randomBytes(32).toString("base64url"));
    const other = "http://127.0.0.1:4000/hook";
    const error = "connect ECONNREFUSED 127.0.0.1:3000";
    const undelivered = [
      { kind: "task", count: 1, attempts: 3, error },
      { kind: "human_input", count: 1, attempts: 3, error },
    ];
    const sent = (callbacks: SentKickoff["callbacks"]) => ({ request: { inputs: {}, callbacks } });
    const both = sent({ taskWebhookUrl: own, humanInputWebhookUrl: own });
    assert.equal(lineOf(undelivered, both), undefined);
    const line = lineOf([{ ...failed, error: "The receiver answered 500." }], both) ?? "";
    assert.match(line, /: 2 × /);
    const mixed = sent({ taskWebhookUrl: other, humanInputWebhookUrl: own });
    const theirs = { ...undelivered[0]!, error: "connect ECONNREFUSED 127.0.0.1:4000" };
    const text = `Callbacks that have not arrived: 1 × task, ${theirs.error}`;
    assert.equal(lineOf([theirs, undelivered[1]!], mixed), text);
  });

  it("can't write Markdown", () => {
    const line = lineOf([{ ...failed, kind: "*new*", error: "[x](command:y) <b>" }]);
    assert.match(line ?? "", /: 2 × \\\*new\\\*, /);
    assert.doesNotMatch(line ?? "", /[^\\][[<]/);
  });

  it("are stored with the execution and in its summary", () => {
    const execution = anExecution({ undelivered: [failed] });
    const texts = writeExecution(execution);
    assert.deepEqual(readExecution(texts).undelivered, [failed]);
    assert.deepEqual(readSummary(texts.summary).undelivered, [failed]);
  });
});
