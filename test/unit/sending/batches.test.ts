import assert from "node:assert/strict";
import { UserError } from "../../../src/base/errors.ts";
import type { KickoffRequest } from "../../../src/api/types.ts";
import { newExecution } from "../../../src/executions/reduce.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { Batches, mostAtOnce } from "../../../src/sending/batches.ts";
import { type KickoffOptions, MaybeStartedError } from "../../../src/sending/kickoff.ts";
import { waitFor } from "../../support/wait.ts";
import { crew } from "../kickoff/support.ts";
import { type Window, Windows } from "./window.ts";

describe("A batch", () => {
  let window: Window;
  let sent: string[];
  /** Throws what the crew answers to a topic. */
  let refuse: (topic: string) => void;
  let batches: Batches;
  let answers: unknown[];

  beforeEach(() => {
    window = new Windows().open();
    [sent, answers, refuse] = [[], [], () => undefined];
    batches = new Batches({
      store: window.store,
      log: { problem: (doing, error) => assert.fail(`${doing} ${String(error)}`) },
      sending: {
        giveFeedback({ taskId, isApprove, text }) {
          answers.push([taskId, isApprove, text]);
          return Promise.resolve({ status: "resumed", message: "" });
        },
        send: async (to, request: KickoffRequest, { batch }: KickoffOptions = {}) => {
          const topic = JSON.stringify(request.inputs["topic"]).slice(1, -1);
          sent.push(topic);
          refuse(topic);
          const kickoffId = `k ${topic}`;
          const started = {
            crew: to,
            request,
            origin: "kickoff",
            kickoffId,
            ...(batch && { batch }),
          } as const;
          return await Promise.resolve(window.store.add(newExecution(started, systemClock)));
        },
      },
    });
  });
  afterEach(() => batches.dispose());

  const start = (count: number) =>
    batches.start(
      crew,
      "Teas",
      Array.from({ length: count }, (_, at) => ({
        label: `row ${at}`,
        request: { inputs: { topic: `t${at}` } },
      })),
    );
  const end = (topic: string) => {
    const { localId } = window.store.summary(`k ${topic}`)!;
    window.store.update(localId, (execution) => ({ ...execution, state: "completed" }));
  };
  const untilRests = (id: string) =>
    waitFor("the batch to stop", () => !batches.find(id)!.isSending);

  it("starts so many executions at a time, and the next when one has ended or waits", async () => {
    const id = start(mostAtOnce + 2);
    await waitFor("the first ones", () => sent.length === mostAtOnce);
    assert.equal(batches.find(id)!.left.length, 2);
    end("t3");
    await waitFor("one more", () => sent.length === mostAtOnce + 1);
    const { localId } = window.store.summary("k t4")!;
    window.store.update(localId, (execution) => ({ ...execution, state: "waiting" }));
    await untilRests(id);
    const cells = window.store.list().map(({ batch }) => batch!.row);
    assert.deepEqual(
      cells.toSorted((one, other) => one - other),
      Array.from({ length: mostAtOnce + 2 }, (_, at) => at + 1),
    );
  });

  it("answers outputs as its row says, each once, and approves others", async () => {
    const said = { outline: [{ reject: "Shorter." }] };
    const row = { label: "a row", request: { inputs: { topic: "t" } }, answers: said };
    batches.start(crew, "Teas", [row, { label: "by hand", request: { inputs: { topic: "u" } } }]);
    await waitFor("the kickoffs", () => sent.length === 2);
    const wait = (topic: string, taskId: string, attempt: number) => {
      const { localId } = window.store.summary(`k ${topic}`)!;
      const waiting = { taskId, attempt, output: "A draft.", since: "2026-01-01T00:00:00Z" };
      window.store.update(localId, (execution) => ({ ...execution, state: "waiting", waiting }));
    };
    wait("u", "outline", 1);
    wait("t", "outline", 1);
    const { localId } = window.store.summary("k t")!;
    window.store.update(localId, (execution) => ({ ...execution, stateText: "again" }));
    wait("t", "text", 1);
    assert.deepEqual(answers, [
      ["outline", false, "Shorter."],
      ["text", true, "Approved."],
    ]);
  });

  it("sends nothing more after a stop, also of a row that waits for room, until it is continued", async () => {
    const id = start(mostAtOnce + 1);
    await waitFor("the first ones", () => sent.length === mostAtOnce);
    batches.stop(id);
    end("t0");
    await untilRests(id);
    assert.equal(sent.length, mostAtOnce);
    batches.goOn(id);
    await untilRests(id);
    assert.equal(sent.length, mostAtOnce + 1);
  });

  it("stops at a problem; what may have started is not sent again", async () => {
    refuse = (topic) => {
      if (topic === "t1") throw new UserError("No credit.");
      if (topic === "t2") throw new MaybeStartedError("It may have started.", undefined);
    };
    const id = start(4);
    await untilRests(id);
    assert.deepEqual([sent, batches.find(id)!.problem], [["t0", "t1"], "No credit."]);
    refuse = (topic) => {
      if (topic === "t2") throw new MaybeStartedError("It may have started.", undefined);
    };
    batches.goOn(id);
    await untilRests(id);
    assert.match(batches.find(id)!.problem!, /^It may have started\./);
    batches.goOn(id);
    await untilRests(id);
    assert.deepEqual(sent, ["t0", "t1", "t1", "t2", "t3"]);
  });
});
