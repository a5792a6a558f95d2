import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSources } from "../../../src/service/crewai/sources.ts";
import { temporaryFolder } from "../../support/folders.ts";

describe("the files with which an execution began", () => {
  let folder: string;
  let project: string;
  let copies: string;
  let sources: ReturnType<typeof openSources>;
  beforeEach(async () => {
    folder = temporaryFolder("sources");
    [project, copies] = [path.join(folder, "project"), path.join(folder, "copies")];
    writeFiles(project, { "crew.py": "first" });
    sources = openSources(project, copies);
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

  it("are copied once for all executions that began with them, and stay until none needs them", async () => {
    const filesNow = () => readdirSync(copies, { recursive: true }).map(String);
    await Promise.all(["two", "three"].map((id) => sources.keep(id)));
    assert.equal(filesNow().filter((name) => name.endsWith("crew.py")).length, 1);
    for (const id of ["one", "two"]) await sources.forget(id);
    writeFiles(project, { "crew.py": "second" });
    await Promise.all(["four", "five"].map((id) => sources.keep(id)));
    const copy = await sources.folderFor("three", "crew.py");
    assert.equal(readFileSync(path.join(copy, "crew.py"), "utf8"), "first");
    assert.equal(await sources.folderFor("four", "crew.py"), project);
    await sources.forget("three");
    assert.equal(existsSync(copy), false);
    assert.equal(filesNow().filter((name) => name.endsWith("crew.py")).length, 1);
    assert.deepEqual(
      filesNow().filter((name) => name.endsWith(".partial")),
      [],
    );
  });

  it("are those of an execution's own copy, which an earlier version made", async () => {
    writeFiles(path.join(copies, "old"), { "crew.py": "older" });
    await sources.keep("old");
    const copy = await sources.folderFor("old", "crew.py");
    assert.equal(readFileSync(path.join(copy, "crew.py"), "utf8"), "older");
    await sources.forget("old");
    assert.equal(await sources.folderFor("old", "crew.py"), project);
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
