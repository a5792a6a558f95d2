import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import * as vscode from "vscode";
import { activeDocument } from "../../src/editor/execution-uri.ts";
import { runAgain, type RunAgainParts } from "../../src/kickoff/again.ts";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { CrewApi } from "../support/crew-api.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/views/executions.ts";
import { closeTab, run } from "./extension.ts";
import { serveCrew, type RealService } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

const inputs = { topic: "tea", audience: "it's for $HOME" };

interface Made {
  readonly crew: string;
  readonly kickoffId: string;
}

describe("An earlier kickoff", () => {
  let service: RealService;
  let api: CrewdeckApi;
  let first: Made;
  const crew = "Repeated";
  const found = ({ kickoffId }: Made) =>
    api.executions().find((execution) => execution.kickoffId === kickoffId);
  /** A row of the tree, as a click passes it to a command. */
  const row = ({ kickoffId }: Made) => ({ kind: "execution", crew, kickoffId });
  const toFile = (file: string) => ({
    ...{ crew, kickoffId: first.kickoffId },
    ...{ format: "requestFile", file },
  });
  const inWorkspace = (name: string) =>
    vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, name).fsPath;

  serveCrew(crew, (...given) => ([service, api] = given));

  before(async () => {
    first = await run<Made>("kickoff", { crew, inputs, meta: { ticket: 7 }, form: false });
  });

  it("runs again at once for a program, and for a person after a question with crew and inputs", async () => {
    const again = await run<Made>("runAgain", { crew, kickoffId: first.kickoffId });
    assert.notEqual(again.kickoffId, first.kickoffId);
    assert.ok(found(again));
    const count = api.executions().length;
    const { shown } = await withPerson(["escape"], () => run("runAgain", row(first)));
    assert.equal(shown[0]?.text, "Run “it's for $HOME” again?");
    const { host } = new URL(service.url);
    const { detail = "" } = shown[0];
    assert.ok(detail.startsWith(`“Repeated” (${host}) `), detail);
    assert.ok(detail.endsWith(" cost money.\n\ntopic: tea\naudience: it's for $HOME"), detail);
    assert.equal(api.executions().length, count);
    const { result: made } = await withPerson([{ press: "Run Again" }], () =>
      run<Made>("runAgain", row(first)),
    );
    assert.equal(api.executions().length, count + 1);
    assert.equal(activeDocument()?.query, made.kickoffId);
  });

  it("can't run a deployed crew's execution again from a task", async () => {
    const count = api.executions().length;
    await assert.rejects(
      run("runAgainFrom", { crew, kickoffId: first.kickoffId, taskId: "research" }),
      /Only an execution of a local crew/,
    );
    assert.equal(api.executions().length, count);
  });

  it("opens in the form, which sends nothing by itself", async () => {
    const count = api.executions().length;
    const opened = run("runAgain", { ...row(first), form: true });
    await closeTab(`Kick off ${crew}`);
    assert.equal(await opened, undefined);
    assert.equal(api.executions().length, count);
  });

  it("is unknown for an execution that was only tracked, which a message explains", async () => {
    const kickoffId = await new CrewApi(service).kickoff({ inputs });
    await run("trackExecution", { crew, kickoffId });
    for (const command of ["runAgain", "copyAsCurl", "exportExecution"])
      await assert.rejects(
        run(command, { crew, kickoffId, format: "requestFile" }),
        /tracked by its ID/,
      );
  });

  it("is copied as cURL without the token, from an execution and from a request file", async () => {
    const { shown } = await withPerson([], () => run("copyAsCurl", row(first)));
    const copied = await vscode.env.clipboard.readText();
    assert.ok(copied.startsWith(`curl -X POST '${service.url}/kickoff' `), copied);
    assert.match(copied, /--data-raw '\{"inputs":\{"topic":"tea",.*"meta":\{"ticket":7\}\}'$/);
    assert.match(shown[0]?.text ?? "", /Set \$CREW_TOKEN before you run it/);
    const file = await run<string>("exportExecution", toFile(inWorkspace("curl")));
    await vscode.env.clipboard.writeText("");
    await withPerson([], () => run("copyAsCurl", { file }));
    assert.equal(await vscode.env.clipboard.readText(), copied);
    assert.doesNotMatch(copied, new RegExp(service.token));
  });

  it("offers to copy a local crew's token after it is copied as cURL, never another crew's", async () => {
    const folder = "crewdeck:/example-crew";
    const local = await run<{ name: string; id: string }>("startLocalCrew", { folder });
    try {
      const started = await run<Made>("kickoff", { crew: local.name, inputs, form: false });
      const { shown } = await withPerson([{ press: "Copy Token", isNotification: true }], () =>
        run("copyAsCurl", { ...row(started), crew: started.crew }),
      );
      assert.deepEqual(shown[0]?.choices, ["Copy Token"]);
      const token = await waitFor("the token on the clipboard", async () => {
        const copied = await vscode.env.clipboard.readText();
        return !copied.startsWith("curl") && copied;
      });
      const { url } = api.crews().find(({ name }) => name === local.name)!;
      assert.equal((await new CrewApi({ url, token }).get("/inputs")).status, 200);
      await vscode.env.clipboard.writeText("");
      await assert.rejects(run("copyToken", { crew }), /is deployed, not a local crew/);
      assert.equal(await vscode.env.clipboard.readText(), "");
      await run("untrackExecution", started);
    } finally {
      await run("stopLocalCrew", { folder });
      await withPerson([{ press: "Remove" }], () =>
        run("removeCrew", { kind: "crew", crew: local.id }),
      );
    }
  });

  it("is saved as a request file, which starts the same kickoff and is never overwritten by a program", async () => {
    const file = inWorkspace("again.kickoff.json");
    assert.equal(await run("exportExecution", toFile(file)), vscode.Uri.file(file).toString());
    const written = { crew, inputs, meta: { ticket: 7 } };
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), written);
    const again = run("exportExecution", toFile(file));
    await assert.rejects(again, /exists already\. Nothing was written/);
    assert.ok(found(await run<Made>("kickoffFile", { file })));
    await rm(file);
  });

  it("runs again with the callbacks' stored secrets, otherwise in the form, which asks for them", async () => {
    const url = "https://h.test";
    const humanInputWebhook = { url, authentication: { strategy: "bearer" } } as const;
    const whole = { url, authentication: { strategy: "bearer", token: "hush" } } as const;
    const request = { inputs, callbacks: { humanInputWebhook } };
    const execution = anExecution({ label: "Mine", request });
    const sent: unknown[] = [];
    const opened: unknown[] = [];
    const called = { id: "c", name: crew, url: service.url };
    const at = (lost: readonly string[]): RunAgainParts => ({
      crews: { connected: () => called, ready: () => Promise.resolve(called) },
      sending: {
        send: (...what) => Promise.resolve(sent.push(what.slice(1))).then(() => execution),
        secrets: {
          complete: () => Promise.resolve({ callbacks: { humanInputWebhook: whole }, lost }),
        },
      },
      forms: { open: (...what) => Promise.resolve(void opened.push(what.slice(1))) },
      page: { open: () => assert.fail("an execution") },
    });
    await runAgain(at([]), execution, { asks: false });
    assert.deepEqual(sent, [[{ inputs, humanInputWebhook: whole }, { label: "Mine" }]]);
    await assert.rejects(runAgain(at([url]), execution, { asks: false }), /Enter it in the form/);
    const { shown } = await withPerson([{ press: "Run Again" }], () =>
      runAgain(at([url]), execution, { asks: true }),
    );
    assert.doesNotMatch(shown[0]?.detail ?? "", /a second time/);
    assert.deepEqual(opened, [[{ inputs, humanInputWebhook }, { replaces: true }]]);
    assert.equal(sent.length, 1);
    const doubtful = await withPerson(["escape"], () =>
      runAgain(at([]), { ...execution, state: "unconfirmed", kickoffIds: [] }, { asks: true }),
    );
    assert.match(
      doubtful.shown[0]?.detail ?? "",
      /^No response to its kickoff arrived, so it may already be running\..*a second time\.\n/,
    );
    assert.equal(sent.length, 1);
  });
});
