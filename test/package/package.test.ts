import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { packageProblems } from "../../scripts/build/package-problems.ts";
import { runCommand, runNpm } from "../support/commands.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { filesInZip } from "../support/zip.ts";
import { shippedInBoth } from "./bundles.ts";
import { kickOffStory, startExampleCrew } from "../ui/story.ts";

/** Every file that ships, except the chunks of code that is loaded or shared later. Add a new file here before it can ship. */
const shipped = [
  ...shippedInBoth,
  ".vsixmanifest",
  "LICENSE.txt",
  "changelog.md",
  "dist/ThirdPartyNotices.txt",
  "dist/extension.js",
  "dist/webview/batch.css",
  "dist/webview/batch.js",
  "dist/webview/comparison.css",
  "dist/webview/comparison.js",
  "dist/webview/form.css",
  "dist/webview/form.js",
  "dist/webview/page.css",
  "dist/webview/page.js",
  "dist/webview/timeline.css",
  "dist/webview/timeline.js",
  "media/crew-execution.tmLanguage.json",
  "media/crewdeck.server.schema.json",
  "media/crewdeck.svg",
  "media/icon.png",
  "media/kickoff.schema.json",
  ...["form", "page", "timeline", "welcome"].flatMap((picture) =>
    ["dark", "light"].map((theme) => `media/screenshots/${picture}-${theme}.webp`),
  ),
  ...["form", "welcome"].map((picture) => `media/screenshots/${picture}-hc.webp`),
  "media/timeline.svg",
  "package.json",
  "package.nls.json",
  "readme.md",
].sort();

const notShipped = /-(getMachineId-\w+|operations|send|serve-relay|spans|postgres|token-command)-/;

const readme = readFileSync(path.join(projectFolder, "README.md"), "utf8");
const { version } = JSON.parse(readFileSync(path.join(projectFolder, "package.json"), "utf8")) as {
  version: string;
};
const vsix = path.join(projectFolder, `crewdeck-${version}.vsix`);

describe("The package", () => {
  let window: VSCodeWindow;

  before(async () => {
    rmSync(vsix, { force: true });
    // As Python leaves it where the example crew has run.
    const compiled = path.join(projectFolder, "media/example-crew/src/example_crew/__pycache__");
    mkdirSync(compiled, { recursive: true });
    writeFileSync(path.join(compiled, "crew.pyc"), "");
    await runNpm(["run", "package"], projectFolder);
    rmSync(compiled, { recursive: true });
    window = await openWindow({ extension: vsix });
  });

  after(async () => {
    await window.close();
  });

  it("has at most 1 MB", () => {
    assert.ok(existsSync(vsix), `npm run package writes ${path.basename(vsix)}`);
    console.log(`      ${path.basename(vsix)} ${statSync(vsix).size} bytes`);
    assert.ok(statSync(vsix).size <= 1_000_000, `${statSync(vsix).size} bytes`);
  });

  it("contains exactly the files that ship: no modules, no source maps, no tests", () => {
    const folder = path.join(window.dataFolder, "extensions", `crewdeck.crewdeck-${version}`);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const files = entries.map((entry) =>
      path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"),
    );
    const isChunk = (file: string) => /\/chunks\/|^dist\/service-/.test(file);
    assert.deepEqual(files.filter((file) => !isChunk(file)).sort(), shipped);
    const chunks = ["dist/chunks", "dist/webview/chunks"].flatMap((chunkFolder) =>
      readdirSync(path.join(projectFolder, chunkFolder)).map((name) => `${chunkFolder}/${name}`),
    );
    const ofService = readdirSync(path.join(projectFolder, "dist"))
      .map((name) => `dist/${name}`)
      // Only the npm package has what servers, their tokens and relays need.
      .filter((file) => isChunk(file) && !notShipped.test(file));
    assert.deepEqual(files.filter(isChunk).sort(), [...chunks, ...ofService].sort());
  });

  it("has no pictures or relative links on its page without a repository", () => {
    const { page, manifest } = packaged(vsix);
    assert.doesNotMatch(page, /!\[/);
    assert.deepEqual(packageProblems(filesInZip(readFileSync(vsix))), []);
    assert.deepEqual(
      [manifest.repository, manifest.bugs, manifest.homepage],
      [undefined, undefined, undefined],
    );
  });

  it("sets the addresses in the manifest and of pictures and links from --repository", async () => {
    const folder = temporaryFolder("published");
    const out = path.join(folder, "crewdeck.vsix");
    const repository = "https://github.com/example/crewdeck";
    const args = ["scripts/package.ts", "--repository", `${repository}.git`, "--out", out];
    const { code, output } = await runCommand(process.execPath, args, { cwd: projectFolder });
    assert.equal(code, 0, output);
    const { page, manifest, links } = packaged(out);
    assert.deepEqual(manifest.repository, { type: "git", url: repository });
    assert.deepEqual(manifest.bugs, { url: `${repository}/issues` });
    assert.equal(manifest.homepage, `${repository}#readme`);
    for (const address of [`${repository}.git`, `${repository}/issues`, `${repository}#readme`])
      assert.ok(links.includes(`Value="${address}"`), address);
    const picturesIn = (text: string) =>
      [...text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, file]) => file);
    const inReadme = picturesIn(readme).map((file) => `${repository}/raw/HEAD/${file}`);
    assert.deepEqual(picturesIn(page), inReadme);
  });

  it("isn't written for a host whose file addresses are unknown, unless they are given", async () => {
    const args = ["scripts/package.ts", "--repository", "https://git.example.com/crewdeck"];
    const { code, output } = await runCommand(process.execPath, args, { cwd: projectFolder });
    assert.equal(code, 2);
    assert.doesNotMatch(output, /\n {4}at /, "no stack");
    assert.match(
      output,
      /Give --baseContentUrl and --baseImagesUrl, too, for files at git\.example\.com/,
    );
  });

  it("runs the example crew, once installed, until it waits for a person", async () => {
    await startExampleCrew(window);
    await kickOffStory(window);
  });
});

/** The page and the manifest in a package, and the manifest that a marketplace reads. */
function packaged(file: string): {
  readonly page: string;
  readonly manifest: Readonly<Record<"repository" | "bugs" | "homepage", unknown>>;
  readonly links: string;
} {
  const files = filesInZip(readFileSync(file));
  return {
    page: files.get("extension/readme.md") ?? "",
    manifest: JSON.parse(files.get("extension/package.json") ?? "") as ReturnType<
      typeof packaged
    >["manifest"],
    links: files.get("extension.vsixmanifest") ?? "",
  };
}
