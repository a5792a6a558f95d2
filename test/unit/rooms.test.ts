import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { projectFolder } from "../support/folders.ts";

/** What eslint.config.mjs exports about the rooms of `src`. */
interface Walls {
  readonly rooms: Readonly<Record<string, readonly string[]>>;
  readonly typesOnly: Readonly<Record<string, readonly string[]>>;
  readonly closedToExtension: readonly string[];
}

const contributing = readFileSync(path.join(projectFolder, "CONTRIBUTING.md"), "utf8");

describe("the table of rooms in CONTRIBUTING.md", () => {
  let walls: Walls;
  let cells: ReadonlyMap<string, string>;
  before(async () => {
    walls = (await import(
      pathToFileURL(path.join(projectFolder, "eslint.config.mjs")).href
    )) as Walls;
    const rows = [...contributing.matchAll(/^\| `([\w.-]+)\/?` \| .+ \| (.+) \|$/gm)];
    cells = new Map(rows.map(([, room, mayImport]) => [room ?? "", mayImport ?? ""]));
  });

  it("has every room of `src`, as the linter has", () => {
    const folders = readdirSync(path.join(projectFolder, "src"), { withFileTypes: true }).filter(
      (entry) => entry.isDirectory(),
    );
    assert.deepEqual(Object.keys(walls.rooms).sort(), folders.map(({ name }) => name).sort());
    const listed = [...cells.keys()].sort();
    assert.deepEqual(listed, ["extension.ts", ...Object.keys(walls.rooms)].sort());
  });

  it("says for each room what the linter lets it import", () => {
    const above: string[] = [];
    for (const [room, cell] of cells) {
      if (room === "extension.ts") continue;
      const [code = "", types = ""] = cell.split("; types of ");
      const named = [...(code.startsWith("the rooms above") ? above : []), ...namesIn(code)];
      const allowed = walls.rooms[room] ?? [];
      assert.deepEqual(
        named.filter((other) => other !== "editor").sort(),
        allowed.filter((other) => other !== "vscode" && other !== "editor").sort(),
        room,
      );
      assert.deepEqual(namesIn(types), walls.typesOnly[room] ?? [], `types for ${room}`);
      above.push(room);
    }
    assert.deepEqual(namesIn(cells.get("extension.ts") ?? ""), walls.closedToExtension);
  });

  it("says which rooms never import vscode; all others may, and the editor's room with it", () => {
    const [, sentence = ""] =
      /^(.+) never import `vscode`; every other room may, and `editor` with it\./m.exec(
        contributing,
      ) ?? [];
    const without = Object.keys(walls.rooms).filter(
      (room) => !walls.rooms[room]?.includes("vscode"),
    );
    assert.deepEqual(namesIn(sentence).sort(), without.sort());
    for (const [room, allowed] of Object.entries(walls.rooms)) {
      if (room !== "editor")
        assert.equal(allowed.includes("editor"), allowed.includes("vscode"), room);
    }
  });
});

/** The names between backticks. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? "");
}
