import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import { offer } from "../../src/editor/errors.ts";
import { Intents } from "../../src/executions/intents.ts";
import { RefusedTokens } from "../../src/views/refused-tokens.ts";
import { waitFor } from "../support/wait.ts";

const crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };

describe("a crew that refuses its token while it is watched", () => {
  const { showErrorMessage } = vscode.window;
  let folder: string;
  let shown: string[][];
  let windows: { readonly refused: RefusedTokens; readonly parks: vscode.EventEmitter<{ readonly crew: typeof crew; readonly error: CrewApiError }> }[];
  const error = new CrewApiError({ kind: "unauthorized", status: 401, tokenType: "userBearer", message: "No.", remedy: "Set it." });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "crewdeck-refused-"));
    shown = [];
    Object.assign(vscode.window, { showErrorMessage: (...said: string[]) => (shown.push(said), Promise.resolve("Ran")) });
    windows = [1, 2].map(() => {
      const parks = new vscode.EventEmitter<{ readonly crew: typeof crew; readonly error: CrewApiError }>();
      const tracker = { onDidPark: parks.event, onDidChange: () => ({ dispose: () => undefined }), parkedCrews: () => new Map([[crew.id, error]]) };
      return { parks, refused: new RefusedTokens({ tracker, lease: { confirm: () => Promise.resolve(true) }, told: new Intents(folder) }) };
    });
  });

  afterEach(async () => {
    for (const { refused } of windows) refused.dispose();
    Object.assign(vscode.window, { showErrorMessage });
    await rm(folder, { recursive: true });
  });

  it("is told once, in one window, with the token that it was and what can be done, which is done when it is pressed", async () => {
    const ran: unknown[] = [];
    const command = vscode.commands.registerCommand("crewdeck-test.replaceToken", (argument: unknown) => ran.push(argument));
    try {
      offer(error, [{ title: "Ran", command: "crewdeck-test.replaceToken", arguments: [{ crew: crew.id, tokenType: "userBearer" }] }, { title: "Other", command: "crewdeck-test.other" }]);
      for (const { parks } of windows) parks.fire({ crew, error });
      await waitFor("the button's command", () => ran.length > 0);
      for (const { parks } of windows) parks.fire({ crew, error });
      // What comes after it in the same window has had its turn when this has.
      await waitFor("every question to be answered", async () => (await new Intents(folder).all()).length === 1);
      assert.deepEqual(shown, [["Writers no longer accepts the user's token (User Bearer Token), so its executions are not asked for.", "Ran", "Other"]]);
      assert.deepEqual(ran, [{ crew: crew.id, tokenType: "userBearer" }]);
    } finally {
      command.dispose();
    }
  });
});
