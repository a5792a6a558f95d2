import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { readAsText } from "./read-as-text.ts";
import { allTabs, kickOff, polled, run } from "./extension.ts";
import { serveCrew } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

describe("Deleting local data by its command", () => {
  readAsText();
  const crew = "Deleted";
  let api: CrewdeckApi;

  serveCrew(crew, (_service, given) => (api = given));

  it("asks a person, with counts and two choices, but not a program; the window keeps working", async () => {
    const inputs = { topic: "tea", audience: "guests" };
    const untilPaused = (kickoffId: string) =>
      polled("the pause", kickoffId, ({ state }) => state === "waiting");
    const kickoffId = await kickOff(crew);
    await untilPaused(kickoffId);
    await run("openExecution", { crew, kickoffId });
    const { uri: document } = vscode.window.activeTextEditor!.document;
    const beside = { viewColumn: vscode.ViewColumn.Two, preview: false };
    await vscode.commands.executeCommand("vscode.openWith", document, "crewdeck.page", beside);
    vscode.window.createWebviewPanel("crewdeck.comparison", "A and B", vscode.ViewColumn.Two);
    const folder = temporaryFolder("delete");
    const own = path.join(folder, "own.md");
    await writeFile(own, "# A person's own");
    await vscode.commands.executeCommand("markdown.showLockedPreviewToSide", vscode.Uri.file(own));
    const opened = run("kickoff", { crew, inputs });
    const isOwn = ({ label }: vscode.Tab) => label.includes("own.md");
    const ourTabs = () =>
      allTabs().filter(
        (tab) =>
          !isOwn(tab) &&
          (tab.input instanceof vscode.TabInputWebview ||
            tab.input instanceof vscode.TabInputCustom ||
            (tab.input instanceof vscode.TabInputText &&
              tab.input.uri.scheme === "crew-execution")),
      );
    await waitFor(
      "document, page, comparison and form, and a preview of the person's own",
      () => ourTabs().length === 4 && allTabs().some(isOwn),
    );
    await assert.rejects(run("deleteLocalData", {}), /“what” must be one of data, everything/);
    const moves = ["escape", { press: "Delete, Keep Connected Crews" }] as const;
    const { shown } = await withPerson(moves, async () => {
      assert.equal(await run("deleteLocalData"), undefined);
      assert.equal(api.executions().length, 1);
      await run("deleteLocalData");
      await assert.rejects(run("openExecution", {}), /No tracked execution is in a state/);
    });
    const question = shown.find(({ text }) => text === "Delete Crewdeck's data from this machine?");
    assert.deepEqual(question?.choices, ["Delete, Keep Connected Crews", "Delete Everything"]);
    assert.match(question.detail ?? "", /outputs \(1\),.*connected crews \(1\)/s);
    assert.deepEqual([api.executions(), api.crews().map(({ name }) => name)], [[], [crew]]);
    assert.equal(await opened, undefined, "the form closed");
    await waitFor("no tab of ours", () => ourTabs().length === 0);
    assert.deepEqual(allTabs().filter(isOwn).length, 1);
    await vscode.window.tabGroups.close(allTabs().filter(isOwn));
    await rm(folder, { recursive: true });
    await untilPaused(await kickOff(crew));
    assert.equal(
      (await run<{ readonly crews: number }>("deleteLocalData", { what: "everything" })).crews,
      1,
    );
    assert.deepEqual([api.executions(), api.crews()], [[], []]);
    await assert.rejects(run("kickoff", {}), /There is no such crew yet\./);
    const last = await withPerson(["escape"], () => run("deleteLocalData"));
    assert.deepEqual(last.shown[0]?.choices, ["Delete Everything"]);
    assert.doesNotMatch(last.shown[0].detail ?? "", /connected crews/);
  });
});
