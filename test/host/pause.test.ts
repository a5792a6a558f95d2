import assert from "node:assert/strict";
import * as vscode from "vscode";
import { pageType } from "../../src/editor/manifest.ts";
import { CrewApi, type DocumentedStatus } from "../support/crew-api.ts";
import { Gate } from "../support/gate.ts";
import { waitFor } from "../support/wait.ts";
import { readAsText } from "./read-as-text.ts";
import { activated, forgetAll, kickOff, run, set } from "./extension.ts";
import { type RealService, startRealService } from "./real-service.ts";

const crew = "Paused";

describe("A poll", () => {
  readAsText();
  let service: RealService;
  let gate: Gate;
  let kickoffId: string;
  let document: vscode.TextDocument;

  before(async () => {
    service = await startRealService();
    gate = await Gate.before(service);
    await activated();
    // Only polling tells the pauses.
    await set("callbacks.publicUrl", "none");
    await run("addCrew", { name: crew, url: gate.url, token: service.token });
    kickoffId = await kickOff(crew);
    await untilPending(1);
    await run("refresh", { crew, kickoffId });
    await run("openExecution", { crew, kickoffId });
    document = vscode.window.activeTextEditor!.document;
  });

  after(async () => {
    await forgetAll();
    await set("callbacks.publicUrl", undefined);
    await gate.stop();
    await service.stop();
  });

  const statusPath = () => `/${kickoffId}/status`;

  /** By the service's own word, past the gate. */
  const untilPending = (attempt: number) =>
    waitFor(`attempt ${attempt} to wait`, async () => {
      const { body } = await new CrewApi(service).get(statusPath());
      return (body as DocumentedStatus).pending_human_input?.attempt === attempt;
    });

  it("costs one request, also while text, page and timeline show the execution and its events", async () => {
    await run("showTimeline", { crew, kickoffId });
    const { uri } = document;
    await vscode.commands.executeCommand(
      "vscode.openWith",
      uri,
      pageType,
      vscode.ViewColumn.Beside,
    );
    await waitFor("text and page", () =>
      [vscode.TabInputText, vscode.TabInputCustom].every((kind) =>
        vscode.window.tabGroups.all.some(({ activeTab }) => activeTab?.input instanceof kind),
      ),
    );
    // A poll that nobody asked for may be on its way. After its end, the next one is seconds away.
    await run("refresh", { crew, kickoffId });
    const seen: string[] = [];
    gate.onPass = (what, { method, path }) => {
      if (what === "request") seen.push(`${method} ${path}`);
    };
    const polls = 5;
    for (let count = 1; count <= polls; count += 1) await run("refresh", { crew, kickoffId });
    assert.deepEqual(
      seen,
      Array.from({ length: polls }, () => `GET ${statusPath()}`),
    );
  });
});
