import assert from "node:assert/strict";
import { offer, UserError } from "../../../src/base/errors.ts";
import type { ExecutionSummary } from "../../../src/executions/model.ts";
import { doubtOf } from "../../../src/views/doubt.ts";
import { untilItMatters } from "../../../src/actions/execution-data.ts";
import { anExecution, failure, working } from "../executions/samples.ts";
import { Scene } from "../executions/poller-support.ts";

const running = anExecution({ state: "running" });
const { localId } = running;

describe("The doubt about an execution", () => {
  let scene: Scene;
  let crew: Parameters<typeof doubtOf>[1];
  const doubt = (execution: ExecutionSummary = running) => doubtOf(execution, crew, scene.poller);

  beforeEach(() => {
    crew = {};
    scene = new Scene(() => working("a", 0));
    scene.store.put(running);
  });
  afterEach(() => scene.poller.dispose());

  /** Asks the crew, which answers so; returns the doubt. */
  const asked = async (answer: ReturnType<Scene["answer"]>) => {
    scene.answer = () => answer;
    await scene.poller.pollNow(localId);
    return doubt();
  };

  it("is undefined while the crew answers, and ends with its next answer", async () => {
    assert.equal(await asked(working("a", 0)), undefined);
    assert.equal((await asked(failure("timeout")))?.isLasting, false);
    assert.equal(await asked(working("a", 0)), undefined);
  });

  it("is a refused token, with its remedy: a tool that waits for the execution ends at once, and each call sends one request", async () => {
    assert.deepEqual(await asked(failure("unauthorized")), {
      short: "not watched: token refused",
      text: "unauthorized Do something. This is the last known state.",
      isLasting: true,
    });
    scene.seconds();
    const { store, clock, poller } = scene;
    for (const call of [1, 2]) {
      await scene.poller.pollNow(localId);
      const circumstances = { of: (each: ExecutionSummary) => ({ doubt: doubt(each) }) };
      const { signal } = new AbortController();
      await untilItMatters({ store, clock, poller, circumstances }, localId, 120_000, signal);
      assert.equal(scene.seconds().length, 1, `call ${call}`);
    }
  });

  it("is a reason not to send a request, if it isn't the person's without details", async () => {
    for (const [error, message] of [
      [new UserError("There is no token for Writers."), /^There is no token for Writers/],
      [new Error("ENOSPC: /home/me"), /^The state could not be requested, .* See Crewdeck's log/],
    ] as const)
      assert.match((await asked(error))?.text ?? "", message);
  });

  it("needs another token, if the error of a deployed crew offers to set one", async () => {
    const refused = failure("unauthorized");
    scene.answer = () => refused;
    await scene.poller.pollNow(localId);
    assert.equal(doubt()?.needsToken, undefined);
    offer(refused, [{ title: "Set Token", command: "crewdeck.setToken" }]);
    assert.equal(doubt()?.needsToken, true);
    crew = { local: { ...local, running: true } };
    assert.equal(doubt()?.needsToken, undefined);
  });

  const { kickoffIds: interrupted } = running;
  const local = { folder: "file:///crew", engine: "rehearsal", running: false } as const;
  for (const { what, connected = {}, answer, text, ends = true } of [
    { what: "a right that the token lacks", answer: failure("forbidden"), text: /^forbidden/ },
    {
      what: "an unreachable crew",
      answer: failure("unreachable"),
      text: /^unreachable Do something\. This is the last known state\.$/,
      ends: false,
    },
    {
      what: "a local crew that is starting",
      connected: { local: { ...local, starting: true } },
      text: /^The local crew “Writers” is starting\./,
      ends: false,
    },
    { what: "a crew that was removed", connected: null, text: /^“Writers” is not connected\./ },
    {
      what: "a local crew that is stopped",
      connected: { local },
      text: /^The local crew “Writers” is stopped\. Start it to continue\. /,
    },
    {
      what: "an execution that a restart interrupted",
      connected: { local: { ...local, running: true, interrupted } },
      text: /^It was interrupted, and nothing runs now\. Continue it, which repeats what was interrupted and can cost money, or discard it\./,
    },
  ]) {
    it(`is ${what}: waiting ${ends ? "ends" : "continues"}`, async () => {
      crew = connected ?? undefined;
      const { text: why = "", isLasting } = (await asked(answer ?? working("a", 0))) ?? {};
      assert.match(why, text);
      assert.equal(isLasting, ends);
    });
  }

  it("is undefined for one that has ended, and for a kickoff whose ID never came", () => {
    crew = undefined;
    assert.equal(doubt(anExecution({ state: "completed" })), undefined);
    assert.equal(doubt(anExecution({ state: "unconfirmed", kickoffIds: [] })), undefined);
  });
});
