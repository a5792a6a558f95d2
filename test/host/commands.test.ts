import assert from "node:assert/strict";
import * as vscode from "vscode";
import { activeDocument } from "../../src/editor/execution-uri.ts";
import type { CrewReport } from "../../src/crews/types.ts";
import type { CrewdeckApi, CrewdeckExecution } from "../../src/actions/crewdeck-api.ts";
import { json, MisbehavingServer } from "../support/misbehaving-server.ts";
import { withPerson } from "./scripted-person.ts";
import { waitFor } from "../support/wait.ts";
import {
  activated,
  closeEditors,
  forgetAll,
  kickOff,
  polled,
  run,
  set,
  withContext,
  withReplaced,
} from "./extension.ts";
import { startRealService, type RealService } from "./real-service.ts";

const inputs = { topic: "tea", audience: "guests" };

interface Made {
  readonly crew: string;
  readonly kickoffId: string;
}

describe("Commands with arguments, and the API for other extensions", () => {
  let service: RealService;
  let api: CrewdeckApi;
  const crew = "Commanded";

  before(async () => {
    service = await startRealService();
    api = await activated();
    await run("addCrew", {
      name: crew,
      url: `${service.url}/`,
      token: service.token,
      tokenType: "bearer",
    });
  });

  after(async () => {
    await forgetAll();
    await service.stop();
  });

  const find = (kickoffId: string): CrewdeckExecution | undefined =>
    api.executions().find((execution) => execution.kickoffIds.includes(kickoffId));
  const state = (kickoffId: string, wanted: string) =>
    waitFor(`${kickoffId} to be ${wanted}`, () =>
      find(kickoffId)?.state === wanted ? find(kickoffId) : undefined,
    );
  const askedState = (kickoffId: string, wanted: string) =>
    polled(wanted, kickoffId, (execution) => execution.state === wanted && execution);

  /** With an argument, no question is shown. */
  const untrack = (kickoffId: string, name = crew) =>
    run("untrackExecution", { crew: name, kickoffId });

  it("addCrew returns the crew with its normalised address", async () => {
    assert.deepEqual(
      api.crews().find(({ name }) => name === crew),
      { name: crew, url: service.url, isLocal: false },
    );
    const again = await run("addCrew", {
      name: "Other",
      url: service.url,
      token: service.token,
    }).then(
      () => "added",
      (error: unknown) => String(error),
    );
    assert.match(again, /already connected/);
  });

  it("stop asks the crew without a question, returns its status, and only the polled state is stopped", async () => {
    const [one, two] = [await kickOff(crew), await kickOff(crew)];
    assert.deepEqual(await run("stop", { crew, kickoffId: one }), { status: "stopped" });
    await askedState(one, "stopped");
    assert.deepEqual(await api.stop({ kickoffId: two }), { status: "stopped" });
    await askedState(two, "stopped");
    await assert.rejects(api.stop({ kickoffId: two }), /already ended/);
    await assert.rejects(api.stop({ kickoffId: "none" }), /No execution with the ID “none”/);
  });

  it("stop says once that a crew has no such route, and then sends nothing", async () => {
    const server = await MisbehavingServer.start();
    server.otherwise = (response, request) =>
      (request.path === "/inputs"
        ? json(200, { inputs: [] })
        : request.path === "/old/status"
          ? json(200, { status: "running" })
          : json(404, { detail: "Not Found" }))(response, request);
    try {
      const name = "Without Stop";
      await run("addCrew", { name, url: server.url, token: "t" });
      await run("trackExecution", { crew: name, kickoffId: "old" });
      const stop = () => run("stop", { crew: name, kickoffId: "old" });
      await assert.rejects(stop(), /does not offer to stop an execution \(404\)/);
      await assert.rejects(stop(), /does not offer to stop an execution\. Nothing was sent/);
      assert.equal(server.requests.filter(({ path }) => path === "/stop/old").length, 1);
      await untrack("old", name);
    } finally {
      const crews = vscode.workspace.getConfiguration("crewdeck").get<{ url: string }[]>("crews");
      await set(
        "crews",
        crews?.filter(({ url }) => url !== server.url),
      );
      await server.stop();
    }
  });

  it("kickoff with form: false doesn't ask and returns the crew and ID; reject and approve return the crew's response", async () => {
    const made = await run<Made>("kickoff", { crew, inputs, meta: { from: "test" }, form: false });
    assert.equal(made.crew, crew);
    const waiting = await askedState(made.kickoffId, "waiting");
    assert.equal(waiting.waiting?.taskId, "outline");
    const rejected = await run<{ status: string; message: string }>("reject", {
      crew,
      kickoffId: made.kickoffId,
      feedback: "Shorter.",
    });
    assert.equal(rejected.status, "retrying");
    assert.equal(typeof rejected.message, "string");
    const second = await polled(
      "the second draft",
      made.kickoffId,
      (execution) =>
        execution.state === "waiting" &&
        execution.tasks.find(({ taskId }) => taskId === "outline")?.attempts.length === 2 &&
        execution,
    );
    assert.match(second.waiting?.output ?? "", /Shorter\./);
    const approved = await run<{ status: string }>("approve", {
      crew: service.url,
      kickoffId: made.kickoffId,
      taskId: "outline",
      feedback: "Good.",
    });
    assert.match(approved.status, /^(resumed|completed)$/);
    const completed = await askedState(made.kickoffId, "completed");
    assert.match(completed.output ?? "", /Good\./);
  });

  it("trackExecution follows an execution that another client started, and openExecution shows it", async () => {
    const answer = await fetch(`${service.url}/kickoff`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ inputs }),
    });
    const { kickoff_id: kickoffId } = (await answer.json()) as { kickoff_id: string };
    assert.deepEqual(await run("trackExecution", { crew, kickoffId }), { crew, kickoffId });
    await state(kickoffId, "waiting");
    await closeEditors();
    await run("openExecution", { crew, kickoffId });
    const uri = activeDocument()!;
    assert.equal(uri.scheme, "crew-execution");
    assert.match(uri.path, new RegExp(`^/${crew}/${kickoffId}/[^/]+\\.execution$`));
    await run("refresh", { crew, kickoffId });
    await untrack(kickoffId);
    assert.equal(find(kickoffId), undefined);
  });

  it("trackExecution accepts a status address, which contains the crew's address and the ID", async () => {
    const kickoffId = await kickOff(crew);
    await untrack(kickoffId);
    for (const address of [
      `${service.url}/${kickoffId}/status`,
      `${service.url}/status/${kickoffId}`,
    ])
      assert.deepEqual(await run("trackExecution", { kickoffId: address }), { crew, kickoffId });
    await assert.rejects(
      run("trackExecution", { kickoffId: `https://nowhere.example.com/status/${kickoffId}` }),
      /No crew is connected at https:\/\/nowhere\.example\.com/,
    );
    await untrack(kickoffId);
  });

  it("testCrew returns the report, and setToken chooses which of two tokens is sent", async () => {
    const { milliseconds, ...report } = await run<CrewReport>("testCrew", { crew });
    assert.deepEqual(report, {
      crew,
      url: service.url,
      ok: true,
      tokenType: "bearer",
      inputs: 2,
      statusPath: "/{kickoff_id}/status",
    });
    assert.ok(milliseconds >= 0);
    assert.equal(
      await run("setToken", { crew, token: service.userToken, tokenType: "userBearer" }),
      true,
    );
    assert.equal((await run<CrewReport>("testCrew", { crew })).tokenType, "userBearer");
    assert.equal(await run("setToken", { crew, use: "bearer" }), true);
    assert.equal((await run<CrewReport>("testCrew", { crew })).tokenType, "bearer");
  });

  it("commands work in a document that was open when its crew was renamed; programs must use the new name", async () => {
    const kickoffId = await kickOff(crew);
    await askedState(kickoffId, "waiting");
    await run("openExecution", { crew, kickoffId });
    const uri = activeDocument()!;
    const crewsSetting = (name: string) => set("crews", [{ name, url: service.url }]);
    await crewsSetting("Renamed");
    try {
      await waitFor("the new name", () => api.crews().some(({ name }) => name === "Renamed"));
      const showErrorMessage = (message: string) => assert.fail(message);
      await withReplaced(vscode.window, { showErrorMessage }, async () => {
        await run("refresh", uri);
        for (const argument of [uri, undefined]) {
          await vscode.env.clipboard.writeText("");
          await run("copyExecutionId", argument);
          assert.equal(await vscode.env.clipboard.readText(), kickoffId);
        }
      });
      await assert.rejects(
        run("refresh", { crew: "Nobody", kickoffId }),
        /No execution with the ID/,
      );
    } finally {
      await crewsSetting(crew);
      await waitFor("the old name", () => api.crews().some(({ name }) => name === crew));
    }
    await untrack(kickoffId);
  });

  it("shows that there is nothing to do as information, not as an error", async () => {
    const shown: string[] = [];
    const note = (kind: string) => (text: string) => {
      shown.push(`${kind}: ${text}`);
      return Promise.resolve(undefined);
    };
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
      "error: No execution with the ID “unknown” is tracked here.",
    ]);
  });

  it("offers to stop a local crew only while one runs", async () => {
    await withContext("crewdeck.hasRunningCrew", async (values) => {
      await run("startLocalCrew", { folder: "crewdeck:/example-crew" });
      await waitFor("the key", () => values.at(-1) === true);
      await run("stopLocalCrew", { folder: "crewdeck:/example-crew" });
      await waitFor("the key to go", () => values.at(-1) === false);
    });
    const { contributes } = vscode.extensions.getExtension("crewdeck.crewdeck")!.packageJSON as {
      contributes: { menus: { commandPalette: readonly { command: string; when: string }[] } };
    };
    assert.deepEqual(
      contributes.menus.commandPalette.filter(
        ({ command }) => command === "crewdeck.stopLocalCrew",
      ),
      [{ command: "crewdeck.stopLocalCrew", when: "crewdeck.hasRunningCrew" }],
    );
  });

  it("starts and stops a local crew and returns it", async () => {
    const started = await run<{ id: string; name: string; url: string }>("startLocalCrew", {
      folder: "crewdeck:/example-crew",
      engine: "rehearsal",
    });
    assert.match(started.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(api.crews().find(({ url }) => url === started.url)?.isLocal, true);
    const stopped = await run<{ id: string }>("stopLocalCrew", {
      folder: "crewdeck:/example-crew",
    });
    assert.equal(stopped.id, started.id);
  });

  it("chooseModel returns what a local crew uses, and refuses a deployed one", async () => {
    const folder = "crewdeck:/example-crew";
    const local = await run<{ name: string }>("startLocalCrew", { folder, engine: "rehearsal" });
    await run("stopLocalCrew", { folder });
    const choose = (of: string, given: object) =>
      run<{ at?: number }>("chooseModel", { crew: of, ...given });
    const given = { use: "endpoint", baseUrl: "http://127.0.0.1:1/v1", model: "llama" };
    const { at, ...chosen } = await choose(local.name, given);
    assert.deepEqual([chosen, typeof at], [{ ...given, hasKey: false }, "number"]);
    assert.deepEqual(await choose(local.name, { use: "project" }), { use: "project" });
    await assert.rejects(choose(crew, { use: "project" }), /is deployed, not a local crew/);
  });

  it("discardExecution asks nothing if nothing was interrupted or it was decided before, and says so", async () => {
    const folder = "crewdeck:/example-crew";
    const local = await run<{ name: string }>("startLocalCrew", { folder, engine: "rehearsal" });
    try {
      const { shown } = await withPerson([], () =>
        run("discardExecution", { crew: local.name, kind: "crew" }),
      );
      assert.match(shown[0]?.text ?? "", /^No execution of “.+” was interrupted\.$/);
      const late = { crew: local.name, by: "person", kickoffIds: ["decided"] };
      for (const command of ["continueExecution", "discardExecution"]) {
        const person = await withPerson([], () => run(command, late));
        assert.match(person.shown[0]?.text ?? "", /^Nothing was done: .* is decided already\.$/);
      }
    } finally {
      await run("stopLocalCrew", { folder });
    }
  });

  it("focuses the view when a person selects a local crew, not later when the crew runs", async () => {
    const { executeCommand } = vscode.commands;
    const isRunning = async () =>
      await fetch(api.crews().find(({ isLocal }) => isLocal)?.url ?? "").then(
        () => true,
        () => false,
      );
    const focused: Promise<boolean>[] = [];
    const listening = (command: string, ...rest: unknown[]) => {
      if (command === "crewdeck.executions.focus") focused.push(isRunning());
      return executeCommand(command, ...rest);
    };
    const showQuickPick = async (items: Thenable<vscode.QuickPickItem[]>) =>
      (await items).find(({ description }) => description?.endsWith("comes with Crewdeck"));
    await withReplaced(vscode.commands, { executeCommand: listening }, () =>
      withReplaced(vscode.window, { showQuickPick }, () => run("startLocalCrew")),
    );
    assert.ok(await isRunning());
    assert.deepEqual(await Promise.all(focused), [false]);
    await run("stopLocalCrew", { folder: "crewdeck:/example-crew" });
  });

  for (const [what, command, argument, message] of [
    ["an unknown crew", "kickoff", { crew: "Nobody", form: false }, /Nobody/],
    [
      "inputs that are no object",
      "kickoff",
      { crew: "Commanded", inputs: "tea", form: false },
      /“inputs” must be an object/,
    ],
    [
      "a callback that is no address",
      "kickoff",
      { crew: "Commanded", inputs, crewWebhookUrl: "ftp://x", form: false },
      /“crewWebhookUrl”/,
    ],
    ["missing inputs, by name", "kickoff", { crew: "Commanded", inputs: {}, form: false }, /topic/],
    [
      "an unknown execution",
      "approve",
      { crew: "Commanded", kickoffId: "nothing" },
      /No execution with the ID “nothing”/,
    ],
    [
      "an id of a wrong type",
      "openExecution",
      { crew: "Commanded", kickoffId: 7 },
      /“kickoffId” must be a string/,
    ],
    ["an argument that is no object", "refresh", "now", /one object/],
    [
      "an unknown engine",
      "startLocalCrew",
      { folder: "crewdeck:/example-crew", engine: "magic" },
      /“engine” must be one of rehearsal, crewai/,
    ],
  ] as const) {
    it(`${command} rejects ${what} with a message for a person`, async () => {
      await assert.rejects(run(command, argument), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n\s+at /);
        return true;
      });
    });
  }

  for (const [what, call, message] of [
    ["nothing at all", () => api.kickoff(undefined as never), /“crew” is missing/],
    ["a crew that is no text", () => api.kickoff({ crew: 7 } as never), /“crew” must be a string/],
    [
      "feedback on nothing",
      () => api.resume({ isApprove: true } as never),
      /“kickoffId” is missing/,
    ],
    [
      "feedback that is neither yes nor no",
      () => api.resume({ kickoffId: "k", isApprove: "yes" } as never),
      /“isApprove” must be true or false/,
    ],
    [
      "feedback without a decision",
      () => api.resume({ kickoffId: "k" } as never),
      /“isApprove” is missing/,
    ],
  ] as const) {
    it(`the API rejects ${what} with a message for a person`, async () => {
      await assert.rejects(call(), message);
    });
  }

  it("the API starts a local crew that was stopped", async () => {
    const folder = "crewdeck:/example-crew";
    const { name } = await run<{ name: string }>("startLocalCrew", { folder });
    const needed = { topic: "tea", audience: "guests" };
    await run("stopLocalCrew", { folder });
    const { kickoffId } = await api.kickoff({ crew: name, inputs: needed });
    await askedState(kickoffId, "waiting");
    await run("stopLocalCrew", { folder });
    assert.match(
      (await api.resume({ kickoffId, isApprove: true })).status,
      /^(resumed|completed)$/,
    );
    await askedState(kickoffId, "completed");
    await run("stopLocalCrew", { folder });
    await untrack(kickoffId, name);
  });
});
