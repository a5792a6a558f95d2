import assert from "node:assert/strict";
import { oneLine, shortName } from "../../../src/base/text.ts";
import { readKickoff, readResume } from "../../../src/api/client.ts";
import { readStatus } from "../../../src/api/read-status.ts";
import { json, MisbehavingServer } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf } from "./support.ts";

/** Long text of many lines with terminal colours and direction marks. */
const nasty = "evil\r\n\u001b[31m\u202e\u2066name\u0000".repeat(4_000);
const plain = (text: string, longest: number) => {
  assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\n]/u);
  assert.ok(text.length <= longest, `${text.length} characters`);
};

describe("remote text in one line", () => {
  let server: MisbehavingServer;
  before(async () => (server = await MisbehavingServer.start()));
  after(() => server.stop());

  it("is one line, without control characters and direction marks, and truncated between characters", () => {
    assert.equal(oneLine(" a\r\n\tb\u001b[1mc\u202ed\u200e 👩‍💻 "), "a b [1mcd 👩‍💻");
    assert.equal(oneLine("👍".repeat(20), 10), `${"👍".repeat(9)}…`);
    assert.equal(shortName("review"), "review");
    plain(shortName(nasty), 80);
  });

  it("is short in an error, whichever part of the answer it comes from", async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `name ${at} ${nasty.slice(0, 20)}`);
    const detail = names.map((name) => ({ loc: ["body", name], msg: "Bad", type: "x" }));
    for (const body of [
      { message: "Missing", details: { missing_inputs: [...names, nasty] } },
      { detail: `Missing inputs: ${names.join(", ")}` },
      { message: nasty },
      { detail },
    ]) {
      server.next(json(422, body));
      plain((await errorOf(clientOf(server.url).kickoff({ inputs: {} }))).message, 1_500);
    }
  });

  it("lists the first ten missing inputs and counts the others; a program gets all", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `input${at}`);
    server.next(json(422, { details: { missing_inputs: names } }));
    const error = await errorOf(clientOf(server.url).kickoff({ inputs: {} }));
    assert.equal(
      error.message,
      `The crew needs more inputs: ${names.slice(0, 10).join(", ")} and 2 more.`,
    );
    assert.deepEqual(error.missingInputs, names);
  });

  it("is short for agents, units and states; a task's ID is kept, because it is sent back", () => {
    const reading = readStatus({
      state: nasty,
      progress: { completed: 1, unit: nasty, current: nasty },
      last_executed_task: { task_id: nasty, agent: nasty },
    });
    for (const text of [reading.stateText, reading.progress?.unit, reading.tasks[0]?.agent])
      plain(text ?? assert.fail(), 80);
    assert.equal(reading.tasks[0]?.taskId, nasty);
    assert.equal(reading.progress?.current, nasty);
    plain(readResume({ message: nasty })?.message ?? assert.fail(), 300);
  });
});

describe("a lone surrogate", () => {
  const half = "a\ud800b";
  let server: MisbehavingServer;
  beforeEach(async () => {
    server = await MisbehavingServer.start();
    server.otherwise = json(500, { message: `Not with ${half}` });
  });

  it("in an execution's ID is refused, and nothing is sent", async () => {
    const error = await errorOf(clientOf(server.url).status(half));
    const refused = [error.kind, error.message, server.requests.length];
    assert.deepEqual(refused, ["badRequest", "That isn't a valid execution ID.", 0]);
  });

  it("in an ID from a crew makes it invalid", () => {
    assert.equal(readKickoff({ kickoff_id: half }), undefined);
    assert.equal(readResume({ kickoff_id: half, status: "resumed" })?.kickoffId, undefined);
  });

  it("in an input with a secret's name, or a callback, is sent, and the crew's answer is read", async () => {
    const request = {
      inputs: { api_key: half.repeat(3) },
      taskWebhookUrl: `https://a.test/${half.repeat(20)}`,
    };
    const error = await errorOf(clientOf(server.url).kickoff(request));
    assert.deepEqual([error.kind, error.status, server.requests.length], ["server", 500, 1]);
  });
});
