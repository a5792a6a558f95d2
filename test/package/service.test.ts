import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { runNpm } from "../support/commands.ts";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { endFamily } from "../support/processes.ts";
import { type Outputs, outputsIn, packagesIn, sourcesIn } from "./bundles.ts";

/** Every file that ships, except the chunks of the program. Add a new file here before it can ship. */
const shipped = [
  "LICENSE",
  "README.md",
  "ThirdPartyNotices.txt",
  "dist/crewdeck_worker/__init__.py",
  "dist/crewdeck_worker/__main__.py",
  "dist/crewdeck_worker/attempt.py",
  "dist/crewdeck_worker/flow.py",
  "dist/crewdeck_worker/project.py",
  "dist/crewdeck_worker/protocol.py",
  "dist/service.mjs",
  "media/example-crew/README.md",
  "media/example-crew/pyproject.toml",
  "media/example-crew/src/example_crew/__init__.py",
  "media/example-crew/src/example_crew/config/agents.yaml",
  "media/example-crew/src/example_crew/config/tasks.yaml",
  "media/example-crew/src/example_crew/crew.py",
  "media/example-crew/src/example_crew/main.py",
  "package.json",
];

const { version } = JSON.parse(readFileSync(path.join(projectFolder, "package.json"), "utf8")) as {
  version: string;
};

describe("The npm package of the service", () => {
  const folder = temporaryFolder("npm");
  const tarball = path.join(folder, `crewdeck-${version}.tgz`);
  const project = path.join(folder, "project");
  const installed = path.join(project, "node_modules", "crewdeck");
  const started: number[] = [];

  before(async () => {
    await runNpm(["run", "package:service", "--", "--out", folder], projectFolder);
    mkdirSync(project);
    const cache = ["--cache", path.join(folder, "cache")];
    await runNpm(["install", "--offline", ...cache, tarball], project);
  });

  afterEach(async () => {
    for (const pid of started.splice(0)) await endFamily(pid);
  });

  it("contains exactly the files that ship, and needs no other package", () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
      .sort();
    const sizes = files.map((file) => `${file} ${statSync(path.join(installed, file)).size}`);
    console.log(`      ${path.basename(tarball)} ${statSync(tarball).size} bytes`);
    for (const line of sizes) console.log(`        ${line}`);
    const isChunk = (file: string) => /^dist\/service-[\w-]+\.mjs$/.test(file);
    assert.deepEqual(
      files.filter((file) => !isChunk(file)),
      shipped,
    );
    assert.deepEqual(
      readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith(".")),
      ["crewdeck"],
    );
    assert.deepEqual(JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")), {
      name: "crewdeck",
      version,
      description: "Serves crews of AI agents behind the Crew Execution API",
      license: "MIT",
      type: "module",
      bin: { crewdeck: "dist/service.mjs" },
      engines: { node: ">=22.13.0" },
    });
    for (const file of files.filter((name) => name.endsWith(".mjs")))
      assert.doesNotMatch(readFileSync(path.join(installed, file), "utf8"), /sourceMappingURL=/);
  });

  it("lists exactly the packages whose code is in it, with their licences", () => {
    const notices = readFileSync(path.join(installed, "ThirdPartyNotices.txt"), "utf8");
    const names = [...notices.matchAll(/^={80}\n(\S+) \d\S* \(.+\)\n={80}$/gm)].map(
      ([, name]) => name,
    );
    const programs = readdirSync(path.join(installed, "dist")).map((name) => `dist/${name}`);
    assert.deepEqual(names, packagesIn(outputsIn("service-metafile.json"), programs));
    assert.ok(names.includes("hono") && names.includes("pg-boss"), names.join(" "));
  });

  it("loads nothing but its options before it has checked the version of Node", () => {
    const outputs = outputsIn("service-metafile.json");
    const loaded = withStaticImports(outputs, "dist/service.mjs");
    const sources = sourcesIn(outputs, loaded);
    assert.ok(sources.includes("src/service/options.ts"), sources.join(" "));
    assert.ok(!sources.includes("src/service/serve.ts"), sources.join(" "));
    // Runs on any Node that knows modules.
    assert.deepEqual(packagesIn(outputs, loaded), ["@vscode/l10n"]);
  });

  it("has the same bytes when it is built again", async () => {
    const again = temporaryFolder("npm-again");
    await runNpm(["run", "package:service", "--", "--out", again], projectFolder);
    assert.ok(
      readFileSync(path.join(again, path.basename(tarball))).equals(readFileSync(tarball)),
      "the bytes differ",
    );
  });

  it("serves the example crew until it waits for a person", async () => {
    const api = new CrewApi(await start("serve", "--port", "0", "--task-seconds", "0.05"));
    const id = await api.kickoff({ inputs: { topic: "tea", audience: "colleagues" } });
    const { task_output } = (await api.untilWaiting(id)).pending_human_input;
    assert.match(task_output, /no language model was called/);
  });

  it("passes callbacks on as a relay", async () => {
    const { url } = await start("relay", "--port", "0");
    assert.equal((await fetch(url)).status, 200);
  });

  /** Runs a command of the installed package until it listens. It ends with the test. */
  async function start(...args: readonly string[]): Promise<{ url: string; token: string }> {
    const data = path.join(folder, `data-${args[0]}`);
    const child = spawn("npx", ["--no-install", "crewdeck", ...args, "--data", data], {
      cwd: project,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(child.pid ?? 0);
    const [line] = (await Promise.race([
      once(createInterface({ input: child.stdout }), "line"),
      once(child, "close").then(([code]) => assert.fail(`It ended with code ${code}.`)),
    ])) as [string];
    return JSON.parse(line) as { url: string; token: string };
  }
});

/** A file of the build with all that it loads at once. */
function withStaticImports(outputs: Outputs, file: string): string[] {
  const imports = outputs[file]?.imports ?? [];
  const loaded = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
  return [file, ...loaded.flatMap((one) => withStaticImports(outputs, one.path))];
}
