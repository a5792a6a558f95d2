import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyFolder, removeWhole } from "../../../src/actions/remove-whole.ts";

describe("deleting files", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "crewdeck-remove-"));
    await mkdir(path.join(folder, "a", "b"), { recursive: true });
    for (const name of ["x", "a/y", "a/b/z"]) await writeFile(path.join(folder, name), name);
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("deletes a folder with its contents, without an error if there is none", async () => {
    await chmod(path.join(folder, "a", "b", "z"), 0o444);
    assert.deepEqual(await removeWhole(path.join(folder, "a")), []);
    assert.deepEqual(await readdir(folder), ["x"]);
    assert.deepEqual(
      [await removeWhole(path.join(folder, "a")), await emptyFolder(path.join(folder, "a"))],
      [[], []],
    );
  });

  it("keeps the given paths with the folders around them, and the emptied folder", async () => {
    assert.deepEqual(await emptyFolder(folder, [path.join(folder, "a", "b")]), []);
    assert.deepEqual(await readdir(folder, { recursive: true }), [
      "a",
      path.join("a", "b"),
      path.join("a", "b", "z"),
    ]);
  });

  it("does not follow links out of the folder", async () => {
    const elsewhere = await mkdtemp(path.join(tmpdir(), "crewdeck-elsewhere-"));
    try {
      await writeFile(path.join(elsewhere, "mine"), "mine");
      await symlink(elsewhere, path.join(folder, "a", "link"));
      assert.deepEqual(await emptyFolder(folder), []);
      assert.ok((await stat(path.join(elsewhere, "mine"))).isFile());
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it("continues if something can't be deleted, and reports what and why", async function () {
    // Root can delete any file, but a path with this name is invalid on every system.
    const impossible = path.join(folder, "no\u0000name");
    const [left] = await removeWhole(impossible);
    assert.equal(left?.path, impossible);
    if (process.getuid?.() === 0 || process.platform === "win32") return;
    await chmod(path.join(folder, "a", "b"), 0o555);
    const kept = await emptyFolder(folder);
    await chmod(path.join(folder, "a", "b"), 0o755);
    assert.deepEqual(
      kept.map((each) => each.path),
      [path.join(folder, "a", "b", "z")],
    );
    assert.deepEqual(await readdir(folder), ["a"]);
  });
});
