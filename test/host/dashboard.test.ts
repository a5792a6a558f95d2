import assert from "node:assert/strict";
import * as vscode from "vscode";
import { openDashboard } from "../../src/crews/connect.ts";
import { UserError } from "../../src/base/errors.ts";

describe("a crew's dashboard", () => {
  const crew = {
    id: "url:https://crew.example.com",
    name: "Travel",
    url: "https://crew.example.com",
  };
  const { openExternal } = vscode.env;
  let opened: string[];

  beforeEach(() => {
    opened = [];
    Object.defineProperty(vscode.env, "openExternal", {
      configurable: true,
      value: (uri: vscode.Uri) => Promise.resolve(opened.push(uri.toString(true)) > 0),
    });
  });
  afterEach(() =>
    Object.defineProperty(vscode.env, "openExternal", { configurable: true, value: openExternal }),
  );

  it("opens in the browser if its address is known", async () => {
    assert.equal(
      await openDashboard({ ...crew, dashboardUrl: "https://app.example.com/crews/7?tab=status" }),
      "https://app.example.com/crews/7?tab=status",
    );
    assert.deepEqual(opened, ["https://app.example.com/crews/7?tab=status"]);
  });

  it("doesn't open without a valid address; the message offers to edit the crew", async () => {
    for (const address of [
      {},
      { dashboardUrl: "file:///etc/passwd" },
      { dashboardUrl: "command:workbench.action.quit" },
    ]) {
      await assert.rejects(
        openDashboard({ ...crew, ...address }),
        (error) => error instanceof UserError && error.actions[0]?.command === "crewdeck.editCrew",
      );
    }
    assert.deepEqual(opened, []);
  });
});
