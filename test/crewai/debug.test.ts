import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import {
  crewaiEnv,
  crewaiProject,
  needsCrewai,
  newestCrewai,
  pythonWith,
  uv,
} from "../support/crewai.ts";
import { serveProject, startModel } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { installOnce } from "../support/install-once.ts";
import { weatherAnswer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/folders.ts";
import { linkExtension } from "../support/vscode-server.ts";
import { waitFor } from "../support/wait.ts";
import { openWindow } from "../support/window.ts";

const run = promisify(execFile);
const inputs = { city: "oslo", readers: "" };

/** Resolves to the folder that has debugpy. */
async function debuggerPackages(): Promise<string> {
  return await installOnce("debugpy-1.8.22", async (target) => {
    await run(await uv(), ["pip", "install", "--quiet", "--target", target, "debugpy==1.8.22"]);
  });
}

describe("a crew under a debugger", () => {
  needsCrewai();

  it("says what to install where its Python has no debugger", async () => {
    const project = crewaiProject("weather");
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    const { api } = await serveProject(project, model);
    const id = await api.kickoff({ inputs, debug_port: 9 });
    const { error } = await api.untilEnded(id);
    assert.match(
      String(error),
      /has no debugpy\. Install it in the project: "uv add --dev debugpy"/,
    );
  });
});

/** An interpreter whose environment has crewAI and debugpy. */
async function pythonWithDebugger(): Promise<string> {
  const python = await pythonWith(newestCrewai);
  const packages = await debuggerPackages();
  const folder = temporaryFolder("environment");
  // For who looks what is installed.
  for (const name of ["crewai", `crewai-${newestCrewai}.dist-info`, "debugpy"])
    mkdirSync(path.join(folder, "lib/python3.11/site-packages", name), { recursive: true });
  mkdirSync(path.join(folder, "bin"));
  const file = path.join(folder, "bin", "python");
  writeFileSync(file, `#!/bin/sh\nPYTHONPATH='${packages}' exec '${python}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

/** VS Code's part of the Python debugger, as far as a window needs it: it starts debugpy's own adapter. */
function debuggerExtension(python: string, packages: string): string {
  const folder = path.join(temporaryFolder("debugger"), "debugpy");
  mkdirSync(folder);
  symlinkSync(path.join(packages, "debugpy"), path.join(folder, "debugpy"));
  const debuggers = [
    {
      ...{ type: "debugpy", label: "Python", languages: ["python"] },
      ...{ runtime: python, program: "./debugpy/adapter" },
    },
  ];
  const manifest = {
    ...{ publisher: "ms-python", name: "debugpy", version: "1.0.0", engines: { vscode: "*" } },
    contributes: { breakpoints: [{ language: "python" }], debuggers },
  };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}

describe("a crew under VS Code's debugger", () => {
  needsCrewai();

  it("stops in the window at a breakpoint in a tool, and goes on", async () => {
    const python = await pythonWithDebugger();
    const project = realpathSync(crewaiProject("weather"));
    const model = await startModel((request) => weatherAnswer(request, "A report."));
    const dataFolder = temporaryFolder("window");
    linkExtension(
      path.join(dataFolder, "extensions"),
      debuggerExtension(python, await debuggerPackages()),
    );
    const window = await openWindow({
      ...{ workspace: project, dataFolder, env: crewaiEnv(model) },
      settings: { "crewdeck.python": python },
    });
    atEndOfTest(() => window.close());
    const { page, quickInput, tree, webview } = window;
    await window.runCommand("Go to File...");
    await quickInput.input.fill("thermometer.py:9");
    await quickInput.rows.filter({ hasText: "thermometer.py" }).first().waitFor();
    await quickInput.press("Enter");
    await window.editor.activeTab("thermometer.py").waitFor();
    await window.runCommand("Debug: Toggle Breakpoint");
    await tree.open("Crewdeck");
    await window.runCommand("Crewdeck: Serve…");
    await quickInput.choose("Which crew?", "weather");
    const form = webview.content;
    await form.getByRole("textbox", { name: "city" }).fill("oslo");
    await form.getByRole("textbox", { name: "readers" }).fill("sailors");
    await form.getByRole("button", { name: "Debug", exact: true }).click();
    await page
      .locator(".debug-top-stack-frame-line, .debug-top-stack-frame-column")
      .first()
      .waitFor();
    await window.screenshot("debugged");
    await window.runCommand("Debug: Continue");
    await waitFor("the report", () => model.requests.length > 1);
  });
});
