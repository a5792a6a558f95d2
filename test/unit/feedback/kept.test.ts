import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import type { StatusReading } from "../../../src/api/types.ts";
import { Intents } from "../../../src/sending/sends.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { FeedbackSender } from "../../../src/sending/feedback.ts";
import { renderExecution } from "../../../src/views/document/render.ts";
import { noSecrets } from "../../support/secret-memory.ts";
import { anExecution } from "../views/executions.ts";

/** A crew's answer while an attempt waits. */
const waits = (attempt: number, output: string): StatusReading => ({
  state: "waiting",
  stateText: "running",
  ended: false,
  tasks: [],
  waiting: { taskId: "review", output, attempt },
  raw: {},
});

describe("attempts and the words between them", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "crewdeck-attempts-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function openStore(): Promise<ExecutionStore> {
    const store = new ExecutionStore({
      folder: join(folder, "executions"),
      clock: systemClock,
      onProblem: (message, error) => assert.fail(`${message} ${String(error)}`),
    });
    await store.open();
    return store;
  }

  it("stay readable after a restart, each rejected one with the feedback that caused the next", async () => {
    const store = await openStore();
    await store.add(anExecution());
    for (const [attempt, words, next] of [
      [1, "Shorter.", "Second draft."],
      [2, "Funnier.", "Third draft."],
    ] as const) {
      const execution = store.find("local-1");
      assert.ok(execution);
      const client = {
        status: () => Promise.resolve(waits(attempt, execution.waiting?.output ?? "")),
        resume: () => Promise.resolve({ status: "retrying" as const, raw: {} }),
      };
      const sender = new FeedbackSender({
        store,
        intents: new Intents(join(folder, "intents")),
        secrets: noSecrets,
        clock: systemClock,
        clientFor: () => client,
        poll: () => undefined,
        onProblem: (message) => assert.fail(message),
      });
      await sender.send({ execution, taskId: "review", isApprove: false, text: words });
      await store.update("local-1", (known) =>
        applyReading(known, waits(attempt + 1, next), systemClock.now()),
      );
    }
    store.dispose();

    const again = await openStore();
    const kept = again.find("local-1");
    again.dispose();
    assert.ok(kept);
    const { text } = renderExecution(kept);
    const inOrder = [
      "### Attempt 1",
      "Text.",
      "Your feedback: rejected",
      "> Shorter.",
      "### Attempt 2",
      "Second draft.",
      "Your feedback: rejected",
      "> Funnier.",
      "### Attempt 3",
      "Third draft.",
    ];
    let at = 0;
    for (const words of inOrder) {
      at = text.indexOf(words, at);
      assert.ok(at >= 0, `${words} in ${text}`);
    }
  });
});
