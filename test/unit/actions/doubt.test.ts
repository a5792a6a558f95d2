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

  /** Waits as the tool does: one request, then up to two minutes. Returns the seconds of the requests, and whether the wait is over. */
  async function waitAsTheTool(): Promise<{
    readonly seconds: readonly number[];
    readonly isOver: () => boolean;
  }> {
    let isOver = false;
    await scene.poller.pollNow(localId);
    const { store, clock, poller } = scene;
    void untilItMatters(
      { store, clock, poller, circumstances: { of: (each) => ({ doubt: doubt(each) }) } },
      localId,
      120_000,
      new AbortController().signal,
    ).then(() => (isOver = true));
    await scene.pass(60);
    return { seconds: scene.seconds(), isOver: () => isOver };
  }

  it("is undefined while the crew answers, and waiting continues", async () => {
    const { seconds, isOver } = await waitAsTheTool();
    assert.equal(doubt(), undefined);
    assert.ok(seconds.length > 10 && !isOver());
  });

  it("is a refused token, with its remedy: the wait ends at once, and each call sends one request", async () => {
    scene.answer = () => failure("unauthorized");
    for (const call of [1, 2]) {
      const { seconds, isOver } = await waitAsTheTool();
      assert.deepEqual([seconds.length, isOver()], [1, true], `call ${call}`);
    }
    assert.deepEqual(doubt(), {
      short: "not watched: token refused",
      text: "unauthorized Do something. This is the last known state.",
      isLasting: true,
    });
  });

  it("is a token that is refused during the wait, which ends it without another request", async () => {
    const waiting = await waitAsTheTool();
    assert.equal(waiting.isOver(), false);
    scene.answer = () => failure("unauthorized");
    await scene.poller.pollNow(localId);
    await scene.pass(60);
    assert.deepEqual([scene.seconds().length, waiting.isOver()], [1, true]);
  });

  it("is a reason not to send a request, which ends the wait, if it isn't the person's without details", async () => {
    for (const [error, message] of [
      [new UserError("There is no token for Writers."), /^There is no token for Writers/],
      [new Error("ENOSPC: /home/me"), /^The state could not be requested, .* See Crewdeck's log/],
    ] as const) {
      scene.answer = () => working("a", 0);
      const { isOver } = await waitAsTheTool();
      assert.deepEqual([doubt(), isOver()], [undefined, false]);
      scene.answer = () => error;
      await scene.pass(30);
      assert.deepEqual([scene.seconds().length, isOver()], [1, true]);
      assert.match(doubt()?.text ?? "", message);
    }
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
      if (answer !== undefined) scene.answer = () => answer;
      const { isOver } = await waitAsTheTool();
      assert.equal(isOver(), ends);
      const { text: why = "", isLasting } = doubt() ?? {};
      assert.match(why, text);
      assert.equal(isLasting, ends);
    });
  }

  it("ends with the crew's next answer", async () => {
    scene.answer = () => failure("timeout");
    await waitAsTheTool();
    assert.equal(doubt()?.isLasting, false);
    scene.answer = () => working("a", 0);
    await scene.pass(15);
    assert.equal(doubt(), undefined);
  });

  it("is undefined for one that has ended, and for a kickoff whose ID never came", () => {
    crew = undefined;
    assert.equal(doubt(anExecution({ state: "completed" })), undefined);
    assert.equal(doubt(anExecution({ state: "unconfirmed", kickoffIds: [] })), undefined);
  });
});
