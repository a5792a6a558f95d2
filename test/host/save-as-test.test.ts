import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { person } from "../../src/actions/asker.ts";
import { saveAsTestVerb } from "../../src/actions/requests.ts";
import { notWaiting } from "../unit/views/executions.ts";
import { temporaryFolder } from "../support/folders.ts";
import { crewsOf, targetsIn } from "./execution-parts.ts";

describe("Save as Test", () => {
  it("writes a test and its recording beside each other under a free name, and opens it", async () => {
    const project = path.join(temporaryFolder("project"), "tea");
    await mkdir(path.join(project, "tests"), { recursive: true });
    await writeFile(path.join(project, "pyproject.toml"), '[tool.crewai]\ntype = "crew"\n');
    await writeFile(path.join(project, "tests", "sea-otters.kickoff.json"), "{}");
    const folder = vscode.Uri.file(project).toString();
    const local = { folder, crewClass: "Desk", engine: "crewai", running: true } as const;
    const crew = { id: `local:${folder}#Desk`, name: "Tea", url: "http://127.0.0.1:1", local };
    const execution = notWaiting({ crew, state: "completed", output: "Sea otters." });
    const recording = '{"recording":1,"crewai":"1.15.30","variables":{}}\n';
    const store = { find: () => execution, list: () => [execution], refresh: () => undefined };
    const crews = crewsOf(crew);
    const save = saveAsTestVerb({
      targets: targetsIn(store, crews),
      crews: {
        ready: crews.ready,
        client: () => Promise.resolve({ recording: () => Promise.resolve(recording) } as never),
      },
    });
    const argument = { crew: crew.id, kickoffId: execution.kickoffIds[0] };
    const made = vscode.Uri.parse(String(await save(argument, person)));
    assert.equal(made.fsPath, path.join(project, "tests", "sea-otters-2.kickoff.json"));
    const { document } = vscode.window.activeTextEditor!;
    assert.equal(document.uri.toString(), made.toString());
    assert.deepEqual(JSON.parse(document.getText()), {
      ...{ crew: "..#Desk", inputs: { topic: "Sea otters" } },
      expect: [{ contains: "Sea otters", maxWords: 10 }],
    });
    const beside = path.join(project, "tests", "sea-otters-2.recording.jsonl");
    assert.equal(await readFile(beside, "utf8"), recording);
    await rm(project, { recursive: true });
  });
});
