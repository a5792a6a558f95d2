import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { waitFor } from "../support/wait.ts";
import { untilSilent } from "./extension.ts";
import { SecondWindow } from "./second-window.ts";

describe("A fresh window", () => {
  const second = new SecondWindow();

  it("notifies what completed while no window was open", async () => {
    const folder = path.join(second.storage, "project");
    await cp(second.example, folder, { recursive: true });
    const tasks = path.join(folder, "src/example_crew/config/tasks.yaml");
    const text = await readFile(tasks, "utf8");
    await writeFile(tasks, text.replace("human_input: true", "human_input: false"));
    const first = second.open();
    const api = await first.activate();
    await first.run("startLocalCrew", { folder, engine: "rehearsal" });
    const { name, url } = api.crews().find(({ isLocal }) => isLocal)!;
    await api.kickoff({ crew: name, inputs: { topic: "tea", audience: "guests" } });
    first.end();
    // When nothing runs, its service leaves.
    await untilSilent(url);
    const left = Date.now();
    assert.equal(api.executions()[0]?.endedAt, undefined, "the window has not seen it");

    const { showInformationMessage } = vscode.window;
    second.atEnd(() => Object.assign(vscode.window, { showInformationMessage }));
    const shown: string[] = [];
    Object.assign(vscode.window, {
      showInformationMessage: (text: string) => Promise.resolve(void shown.push(text)),
    });
    const next = second.open(first.secrets);
    const reopened = await next.activate();
    await waitFor("the notification", () =>
      shown.some((text) => text.includes(`of “${name}”: Completed`)),
    );
    const { endedAt = "" } = reopened.executions()[0]!;
    assert.ok(Date.parse(endedAt) < left, "the time of the end, not of the news");
    await next.run("stopLocalCrew", { folder });
  });
});
