import assert from "node:assert/strict";
import * as vscode from "vscode";
import { json } from "../support/misbehaving-server.ts";
import { waitFor } from "../support/wait.ts";
import { run } from "./extension.ts";
import { readAsText } from "./read-as-text.ts";
import { serveAnswers } from "./real-service.ts";

const crew = "Doubted";
const kickoffId = "k-doubted";

describe("The document of an execution that can't be refreshed", () => {
  readAsText();
  let status = 200;
  serveAnswers(
    crew,
    () => json(status, { status: "running" }),
    () => undefined,
  );

  it("shows below its headline why it may be out of date, until the crew responds again", async () => {
    await run("trackExecution", { crew, kickoffId });
    await run("openExecution", { crew, kickoffId });
    const { document } = vscode.window.activeTextEditor!;
    const doubt = () =>
      document
        .getText()
        .split("\n")
        .find((line) => line.startsWith(">"));
    await waitFor("the state", () => /^Running/m.test(document.getText()));
    assert.equal(doubt(), undefined);
    status = 503;
    await run("refresh", { crew, kickoffId });
    await waitFor("the text", () => /503.*This is the last known state\.$/.test(doubt() ?? ""));
    assert.match(document.lineAt(4).text, /^>/);
    status = 200;
    await run("refresh", { crew, kickoffId });
    await waitFor("no more of it", () => doubt() === undefined);
  });
});
