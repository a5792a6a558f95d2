import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { startService, type RunningService } from "../support/service.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";

const wrongToken = "wrong-token-3f9c2b7d";

describe("Connecting a crew, in the window", () => {
  let service: RunningService;
  let window: VSCodeWindow;
  let token: string;

  before(async () => {
    service = await startService();
    token = service.userToken;
    window = await openWindow();
    await window.tree.open("Crewdeck");
  });

  after(async () => {
    await window.close();
    await service.stop();
  });

  it("hides the token while it is typed", async () => {
    const { messages, page, quickInput, tree } = window;
    await page.getByRole("button", { name: "Connect a Crew", exact: true }).click();
    await quickInput.waitFor("Address of the crew");
    await quickInput.input.fill(`  ${service.url}/kickoff/ `);
    await quickInput.widget.getByText(`Connects to ${service.url}`, { exact: false }).waitFor();
    await quickInput.press("Enter");
    await quickInput.waitFor("Status tab of the crew's page in the dashboard");
    assert.equal(await quickInput.input.getAttribute("type"), "password");
    await quickInput.answer("Token for", wrongToken);
    await quickInput.choose("Which type of token", "User Bearer Token");
    await quickInput.answer("Name of the crew", "Writers");
    await messages.confirm("“Writers” is not connected yet", "Edit Token");
    await quickInput.answer("Token for", token);
    await tree.row("Writers").waitFor();
  });

  // VS Code's server from the npm registry writes no extension logs (a native module is missing), so unit tests check them.
  it("writes the token to no file", async () => {
    await window.close({ isKept: true });
    const files = filesIn(window.dataFolder);
    const holds = (text: string) =>
      files.filter(
        ({ content }) => content.includes(text) || content.includes(Buffer.from(text, "utf16le")),
      );
    assert.ok(holds(path.basename(window.workspace)).length > 0, "what VS Code keeps is found");
    const found = [token, wrongToken].flatMap(holds).map(({ file }) => file);
    assert.deepEqual(found, []);
    rmSync(window.dataFolder, { recursive: true });
  });
});

/** All files that a VS Code stores: the browser's profile, settings, logs, the extension's storage. The extension itself is linked. */
function filesIn(dataFolder: string) {
  const within = (part: string) =>
    readdirSync(path.join(dataFolder, part), { recursive: true }).map((name) =>
      path.join(part, String(name)),
    );
  return [...within("browser"), ...within("data"), "server.log"]
    .map((name) => path.join(dataFolder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .map((file) => ({ file, content: readFileSync(file) }));
}
