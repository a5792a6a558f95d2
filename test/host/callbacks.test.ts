import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { ReverseProxy } from "../support/reverse-proxy.ts";
import { waitFor } from "../support/wait.ts";
import { aRequest } from "../unit/callbacks/flow-samples.ts";
import { readAsText } from "./read-as-text.ts";
import { kickOff, run, set } from "./extension.ts";
import { type RealService, serveCrew } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

const crew = "Called back";

const test = (argument: object) =>
  run<{ via: string; url?: string; port?: number; roundTripMs?: number }>(
    "testCallbacks",
    argument,
  );
const setPublicUrl = (url: string | undefined) => set("callbacks.publicUrl", url);

/** A crew that hides its pauses, as deployed ones do. */
describe("A callback", () => {
  readAsText();
  let service: RealService;
  let api: CrewdeckApi;
  let proxy: ReverseProxy;

  serveCrew(crew, (...given) => ([service, api] = given), "--dialect", "live");

  after(async () => {
    await setPublicUrl(undefined);
    await proxy.stop();
  });

  const find = (kickoffId: string) =>
    api.executions().find((execution) => execution.kickoffIds.includes(kickoffId));
  const executePaste = () => vscode.commands.executeCommand("crewdeck.pasteCallback");
  const until = (kickoffId: string, state: string) =>
    waitFor(`${kickoffId} to be ${state}`, () => find(kickoffId)?.state === state);

  it("comes on loopback without setup: a hidden pause is known, answered and followed to the end", async () => {
    const { via, url, port, roundTripMs } = await test({ crew });
    assert.deepEqual(
      [via, url, typeof roundTripMs],
      ["loopback", `http://127.0.0.1:${port}`, "number"],
    );
    const kickoffId = await kickOff(crew);
    await until(kickoffId, "waiting");
    await run("approve", { crew, kickoffId });
    await until(kickoffId, "completed");
  });

  it("comes by the person's public address, which is tested without a token; a wrong one is reported", async () => {
    const { port = 0 } = await test({});
    proxy = await ReverseProxy.start(port, true);
    const publicUrl = `${proxy.url}/hooks`;
    await setPublicUrl(publicUrl);
    const tested = await test({ crew });
    assert.deepEqual([tested.via, tested.url, tested.port], ["publicUrl", publicUrl, port]);
    assert.deepEqual(
      proxy.requests.map(({ authorization }) => authorization),
      [undefined],
    );
    for (const [wrong, reason] of [
      [`${service.url}/`, /don't arrive on this machine: it answered with the status 40\d/],
      ["http://crewdeck.example", /must be an https address/],
    ] as const) {
      await setPublicUrl(wrong);
      await assert.rejects(test({}), reason);
    }
    await setPublicUrl(publicUrl);
  });

  it("is pasted from the clipboard, and waits for an answer", async () => {
    await setPublicUrl("none");
    const kickoffId = await kickOff(crew);
    const payload = { kickoff_id: kickoffId, task_id: "outline", task_output: "A pasted draft" };
    await vscode.env.clipboard.writeText(`POST /hook ${JSON.stringify(payload)} 200`);
    assert.deepEqual(await executePaste(), { crew, kickoffId });
    const { state, waiting } = find(kickoffId) ?? {};
    assert.deepEqual(
      [state, waiting?.taskId, waiting?.output],
      ["waiting", "outline", "A pasted draft"],
    );
    await assert.rejects(run("pasteCallback", { text: "{}" }), /no callback of a crew/);
    await vscode.env.clipboard.writeText(JSON.stringify(aRequest()));
    const { shown } = await withPerson(["escape"], executePaste);
    assert.match(shown[0]?.text ?? "", /clipboard has no callback/);
    await run("untrackExecution", { crew, kickoffId });
    await setPublicUrl(`${proxy.url}/hooks`);
  });

  it("of an execution that isn't tracked is pasted into none that is: the person may track its own", async () => {
    const open = await kickOff(crew);
    await until(open, "waiting");
    const before = find(open)?.tasks.length;
    const kickoffId = "not-tracked-yet";
    const text = JSON.stringify({ kickoff_id: kickoffId, task_id: "t", task_output: "Its draft" });
    await assert.rejects(
      run("pasteCallback", { text }),
      /No execution with the ID “not-tracked-yet”/,
    );
    await vscode.env.clipboard.writeText(text);
    const { shown } = await withPerson(["escape"], executePaste);
    assert.match(shown[0]?.text ?? "", /“not-tracked-yet”, which is not tracked/);
    assert.deepEqual([shown[0]?.choices, find(kickoffId)], [["Track It"], undefined]);
    await withPerson([{ press: "Track It" }], executePaste);
    const { state, waiting } = find(kickoffId) ?? {};
    assert.deepEqual([state, waiting?.output], ["waiting", "Its draft"]);
    await run("untrackExecution", { crew, kickoffId });
    assert.equal(find(open)?.tasks.length, before);
    await run("approve", { crew, kickoffId: open });
    await until(open, "completed");
  });
});
