import assert from "node:assert/strict";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { Gate } from "../support/gate.ts";
import { startService, type RunningService } from "../support/service.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { noCallbacks } from "../support/no-callbacks.ts";
import { waitFor } from "../support/wait.ts";
import { firstSeen } from "./first-seen.ts";
import { connectCrew, rejectByLens } from "./person.ts";

/** Milliseconds: far more than it takes, also on a busy machine. */
const limit = 2_000;
/** How often it is measured, because the machine may be busy for a moment. */
const rounds = 5;

describe("A pause, in the window", () => {
  let service: RunningService;
  let gate: Gate;
  let window: VSCodeWindow;
  let id: string;

  before(async () => {
    service = await startService({ args: ["--task-seconds", "0"] });
    gate = await Gate.before(service);
    id = await new CrewApi(service).kickoff({ inputs: { topic: "tea", audience: "guests" } });
    window = await openWindow({ settings: noCallbacks });
    await connectCrew(window, { url: gate.url, token: service.token, name: "Reviewers" });
    await window.tree.menu("Reviewers", "Track an Execution by Its ID…");
    await window.quickInput.answer("Track an execution of “Reviewers”", id);
    await window.editor.lens("Approve").waitFor();
  });

  after(async () => {
    await window.close();
    await gate.stop();
    await service.stop();
  });

  it("is soon on the badge and above the output after the response that tells it: medians, printed", async () => {
    const statusPath = `/${id}/status`;
    const badge = window.tree.badge("Crewdeck");
    const lens = window.editor.lens("Reject…");
    const taken: { readonly badge: number; readonly lens: number }[] = [];
    for (let attempt = 2; attempt <= rounds + 1; attempt += 1) {
      // The poll that follows the response to the rejection waits until the next output does.
      const held = new Promise<() => void>((resolve, reject) => {
        gate.onPass = (what, { path }) => {
          if (what === "answer" && path === "/resume")
            gate.hold(statusPath, "request").then(resolve, reject);
        };
      });
      await waitFor("one lens", async () => (await lens.count()) === 1);
      const thread = await rejectByLens(window);
      await window.editor.writeInThread(thread, "Shorter, please.");
      await window.editor.pressInThread(thread, "Send");
      const release = await held;
      await badge.waitFor({ state: "hidden" });
      await waitFor("no lens", async () => (await lens.count()) === 0);
      await waitFor(`attempt ${attempt} to wait`, async () => {
        const { body } = await new CrewApi(service).get(statusPath);
        return (body as DocumentedStatus).pending_human_input?.attempt === attempt;
      });
      const seen = await firstSeen(window, ["badge", "lens"]);
      const answered = new Promise<number>((resolve) => {
        gate.onPass = (what, { path }) => {
          if (what === "answer" && path === statusPath) resolve(Date.now());
        };
      });
      release();
      const [begun, at] = [await answered, await seen.evaluate(({ times }) => times)];
      taken.push({ badge: at.badge - begun, lens: at.lens - begun });
    }
    const median = (of: "badge" | "lens") =>
      taken.map((each) => each[of]).sort((one, other) => one - other)[Math.floor(rounds / 2)] ??
      Infinity;
    const all = (of: "badge" | "lens") => taken.map((each) => each[of]).join(", ");
    console.log(
      `      from the response that tells a pause: badge ${median("badge")} ms (${all("badge")}), lens in view ${median("lens")} ms (${all("lens")})`,
    );
    for (const sign of ["badge", "lens"] as const)
      assert.ok(Math.min(...taken.map((each) => each[sign])) <= limit);
  });
});
