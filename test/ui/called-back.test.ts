import assert from "node:assert/strict";
import { CrewApi } from "../support/crew-api.ts";
import { ReverseProxy } from "../support/reverse-proxy.ts";
import { startService, type RunningService } from "../support/service.ts";
import { readSettings } from "../support/vscode-server.ts";
import { waitFor } from "../support/wait.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { answerOnPage, connectCrew, openForm } from "./person.ts";
import { sharedWindow } from "./shared-window.ts";

describe("Called back by the public address, in the window", () => {
  /** In the live dialect, it hides its pauses as deployed crews do. */
  let service: RunningService;
  let proxy: ReverseProxy;
  const shared = sharedWindow();
  let window: VSCodeWindow;

  before(async () => {
    service = await startService({ args: ["--dialect", "live", "--task-seconds", "0"] });
    window = shared();
    await connectCrew(window, { url: service.url, token: service.token, name: "Deployed" });
  });

  after(async () => {
    await proxy.stop();
    await service.stop();
  });

  it("“Test Callbacks” tells the port to lead to, and then that the address leads to it", async () => {
    const { messages } = window;
    await window.runCommand("Crewdeck: Test Callbacks");
    const here = messages.notification("Callbacks work:");
    const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(await here.innerText()) ?? [];
    proxy = await ReverseProxy.start(Number(port), undefined, true);
    window.setSettings({
      ...readSettings(window.dataFolder),
      "crewdeck.callbacks.publicUrl": proxy.url,
    });
    // VS Code reads the new setting a moment later.
    await waitFor("the address in a test's result", async () => {
      await window.runCommand("Crewdeck: Test Callbacks");
      const there = messages.notification(`a request to ${proxy.url} came to this machine`);
      return there.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
  });

  it("a pause that the crew hides is notified, opened by the notification's button, and approved", async () => {
    const { tree, messages, webview } = window;
    const heldPause = () =>
      new Promise<{ readonly release: () => void; readonly body: string }>((arrived) => {
        proxy.before = ({ body }) =>
          body.includes('"task_output"')
            ? new Promise<void>((release) => arrived({ release, body }))
            : undefined;
      });
    const first = heldPause();
    await openForm(window, "Deployed");
    const form = webview.content;
    await form.getByRole("textbox", { name: "topic" }).fill("tea");
    await form.getByRole("textbox", { name: "audience" }).fill("guests");
    await form.getByRole("button", { name: "Kick Off", exact: true }).click();
    const { release, body } = await first;
    const { kickoff_id: id } = JSON.parse(body) as { kickoff_id: string };
    const status = await new CrewApi(service).get(`/${id}/status`);
    assert.equal((status.body as { state: string }).state, "NOT FOUND");
    // Its page is in front, where no notification is needed.
    await window.runCommand("View: Close All Editors");
    release();
    const badge = tree.badge("Crewdeck");
    await waitFor("1 on the badge", async () => (await badge.textContent()) === "1");
    await messages.answer("waits for you", "Open");
    proxy.before = () => undefined;
    await answerOnPage(window, "Approve");
    await waitFor("the end", async () =>
      (await tree.executions()).some(({ description }) => description.startsWith("Completed")),
    );
  });
});
