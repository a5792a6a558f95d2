import assert from "node:assert/strict";
import { CrewClient } from "../../../src/api/client.ts";
import type { KickoffRequest } from "../../../src/api/types.ts";
import type { CrewRef } from "../../../src/executions/model.ts";
import { type FeedbackToSend, sendFeedback } from "../../../src/sending/feedback.ts";
import { sendKickoff } from "../../../src/sending/kickoff.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { senderParts } from "../sending/window.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait.ts";
import { ReceivingWindows, type ReceivingWindow } from "./support.ts";

const inputs = { topic: "tea", audience: "guests" };

for (const dialect of ["documented", "live"] as const)
  describe(`A crew of the local service in the ${dialect} dialect`, () => {
    let service: RunningService;
    let windows: ReceivingWindows;
    let window: ReceivingWindow;

    before(async () => {
      service = await startService({ args: ["--dialect", dialect, "--task-seconds", "0"] });
    });
    after(() => service.stop());

    beforeEach(() => {
      windows = new ReceivingWindows();
      window = windows.open();
    });
    afterEach(async () => {
      const { problems } = windows.windows;
      await windows.close();
      assert.deepEqual(problems, []);
    });

    /** Never polls: all that is known comes by callbacks. */
    function senders() {
      const crews = { client: () => Promise.resolve(new CrewClient(service.url, service.token)) };
      const parts = { ...senderParts(window), addresses: window.callbacks, crews };
      return {
        kickoffs: { send: (to: CrewRef, given: KickoffRequest) => sendKickoff(parts, to, given) },
        feedback: { send: (given: FeedbackToSend) => sendFeedback(parts, given) },
      };
    }

    const crewAt = (id: string): CrewRef => ({ id, name: "Crew", url: service.url });

    async function throughOnePause(crew: CrewRef, typed: object = {}): Promise<string> {
      const { kickoffs, feedback } = senders();
      const { localId } = await kickoffs.send(crew, { inputs, ...typed });
      const find = () => window.store.find(localId)!;
      await waitFor("the pause", () => find().waiting !== undefined);
      const { waiting } = find();
      assert.match(waiting?.output ?? "", /REHEARSAL/);
      const give = { taskId: waiting!.taskId, isApprove: false, text: "Shorter, please." };
      await feedback.send({ execution: find(), ...give });
      await waitFor("the next attempt", () => find().waiting?.attempt === 2);
      assert.match(find().waiting?.output ?? "", /Shorter, please\./);
      await feedback.send({ execution: find(), ...give, isApprove: true, text: "" });
      await waitFor("the end", () => find().state === "completed");
      const { tasks, output, resumes } = find();
      assert.ok(output !== undefined && output !== "");
      await waitFor("all outputs", () =>
        find().tasks.every(({ attempts }) => attempts.at(-1)?.output),
      );
      assert.equal(tasks.find(({ taskId }) => taskId === waiting?.taskId)?.attempts.length, 2);
      assert.deepEqual(
        resumes.map(({ outcome }) => outcome),
        ["answered", "answered"],
      );
      return localId;
    }

    it("tells pauses, outputs and the end on loopback by itself, also after each resume", async () => {
      const localId = await throughOnePause(crewAt("local:file:///crew"));
      await waitFor("the events and steps", () => {
        const types = window.store.events(localId).events.map(({ type }) => type);
        return ["task_completed", "step"].every(
          (wanted) => types.filter((type) => type === wanted).length >= 3,
        );
      });
      assert.deepEqual(window.store.find(localId)?.request?.callbacks, {}, "not as typed ones");
    });

    it("sends callbacks where the person typed an address, and the others here", async () => {
      const receiver = new CallbackReceiver();
      const base = await receiver.start();
      try {
        const { kickoffs, feedback } = senders();
        const typed = { taskWebhookUrl: `${base}/task`, crewWebhookUrl: `${base}/crew` };
        const crew = crewAt("local:file:///crew");
        const { localId } = await kickoffs.send(crew, { inputs, ...typed });
        const find = () => window.store.find(localId)!;
        await waitFor("the pause", () => find().waiting !== undefined);
        const execution = find();
        const give = { taskId: execution.waiting!.taskId, isApprove: true, text: "" };
        await feedback.send({ execution, ...give });
        await waitFor("the end", () => receiver.at("/crew").length > 0);
        await waitFor("all tasks", () => receiver.at("/task").length >= 3);
        assert.equal(receiver.at("/task").length, 3);
        assert.notEqual(find().state, "completed");
      } finally {
        await receiver.stop();
      }
    });
  });
