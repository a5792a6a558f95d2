import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { runNpm } from "../support/commands.ts";
import { projectFolder } from "../support/folders.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { kickOffStory, startExampleCrew } from "../ui/story.ts";

/** Every file that ships, besides the chunks of the extension's code as they are built. A new one is added here on purpose, or not shipped. */
const shipped = [
  ".vsixmanifest",
  "LICENSE.txt",
  "changelog.md",
  "dist/ThirdPartyNotices.txt",
  "dist/extension.js",
  "dist/service.mjs",
  "dist/webview/form.css",
  "dist/webview/form.js",
  "l10n/bundle.l10n.json",
  "media/crewdeck.svg",
  "media/example-crew/README.md",
  "media/example-crew/pyproject.toml",
  "media/example-crew/src/example_crew/__init__.py",
  "media/example-crew/src/example_crew/config/agents.yaml",
  "media/example-crew/src/example_crew/config/tasks.yaml",
  "media/example-crew/src/example_crew/crew.py",
  "media/example-crew/src/example_crew/main.py",
  "media/icon.png",
  "media/kickoff.schema.json",
  "media/screenshots/compare.png",
  "media/screenshots/form-dark.png",
  "media/screenshots/form-light.png",
  "media/screenshots/reject-dark.png",
  "media/screenshots/reject-light.png",
  "media/screenshots/watch-dark.png",
  "media/screenshots/watch-light.png",
  "media/screenshots/welcome-dark.png",
  "media/screenshots/welcome-light.png",
  "package.json",
  "package.nls.json",
  "readme.md",
];

const { version } = JSON.parse(readFileSync(path.join(projectFolder, "package.json"), "utf8")) as {
  version: string;
};
const vsix = path.join(projectFolder, `crewdeck-${version}.vsix`);

describe("The package", () => {
  let window: VSCodeWindow;

  before(async () => {
    rmSync(vsix, { force: true });
    await runNpm(["run", "package"], projectFolder);
    window = await openWindow({ extension: vsix });
  });

  after(async () => {
    await window.close();
  });

  // The pictures of README and walkthrough take about a third of it.
  it("is smaller than 700 KB", () => {
    assert.ok(existsSync(vsix), `npm run package writes ${path.basename(vsix)}`);
    assert.ok(statSync(vsix).size < 700_000, `${statSync(vsix).size} bytes`);
  });

  it("holds exactly what is meant to ship: no modules, no maps, no tests", () => {
    const folder = path.join(window.dataFolder, "extensions", `crewdeck.crewdeck-${version}`);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const files = entries.map((entry) =>
      path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"),
    );
    const isChunk = (file: string) => file.startsWith("dist/chunks/");
    assert.deepEqual(files.filter((file) => !isChunk(file)).sort(), shipped);
    assert.deepEqual(
      files.filter(isChunk).sort(),
      readdirSync(path.join(projectFolder, "dist", "chunks"))
        .map((name) => `dist/chunks/${name}`)
        .sort(),
    );
  });

  it("once installed runs the example crew until it waits for a person", async () => {
    await startExampleCrew(window);
    await kickOffStory(window);
  });
});
