import assert from "node:assert/strict";
import { mkdirSync, renameSync } from "node:fs";
import path from "node:path";
import {
  crewaiEnv,
  crewaiProject,
  crewaiVersions,
  needsCrewai,
  newestCrewai,
} from "../support/crewai.ts";
import { temporaryFolder } from "../support/folders.ts";
import type { Model } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import {
  startModelServer,
  weatherAnswer,
  type ModelAnswer,
  type ModelRequest,
} from "../support/model-server.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import {
  answerByLens,
  approveByLens,
  openExecution,
  openForm,
  rejectByLens,
} from "../ui/person.ts";
import { waitForDocument, waitForPage } from "../ui/story.ts";

/** How long crewAI may take to import and to load a project on a busy machine (ms). */
const loadingMs = 180_000;

for (const version of crewaiVersions)
  describe(`The editor, with projects that run with crewAI ${version}`, () => {
    needsCrewai();
    let window: VSCodeWindow;
    let settings: Record<string, unknown>;
    let model: Model;
    const atEnd = endsOf(after);

    before(async () => {
      model = await startModelServer(answer);
      atEnd(() => model.stop());
      settings = {
        "crewdeck.python": await warmPython(version),
        "crewdeck.openExecutionsAs": "text",
      };
      window = await openWindow({
        workspace: workspaceOf("weather", "review"),
        settings,
        env: crewaiEnv(model),
      });
      atEnd(() => window.close());
    });

    /** Starts a crew of the workspace. Its row says that it runs with crewAI. */
    async function serve(crew: string): Promise<void> {
      await window.runCommand("Crewdeck: Serve…");
      await window.quickInput.choose("Which crew?", crew);
      await waitFor("the crew's row", async () => /^crewAI$/.test((await rowOf(crew)) ?? ""));
    }

    async function kickOff(crew: string, inputs: Readonly<Record<string, string>>): Promise<void> {
      await openForm(window, crew);
      const form = window.webview.content;
      for (const [name, text] of Object.entries(inputs))
        await form.getByRole("textbox", { name }).fill(text);
      await form.getByRole("button", { name: "Kick Off", exact: true }).click();
    }

    const rowOf = async (label: string) =>
      (await window.tree.rows()).find((row) => row.label === label)?.description;

    const untilState = (title: string | RegExp, state: string) =>
      waitFor(
        `${String(title)} to be ${state}`,
        async () =>
          (await window.tree.executions()).some(
            ({ label, description }) => label.match(title) && description.includes(state),
          ),
        loadingMs,
      );

    it("kicks off, calls the tool, rejects, retries with the feedback, approves, and shows the result", async () => {
      const { editor, tree } = window;
      await tree.open("Crewdeck");
      await serve("weather");
      await kickOff("weather", { city: "oslo", readers: "sailors" });
      await untilState("oslo", "headline");
      assert.ok(
        model.requests.some(({ prompt }) => prompt.includes("Oslo: 10 degrees at Blindern")),
        "the tool's result reaches the model",
      );
      await openExecution(window, "oslo", async () => (await editor.lens("Reject…").count()) === 1);
      assert.match(await editor.wholeText(), /It is mild in Oslo today\./);

      await rejectByLens(window, "Shorter, please.");
      await waitForPage(window, /Attempt 2[^]*Mild\./);
      const retried = model.requests.at(-1)?.prompt ?? "";
      for (const text of ["Shorter, please.", "It is mild in Oslo today."])
        assert.ok(retried.includes(text), retried);

      await openExecution(window, "oslo", async () => (await editor.lens("Approve").count()) === 1);
      await approveByLens(window);
      await waitForDocument(window, /^Completed · 4 of 4/m);
      assert.match(await editor.wholeText(), /## Result\n[^]*A report\. \(signed\)/);
      const last = model.requests.at(-1)?.prompt ?? "";
      for (const text of ["Mild.", "Shorter, please."]) assert.ok(last.includes(text), last);
    });

    if (version !== newestCrewai) return;

    it("shows what a flow asks, sends the answer of a lens once, and shows what the flow made of it", async () => {
      const { editor, tree } = window;
      await tree.open("Crewdeck");
      await serve("review");
      await kickOff("review", { topic: "tides" });
      await untilState("tides", "review");
      await openExecution(
        window,
        "tides",
        async () => (await editor.lens("request_changes").count()) === 1,
      );
      const text = await editor.wholeText();
      assert.match(text, /The flow asks you at review and continues with your answer\./);
      assert.match(text, /> Please review this article\./);
      assert.equal(await editor.lens("Reject…").count(), 0);
      // The next question has the same lenses.
      await answerByLens(window, "request_changes", () =>
        window.page
          .getByText(/Sent: .*“tides”/)
          .first()
          .isVisible(),
      );
      await waitForDocument(window, /### Attempt 2/);
      assert.match(await editor.wholeText(), /### Your answer\n\n> request_changes/);
      await answerByLens(window, "rejected");
      await waitForDocument(window, /## Result\n[^]*Dropped: A report\. \(rejected\)/);
    });
  });

/** Copies of projects of `test/fixtures/crewai` in one folder. */
function workspaceOf(...names: readonly string[]): string {
  const folder = path.join(temporaryFolder("crews"), "workspace");
  mkdirSync(folder);
  for (const name of names) renameSync(crewaiProject(name), path.join(folder, name));
  return folder;
}

function answer(request: ModelRequest): ModelAnswer {
  const { prompt } = request;
  // crewAI 1.0.0 describes its tools in the prompt.
  if (prompt.includes("Tool Name: thermometer"))
    return prompt.includes("Observation: Oslo:")
      ? 'Thought: I know.\nFinal Answer: {"city": "Oslo", "degrees": 10}'
      : 'Thought: I measure.\nAction: thermometer\nAction Input: {"city": "Oslo"}';
  return weatherAnswer(request, "A report.");
}
