import assert from "node:assert/strict";
import { CrewApi } from "../support/crew-api.ts";
import { json, MisbehavingServer } from "../support/misbehaving-server.ts";
import { ReverseProxy } from "../support/reverse-proxy.ts";
import { startService, type RunningService } from "../support/service.ts";
import { readSettings } from "../support/vscode-server.ts";
import { waitFor } from "../support/wait.ts";
import type { VSCodeWindow } from "../support/window.ts";
import { aRequest, secret, signed } from "../unit/callbacks/flow-samples.ts";
import { answerOnPage, connectCrew, openForm } from "./person.ts";
import { sharedWindow } from "./shared-window.ts";

describe("Called back by the public address, in the window", () => {
  /** In the live dialect, it hides its pauses as deployed crews do. */
  let service: RunningService;
  let deployment: MisbehavingServer;
  /** Takes the answers to the flow's requests. */
  let answered: MisbehavingServer;
  let proxy: ReverseProxy;
  const shared = sharedWindow();
  let window: VSCodeWindow;

  before(async () => {
    service = await startService({ args: ["--dialect", "live", "--task-seconds", "0"] });
    deployment = await MisbehavingServer.start();
    deployment.otherwise = json(200, { state: "NOT FOUND", inputs: [] });
    answered = await MisbehavingServer.start();
    window = shared();
    await connectCrew(window, { url: service.url, token: service.token, name: "Deployed" });
  });

  after(async () => {
    await proxy.stop();
    await Promise.all([service.stop(), deployment.stop(), answered.stop()]);
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

  describe("a flow's request", () => {
    let webhook: string;

    const ask = async (id: string) => {
      const callback_url = `${answered.url}/callback/${id}`;
      const { headers, body } = signed("", aRequest({ id }, { callback_url }), Date.now());
      const sent = { method: "POST", headers, body: new Uint8Array(body) };
      const response = await fetch(webhook, sent);
      await response.body?.cancel();
      assert.equal(response.status, 200);
    };
    const answers = () =>
      answered.requests.map(({ path, body }) => [
        path,
        (JSON.parse(body) as { feedback: string }).feedback,
      ]);
    const untilAnswered = (count: number) =>
      waitFor(`${count} answers`, () => answered.requests.length === count);

    it("has its address and secret from the menu of the crew's row", async () => {
      const { tree, quickInput, messages, page } = window;
      await connectCrew(window, { url: deployment.url, token: "the-crews-token", name: "Asking" });
      // The earlier result of a test names no crew, and would ask for one.
      await window.runCommand("Notifications: Clear All Notifications");
      await tree.menu("Asking", "Test Callbacks");
      await messages.answer("Callbacks work", "More…");
      await quickInput.choose("Callbacks", "Copy Feedback Webhook Address");
      await messages.answer("set its secret here", "Set Feedback Secret…");
      await quickInput.answer("Feedback Secret of “Asking”", secret);
      await messages.statusItem("The feedback secret of “Asking” is saved.").waitFor();
      webhook = await page.evaluate(() => navigator.clipboard.readText());
      assert.ok(webhook.startsWith(`${proxy.url}/`), webhook);
    });

    it("is answered with a button of its page, after the person allowed the host", async () => {
      const { messages, webview } = window;
      await ask("r1");
      await messages.answer("waits for you at task “review_article”", "Open");
      await webview.content.getByRole("button", { name: "rejected" }).click();
      const { host } = new URL(answered.url);
      await messages.confirm(`Send answers to ${host}?`, "Allow and Send");
      await untilAnswered(1);
    });

    it("is answered on the page in front without another question, and each answer was sent once", async () => {
      const { webview } = window;
      await ask("r2");
      const answer = webview.content.getByRole("button", { name: "request_changes" });
      await answer.dblclick();
      await untilAnswered(2);
      await answer.waitFor({ state: "detached" });
      assert.deepEqual(answers(), [
        ["/callback/r1", "rejected"],
        ["/callback/r2", "request_changes"],
      ]);
    });
  });
});
