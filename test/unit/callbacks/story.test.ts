import assert from "node:assert/strict";
import { CrewClient } from "../../../src/api/client.ts";
import { sendFeedback } from "../../../src/sending/feedback.ts";
import { sendKickoff } from "../../../src/sending/kickoff.ts";
import { senderParts } from "../sending/window.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait.ts";
import { ReceivingWindows } from "./support.ts";

const inputs = { topic: "tea", audience: "guests" };

for (const dialect of ["documented", "live"] as const)
  describe(`A crew of the local service in the ${dialect} dialect`, () => {
    it("tells pauses, outputs and the end on loopback by itself, also after each resume", async () => {
      const service = await startService({ args: ["--dialect", dialect, "--task-seconds", "0"] });
      const windows = new ReceivingWindows();
      const window = windows.open();
      const crew = { id: "local:file:///crew", name: "Crew", url: service.url };
      const client = new CrewClient(service.url, service.token);
      // Never polls: all that is known comes by callbacks.
      const parts = {
        ...{ ...senderParts(window), addresses: window.callbacks },
        crews: { client: () => Promise.resolve(client) },
      };
      const { localId } = await sendKickoff(parts, crew, { inputs });
      const find = () => window.store.find(localId)!;
      await waitFor("the pause", () => find().waiting !== undefined);
      const { waiting } = find();
      assert.match(waiting?.output ?? "", /REHEARSAL/);
      const give = { taskId: waiting!.taskId, isApprove: false, text: "Shorter, please." };
      await sendFeedback(parts, { execution: find(), ...give });
      await waitFor("the next attempt", () => find().waiting?.attempt === 2);
      assert.match(find().waiting?.output ?? "", /Shorter, please\./);
      await sendFeedback(parts, { execution: find(), ...give, isApprove: true, text: "" });
      await waitFor("the end", () => find().state === "completed");
      assert.ok(find().output);
      await waitFor("all outputs", () =>
        find().tasks.every(({ attempts }) => attempts.at(-1)?.output),
      );
      const { tasks, resumes, request } = find();
      assert.equal(tasks.find(({ taskId }) => taskId === give.taskId)?.attempts.length, 2);
      const outcomes = resumes.map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ["answered", "answered"]);
      await waitFor("the events and steps", () => {
        const types = window.store.events(localId).events.map(({ type }) => type);
        return ["task_completed", "step"].every(
          (wanted) => types.filter((type) => type === wanted).length >= 3,
        );
      });
      assert.deepEqual(request?.callbacks, {}, "not as typed ones");
      assert.deepEqual(windows.windows.problems, []);
    });
  });
