import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { readProject } from "../../../src/projects/read.ts";
import { remembering } from "../../../src/projects/reading.ts";
import { waitFor } from "../../support/wait.ts";
import { classic, folderWith } from "./folder.ts";

describe("a project that was read", () => {
  it("is read again once a file has changed, or is new, and not before", async () => {
    const folder = await folderWith(classic);
    const read = remembering(() => readProject(folder));
    const remembered = () =>
      waitFor("a reading to be remembered", async () => (await read()) === (await read()));
    const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
    await remembered();
    await write("pyproject.toml", '[project]\nname = "poems"\n');
    assert.equal((await read()).project.name, "poems");
    await remembered();
    // File systems may give two changes the same time.
    for (const letter of "abcdefghijklmnopqrst") {
      await write("config/tasks.yaml", classic["config/tasks.yaml"].replace("Write", letter));
      assert.equal((await read()).project.tasks[0]?.description, `${letter} on {topic}`);
    }
  });
});
