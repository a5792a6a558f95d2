import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { temporaryFolder } from "../support/folders.ts";
import { Gate } from "../support/gate.ts";
import { startService, type RunningService } from "../support/service.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { approveByLens, connectCrew } from "./person.ts";

/** Milliseconds. */
const limit = 250;
/** How often it is measured, because the machine may be busy for a moment. */
const rounds = 5;
const tasks = Array.from({ length: rounds + 1 }, (_, index) => `task_${index + 1}`);

describe("A pause, in the window", () => {
  let service: RunningService;
  let gate: Gate;
  let window: VSCodeWindow;
  let id: string;

  before(async () => {
    service = await startService({ folder: writeCrew(), args: ["--task-seconds", "0"] });
    gate = await Gate.before(service);
    id = await new CrewApi(service).kickoff({ inputs: { topic: "tea" } });
    window = await openWindow();
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

  it("is on the badge at most 250 ms after the response that tells it, and soon above the output: medians, printed", async () => {
    const statusPath = `/${id}/status`;
    const badge = window.tree.badge("Crewdeck");
    const taken: { readonly badge: number; readonly lens: number }[] = [];
    for (const task of tasks.slice(1)) {
      // The poll that follows the response to the approval waits until the next output does.
      const held = new Promise<() => void>((resolve, reject) => {
        gate.onPass = (what, { path }) => {
          if (what === "answer" && path === "/resume")
            gate.hold(statusPath, "request").then(resolve, reject);
        };
      });
      await approveByLens(window);
      const release = await held;
      await badge.waitFor({ state: "hidden" });
      await waitFor(`${task} to wait`, async () => {
        const { body } = await new CrewApi(service).get(statusPath);
        return (body as DocumentedStatus).pending_human_input?.task_id === task;
      });
      const seen = await firstSeen(window);
      const told = new Promise<number>((resolve) => {
        gate.onPass = (what, { path }) => {
          if (what === "answer" && path === statusPath) resolve(Date.now());
        };
      });
      release();
      const [begun, at] = [await told, await seen.evaluate(({ times }) => times)];
      taken.push({ badge: at.badge - begun, lens: at.lens - begun });
    }
    const median = (of: "badge" | "lens") =>
      taken.map((each) => each[of]).sort((one, other) => one - other)[Math.floor(rounds / 2)] ??
      Infinity;
    const all = (of: "badge" | "lens") => taken.map((each) => each[of]).join(", ");
    console.log(
      `      from the response that tells a pause: badge ${median("badge")} ms (${all("badge")}), lens in view ${median("lens")} ms (${all("lens")})`,
    );
    assert.ok(median("badge") <= limit);
  });
});

/** When badge and lens are in the window, in milliseconds since 1970. */
function firstSeen({ page }: VSCodeWindow) {
  return page.evaluateHandle(() => {
    const badge = () => {
      const icon = document.querySelector('.activitybar .action-label[aria-label^="Crewdeck"]');
      const content = icon?.closest(".action-item")?.querySelector(".badge-content");
      return content?.checkVisibility() === true && content.textContent === "1";
    };
    const lens = () =>
      [...document.querySelectorAll(".codelens-decoration a")].some(({ textContent }) =>
        textContent.includes("Approve"),
      );
    const times = new Promise<{ badge: number; lens: number }>((resolve) => {
      const found = { badge: 0, lens: 0 };
      const observer = new MutationObserver(() => {
        if (found.badge === 0 && badge()) found.badge = Date.now();
        if (found.lens === 0 && lens()) found.lens = Date.now();
        if (found.badge === 0 || found.lens === 0) return;
        observer.disconnect();
        resolve(found);
      });
      observer.observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    // In an object, because a bare promise would be awaited first.
    return { times };
  });
}

/** A crew whose every task waits for a person. @returns its folder */
function writeCrew(): string {
  const folder = temporaryFolder("reviewers");
  const files = {
    "pyproject.toml":
      '[project]\nname = "reviewers"\n[tool.crewai]\ntype = "crew"\ndefinition = "crew.jsonc"\n',
    "crew.jsonc": JSON.stringify({
      name: "Reviewers",
      agents: ["writer"],
      tasks: tasks.map((name) => ({
        name,
        description: "Write about {topic}.",
        expected_output: "One sentence",
        human_input: true,
      })),
    }),
    "agents/writer.jsonc": JSON.stringify({
      role: "Writer",
      goal: "Write",
      backstory: "You write.",
    }),
  };
  mkdirSync(path.join(folder, "agents"));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}
