import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { activeDocument } from "../../src/editor/execution-uri.ts";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { json } from "../support/misbehaving-server.ts";
import { withPerson } from "./scripted-person.ts";
import { waitFor } from "../support/wait.ts";
import {
  closeEditors,
  executionOf,
  kickOff,
  run,
  set,
  untilState,
  withContext,
  withReplaced,
} from "./extension.ts";
import { serveAnswers, serveCrew, type RealService } from "./real-service.ts";

const inputs = { topic: "tea", audience: "guests" };
const folder = "crewdeck:/example-crew";
const startExample = () =>
  run<{ id: string; name: string; url: string }>("startLocalCrew", { folder, engine: "rehearsal" });
const stopExample = () => run<{ id: string }>("stopLocalCrew", { folder });

describe("Commands with arguments, and the API for other extensions", () => {
  let service: RealService;
  let api: CrewdeckApi;
  const crew = "Commanded";

  serveCrew(crew, (...given) => ([service, api] = given));

  const untrack = (kickoffId: string, name = crew) =>
    run("untrackExecution", { crew: name, kickoffId });

  it("stop asks the crew without a question, returns its status, and only the polled state is stopped", async () => {
    const [one, two] = [await kickOff(crew), await kickOff(crew)];
    assert.deepEqual(await run("stop", { crew, kickoffId: one }), { status: "stopped" });
    await untilState(one, "stopped");
    assert.deepEqual(await api.stop({ kickoffId: two }), { status: "stopped" });
    await untilState(two, "stopped");
    await assert.rejects(api.stop({ kickoffId: two }), /has ended or is no longer tracked/);
    await assert.rejects(api.stop({ kickoffId: "none" }), /No execution with the ID “none”/);
  });

  it("kickoffRows kicks off once for each row of a file, and opens their table, as openBatch does", async () => {
    await closeEditors();
    const file = path.join(await mkdtemp(path.join(tmpdir(), "crewdeck-rows-")), "teas.csv");
    await writeFile(file, 'topic,audience\n"black, from Assam",guests\ngreen,children\n');
    await assert.rejects(run("kickoffRows", { crew }), /“file” is missing/);
    const before = api.executions().length;
    await run("kickoffRows", { crew, file });
    await waitFor("both kickoffs", () => api.executions().length === before + 2);
    const [green, black] = api.executions();
    assert.match(`${black?.title}; ${green?.title}`, /black, from Assam.*; .*green/);
    const tables = () =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) =>
        tabs.filter(({ label }) => label === `${crew}: teas.csv`),
      ).length;
    assert.equal(tables(), 1);
    await closeEditors();
    await run("openBatch", { crew, kickoffId: green?.kickoffId });
    await waitFor("the table", () => tables() === 1);
    for (const started of [black, green]) await untrack(started?.kickoffId ?? "");
    await closeEditors();
    await rm(path.dirname(file), { recursive: true });
  });

  it("trackExecution follows an execution that another client started, by its status address, and openExecution shows it", async () => {
    const kickoffId = await kickOff(crew);
    await untrack(kickoffId);
    const address = `${service.url}/${kickoffId}/status`;
    assert.deepEqual(await run("trackExecution", { kickoffId: address }), { crew, kickoffId });
    await waitFor("the pause", async () => (await executionOf(kickoffId))?.state === "waiting");
    await closeEditors();
    await run("openExecution", { crew, kickoffId });
    const uri = activeDocument()!;
    assert.equal(uri.scheme, "crew-execution");
    assert.match(uri.path, new RegExp(`^/${crew}/[^/]+\\.execution$`));
    assert.equal(uri.query, kickoffId);
    await untrack(kickoffId);
    assert.equal(await executionOf(kickoffId), undefined);
    const nowhere = `https://nowhere.example.com/status/${kickoffId}`;
    await assert.rejects(
      run("trackExecution", { kickoffId: nowhere }),
      /is of a crew at https:\/\/nowhere\.example\.com/,
    );
  });

  it("openExecution keeps the page of what goes on open, so that nothing opened from it takes its place", async () => {
    await closeEditors();
    const isPreview = () => vscode.window.tabGroups.activeTabGroup.activeTab?.isPreview;
    const kickoffId = await kickOff(crew);
    await run("openExecution", { crew, kickoffId });
    assert.equal(isPreview(), false);
    await closeEditors();
    await untilState(kickoffId, "waiting");
    await run("approve", { crew, kickoffId });
    await untilState(kickoffId, "completed");
    await run("openExecution", { crew, kickoffId });
    assert.equal(isPreview(), true);
    await untrack(kickoffId);
  });

  it("commands work in a document that was open when its crew was renamed; programs must name a crew that is there", async () => {
    const kickoffId = await kickOff(crew);
    await run("openExecution", { crew, kickoffId });
    const uri = activeDocument()!;
    const rename = async (name: string) => {
      await set("crews", [{ name, url: service.url }]);
      await waitFor("the name", () => api.crews().some((each) => each.name === name));
    };
    await rename("Renamed");
    try {
      const showErrorMessage = (message: string) => assert.fail(message);
      await withReplaced(vscode.window, { showErrorMessage }, async () => {
        for (const argument of [uri, undefined]) {
          await vscode.env.clipboard.writeText("");
          await run("copyExecutionId", argument);
          assert.equal(await vscode.env.clipboard.readText(), kickoffId);
        }
      });
      const wrong = { crew: "Nobody", kickoffId };
      await assert.rejects(run("refresh", wrong), /No execution with the ID/);
    } finally {
      await rename(crew);
    }
    await untrack(kickoffId);
  });

  it("shows that there is nothing to do as information, not as an error", async () => {
    const shown: string[] = [];
    const note = (kind: string) => (text: string) =>
      Promise.resolve(shown.push(`${kind}: ${text}`));
    const notes = {
      showErrorMessage: note("error"),
      showInformationMessage: note("information"),
    };
    await withReplaced(vscode.window, notes, async () => {
      await run("nextToReview");
      await run("stopLocalCrew");
      await run("refresh", { kind: "execution", crew, kickoffId: "unknown" });
    });
    assert.deepEqual(shown, [
      "information: No execution waits for you.",
      "information: No local crew is running.",
      "error: No execution with the ID “unknown” is tracked here. Track it by its ID first.",
    ]);
  });

  it("starts and stops a local crew, returns it, and offers to stop one only while one runs", async () => {
    await withContext("crewdeck.hasRunningCrew", async (values) => {
      const started = await startExample();
      assert.match(started.url, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(api.crews().find(({ url }) => url === started.url)?.isLocal, true);
      await waitFor("the key", () => values.at(-1) === true);
      assert.equal((await stopExample()).id, started.id);
      await waitFor("the key to go", () => values.at(-1) === false);
    });
    const { contributes } = vscode.extensions.getExtension("crewdeck.crewdeck")!.packageJSON as {
      contributes: { menus: { commandPalette: readonly { command: string; when: string }[] } };
    };
    const command = "crewdeck.stopLocalCrew";
    assert.deepEqual(
      contributes.menus.commandPalette.filter((each) => each.command === command),
      [{ command, when: "crewdeck.hasRunningCrew" }],
    );
  });

  it("discardExecution asks nothing if nothing was interrupted, and says so", async () => {
    const { name } = await startExample();
    const { shown } = await withPerson([], () =>
      run("discardExecution", { crew: name, kind: "crew" }),
    );
    assert.match(shown[0]?.text ?? "", /no execution of “.+” is interrupted now\.$/);
    await stopExample();
  });

  it("rejects a wrong argument, of a command or of the API, with a message for a person", async () => {
    const kickoff = (argument: object) => run("kickoff", { crew, form: false, ...argument });
    const refused: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
      [() => kickoff({ crew: "Nobody" }), /Nobody/],
      [() => kickoff({ inputs: "tea" }), /“inputs” must be an object/],
      [() => kickoff({ inputs, crewWebhookUrl: "ftp://x" }), /“crewWebhookUrl”/],
      [() => kickoff({ inputs: {} }), /topic/],
      [() => run("approve", { crew, kickoffId: "none" }), /No execution with the ID “none”/],
      [() => run("openExecution", { crew, kickoffId: 7 }), /“kickoffId” must be a string/],
      [() => run("refresh", "now"), /one object/],
      [() => run("chooseModel", { crew, use: "project" }), /is deployed, not a local crew/],
      [
        () => run("startLocalCrew", { folder, engine: "magic" }),
        /“engine” must be one of rehearsal, crewai/,
      ],
      [() => api.kickoff(undefined as never), /“crew” is missing/],
      [() => api.resume({ kickoffId: "k" } as never), /“isApprove” is missing/],
      [
        () => api.resume({ kickoffId: "k", isApprove: "yes" } as never),
        /“isApprove” must be true or false/,
      ],
      [
        () => api.resume({ kickoffId: "k", isApprove: true, taskId: "" }),
        /“taskId” must be a non-empty string/,
      ],
    ];
    for (const [call, message] of refused)
      await assert.rejects(call(), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n\s+at /);
        return true;
      });
  });

  it("the API starts a local crew that was stopped", async () => {
    const { name } = await startExample();
    await stopExample();
    const { kickoffId } = await api.kickoff({ crew: name, inputs });
    await untilState(kickoffId, "waiting");
    await stopExample();
    const { status } = await api.resume({ kickoffId, isApprove: true });
    assert.match(status, /^(resumed|completed)$/);
    await untilState(kickoffId, "completed");
    await stopExample();
    await untrack(kickoffId, name);
  });
});

describe("The command to stop, at a crew without that route,", () => {
  const crew = "Without Stop";
  let requests: readonly { readonly path: string }[];

  serveAnswers(
    crew,
    (path) => (path === "/old/status" ? { status: "running" } : json(404, { detail: "Not Found" })),
    (server) => ({ requests } = server),
  );

  it("says so once, and then sends nothing", async () => {
    await run("trackExecution", { crew, kickoffId: "old" });
    const stop = () => run("stop", { crew, kickoffId: "old" });
    await assert.rejects(stop(), /does not offer to stop an execution \(404\)/);
    await assert.rejects(stop(), /does not offer to stop an execution\. Nothing was sent/);
    assert.equal(requests.filter(({ path }) => path === "/stop/old").length, 1);
  });
});
