import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../support/folders.ts";

const read = (file: string) => readFileSync(path.join(projectFolder, file), "utf8");
const titles = Object.entries(
  JSON.parse(read("package.nls.json")) as Record<string, string>,
).flatMap(([key, title]) => (key.startsWith("command.") ? [title] : []));

describe("texts that name a command of the palette", () => {
  it("name an existing one by its exact title", () => {
    const files = [
      ...globSync("src/**/*.ts", { cwd: projectFolder }),
      "media/example-crew/README.md",
      "README.md",
      "CHANGELOG.md",
      "package.nls.json",
    ];
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/[“"`]Crewdeck: ([A-Z{][^”"`]+)[”"`]/g)].flatMap(([, title]) =>
        title?.startsWith("{") === true ? [] : [{ file, title }],
      ),
    );
    assert.ok(named.length >= 20, String(named.length));
    assert.deepEqual(
      named.filter(({ title }) => !titles.includes(title ?? "")),
      [],
    );
  });
});
