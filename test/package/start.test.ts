import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { exampleCopy } from "../../scripts/start/example-copy.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { leaveNothingBehind } from "../support/leave-nothing.ts";
import { endFamily, familyOf, runningProcesses, signal } from "../support/processes.ts";
import { extensionHostsOf } from "../support/vscode-server.ts";
import { waitFor } from "../support/wait.ts";
import { openAddress, type VSCodeWindow } from "../support/window.ts";
import { openForm } from "../ui/person.ts";

describe("npm start", () => {
  const dataFolder = temporaryFolder("start");
  const logFile = path.join(dataFolder, "npm-start.log");
  const copy = path.join(dataFolder, "example-crew");
  let npm: number;
  let window: VSCodeWindow | undefined;

  before(() => {
    writeFileSync(logFile, "");
    const env = { ...process.env, CREWDECK_START_DATA: dataFolder, CREWDECK_VSCODE: "server" };
    const own = process.env["npm_execpath"];
    const [program, first] =
      own?.endsWith("npm-cli.js") === true ? [process.execPath, [own]] : ["npm", []];
    const child = spawn(program, [...first, "start"], {
      cwd: projectFolder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer): void => writeFileSync(logFile, chunk, { flag: "a" });
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    npm = child.pid ?? 0;
    leaveNothingBehind(npm);
  });

  // Not in the test, which has not failed yet while it runs: the evidence is saved when the window closes.
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });

  after(async () => {
    await endFamily(npm);
    rmSync(dataFolder, { recursive: true, force: true });
  });

  it("keeps a person's changes in the copy of the example crew", () => {
    const folder = temporaryFolder("example-copy");
    const changed = path.join(exampleCopy(folder), "pyproject.toml");
    writeFileSync(changed, "changed");
    exampleCopy(folder);
    assert.equal(readFileSync(changed, "utf8"), "changed");
  });

  it("prints an address where a copy of the example crew is connected; the token survives a reload", async () => {
    const address = await waitFor(
      "the address",
      () => /Crewdeck is running: (\S+)/.exec(readFileSync(logFile, "utf8"))?.[1],
    );
    assert.equal(
      new URL(address).searchParams.get("folder"),
      copy,
      "what is saved there changes no file of the project",
    );
    assert.deepEqual(
      readdirSync(copy).sort(),
      readdirSync(path.join(projectFolder, "media", "example-crew")).sort(),
    );
    window = await openAddress(address, {
      dataFolder,
      logFile,
      extensionHosts: () => extensionHostsOf(npm),
    });
    await window.tree.open("Crewdeck");
    await window.tree.row("example_crew").waitFor();
    // VS Code would close the list if the view took the focus once the crew runs.
    await window.runCommand("Crewdeck: Serve…");
    const { quickInput } = window;
    await quickInput.waitFor("Which crew?");
    await waitFor("the crews to choose from", async () =>
      (await quickInput.labels()).includes("Choose a folder…"),
    );
    assert.equal(
      (await quickInput.labels()).filter((label) => label === "example_crew").length,
      1,
      "the copy is the example crew",
    );
    await quickInput.dismiss();
    await window.reload();
    await openForm(window, "example_crew");
    // The form's fields come from the crew, which requires its token.
    await window.webview.content.getByRole("textbox", { name: "topic" }).waitFor();
  });

  it("ends all its processes on SIGTERM", async () => {
    const family = familyOf(npm).map((one) => one.pid);
    assert.ok(family.length > 1, "npm and VS Code's server run");
    signal(npm, "SIGTERM");
    await waitFor(
      "everything to end",
      () => !runningProcesses().some((one) => family.includes(one.pid)),
    );
  });
});
