import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { MisbehavingServer } from "../support/misbehaving-server.ts";
import { waitFor } from "../support/wait.ts";
import { aRequest, secret, signed } from "../unit/callbacks/flow-samples.ts";
import { codeLensesIn, run } from "./extension.ts";
import { readAsText } from "./read-as-text.ts";
import { serveAnswers } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

const crew = "Asking";

describe("A flow's request over HTTP", () => {
  readAsText();
  /** Takes the answers. */
  let receiver: MisbehavingServer;
  let webhook: string;
  let api: CrewdeckApi;

  // As a deployed crew's pause looks.
  serveAnswers(
    crew,
    () => ({ state: "NOT FOUND" }),
    (_server, given) => (api = given),
    "the-crews-token",
  );

  before(async () => {
    receiver = await MisbehavingServer.start();
    await run("testCallbacks", { crew, entry: "secret", secret });
    ({ url: webhook } = await run<{ url: string }>("testCallbacks", { crew, entry: "address" }));
  });

  after(() => receiver.stop());

  const statusOf = async (payload: object, by?: string) => {
    const { headers, body } = signed("", payload, Date.now(), by);
    const response = await fetch(webhook, { method: "POST", headers, body: new Uint8Array(body) });
    await response.body?.cancel();
    return response.status;
  };
  const asking = (id: string, more = {}) =>
    aRequest({ id, ...more }, { callback_url: `${receiver.url}/callback/${id}` });
  const execution = () => api.executions().find(({ kickoffId }) => kickoffId === "flow-1");
  const answers = () =>
    receiver.requests.map(({ path, body }) => [path, JSON.parse(body) as object]);

  async function lenses(): Promise<readonly vscode.Command[]> {
    const { uri } = vscode.window.activeTextEditor?.document ?? assert.fail("Nothing is open.");
    const found = await codeLensesIn(uri);
    return found.flatMap(({ command }) => (command?.command === "crewdeck.answer" ? command : []));
  }
  const press = async ({ command, arguments: given = [] }: vscode.Command) =>
    await vscode.commands.executeCommand(command, ...(given as unknown[]));

  it("is refused if its signature doesn't fit, tracks nothing, and one notification reports it", async () => {
    const { shown } = await withPerson([], async () => {
      for (let count = 0; count < 2; count += 1)
        assert.equal(await statusOf(asking("r0"), "guessed"), 401);
    });
    assert.equal(execution(), undefined);
    assert.match(shown[0]?.text ?? "", /“Asking” asks a person, .* refused.*signature doesn't fit/);
    assert.deepEqual(shown[0]?.choices, ["Set Feedback Secret…"]);
  });

  it("waits, and its three answers are lenses; an icon in one of them is only text", async () => {
    assert.equal(
      await statusOf(asking("r1", { emit_options: ["yes", "no", "$(zap) change"] })),
      200,
    );
    assert.equal(execution()?.state, "waiting");
    assert.deepEqual(execution()?.waiting?.answers, ["yes", "no", "$(zap) change"]);
    await run("openExecution", { crew, kickoffId: "flow-1" });
    await waitFor("the lenses", async () => (await lenses()).length === 4);
    assert.deepEqual(
      (await lenses()).map(({ title }) => title),
      ["yes", "no", "\\$(zap) change", "$(comment)\u00a0Write Answer…"],
    );
  });

  it("is answered once for a double click, after the person allowed its host", async () => {
    const [, , change] = await lenses();
    const { shown } = await withPerson([{ press: "Allow and Send" }], () =>
      Promise.all([press(change!), press(change!)]),
    );
    const [question] = shown;
    const { host } = new URL(receiver.url);
    assert.equal(question?.text, `Send answers to ${host}?`);
    assert.match(question.detail ?? "", /no token of the crew/);
    assert.deepEqual(answers(), [
      ["/callback/r1", { feedback: "$(zap) change", source: "crewdeck" }],
    ]);
    assert.ok(!JSON.stringify(receiver.requests).includes("the-crews-token"));
    const document = () => vscode.window.activeTextEditor?.document.getText() ?? "";
    await waitFor("the document", () => document().includes("### Your answer"));
    assert.match(document(), /> \$\(zap\) change/);
    assert.equal(execution()?.state, "running");
  });

  it("that follows is answered on the page by who names no answer, or by a program in its own words", async () => {
    assert.equal(await statusOf(asking("r2")), 200);
    assert.equal(execution()?.tasks[0]?.attempts.length, 2);
    const row = { kind: "execution", crew, kickoffId: "flow-1" };
    assert.equal(await run("answer", row), undefined);
    const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
    assert.ok(input instanceof vscode.TabInputCustom && input.viewType === "crewdeck.page");
    await run("answer", { crew, kickoffId: "flow-1", feedback: "approved" });
    await run("openExecution", { crew, kickoffId: "flow-1" });
    assert.equal(await statusOf(asking("r3")), 200);
    const given = { crew, kickoffId: "flow-1", feedback: "Shorter, and with otters." };
    await run("answer", given);
    assert.deepEqual(answers().slice(1), [
      ["/callback/r2", { feedback: "approved", source: "crewdeck" }],
      ["/callback/r3", { feedback: given.feedback, source: "crewdeck" }],
    ]);
    await assert.rejects(run("answer", given), /No flow waits/);
    assert.equal(receiver.requests.length, 3);
  });
});
