import assert from "node:assert/strict";
import * as vscode from "vscode";
import { askerOf, person, program } from "../../src/actions/asker.ts";

describe("Who runs a command", () => {
  it("is a person without an argument, or with that of a row, a document, a button or a link", () => {
    const uri = vscode.Uri.parse("crewdeck:/x");
    for (const argument of [
      undefined,
      null,
      uri,
      { kind: "crew" },
      { by: "person" },
      { by: "link" },
    ])
      assert.equal(askerOf(argument), person);
  });

  it("is a program with any other argument, also if the command's own is called “by”", () => {
    for (const argument of [{}, "x", { crew: "A" }, { by: "day" }, { by: "colour" }, { by: true }])
      assert.equal(askerOf(argument), program);
  });
});
