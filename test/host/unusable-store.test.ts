import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { waitFor } from "../support/wait.ts";
import { SecondWindow } from "./second-window.ts";

describe("A window with an unusable database", () => {
  const second = new SecondWindow();

  const activate = async () => {
    const opened = await second.openWithPerson();
    await waitFor("the message", () => opened.person.shown.length > 0);
    return opened;
  };

  it("activates if the database is of a newer version, explains once what to do, rejects actions with the same message, and changes nothing", async () => {
    const file = path.join(second.storage, "crewdeck.db");
    const newer = new DatabaseSync(file);
    newer.exec("PRAGMA user_version = 99; CREATE TABLE newer (x); INSERT INTO newer VALUES (1)");
    newer.close();
    const before = await readFile(file);
    const { api, person, run } = await activate();
    assert.deepEqual(
      person.shown.map(({ text, choices }) => [text, choices]),
      [
        [
          "Crewdeck's data on this machine was written by a newer version of the extension. It isn't read or changed. Update the extension, then reload the window.",
          ["Show Extension"],
        ],
      ],
    );
    assert.deepEqual(api.executions(), []);
    const says = /written by a newer version of the extension/;
    await assert.rejects(run("startLocalCrew", { folder: second.example }), says);
    await assert.rejects(run("deleteLocalData", { what: "data" }), says);
    await assert.rejects(run("approve", { crew: "x", kickoffId: "y" }), says);
    assert.equal(person.shown.length, 1);
    assert.ok((await readFile(file)).equals(before));
  });

  it("activates if the database can't be opened, explains why once, and rejects actions with the same message", async () => {
    await rm(second.storage, { recursive: true });
    await writeFile(second.storage, "a file in place of the folder");
    const { person, run } = await activate();
    assert.match(person.shown[0]?.text ?? "", /can't be read or written.*Check that the disk/);
    assert.deepEqual(person.shown[0]?.choices, ["Reload Window"]);
    await assert.rejects(
      run("startLocalCrew", { folder: second.example }),
      /can't be read or written/,
    );
    assert.equal(person.shown.length, 1);
  });
});
