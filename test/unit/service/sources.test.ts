import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Sources } from "../../../src/service/crewai/sources.ts";
import { temporaryFolder } from "../../support/folders.ts";

describe("the files with which an execution began", () => {
  let folder: string;
  let project: string;
  let copies: string;
  let sources: Sources;
  beforeEach(async () => {
    folder = temporaryFolder("sources");
    [project, copies] = [path.join(folder, "project"), path.join(folder, "copies")];
    writeFiles(project, { "crew.py": "first" });
    sources = new Sources(project, copies);
    await sources.keep("one");
  });

  const folderNow = () => sources.folderFor("one", "crew.py");

  it("are the project's own until they change, and then a copy", async () => {
    assert.equal(await folderNow(), project);
    writeFiles(project, { "crew.py": "second" });
    await sources.keep("one");
    const copy = await folderNow();
    assert.equal(readFileSync(path.join(copy, "crew.py"), "utf8"), "first");
    assert.notEqual(copy, project);
  });

  it("are the project's own on a machine without the copy", async () => {
    writeFiles(project, { "crew.py": "second" });
    await sources.forget("one");
    assert.equal(await folderNow(), project);
  });

  it("are never the changed project because the copy can't be read", async () => {
    writeFiles(project, { "crew.py": "second" });
    await sources.forget("one");
    writeFiles(copies, { one: "not a folder" });
    await assert.rejects(folderNow(), { code: "ENOTDIR" });
  });
});

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(path.join(folder, name), content);
}
