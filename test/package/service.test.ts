import assert from "node:assert/strict";
import { spawn, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { runCommand, runNpm } from "../support/commands.ts";
import { CrewApi } from "../support/crew-api.ts";
import { installCrewai, uv } from "../support/crewai.ts";
import { endWithTest } from "../support/ends.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { endFamily } from "../support/processes.ts";
import { type Outputs, outputsIn, packagesIn, shippedInBoth, sourcesIn } from "./bundles.ts";

/** Every file that ships, except the chunks of the program. Add a new file here before it can ship. */
const shipped = [
  ...shippedInBoth,
  "media/example-crew/tests/audiences.1.recording.jsonl",
  "media/example-crew/tests/audiences.2.recording.jsonl",
  "media/example-crew/tests/audiences.kickoff.json",
  "media/example-crew/tests/rejected-outline.kickoff.json",
  "media/example-crew/tests/rejected-outline.recording.jsonl",
  "media/example-crew/tests/tea.kickoff.json",
  "media/example-crew/tests/tea.recording.jsonl",
  "LICENSE",
  "README.md",
  "ThirdPartyNotices.txt",
  "package.json",
].sort();

const { version } = JSON.parse(readFileSync(path.join(projectFolder, "package.json"), "utf8")) as {
  version: string;
};

describe("The npm package of the service", () => {
  const folder = temporaryFolder("npm");
  const tarball = path.join(folder, `crewdeck-${version}.tgz`);
  const project = path.join(folder, "project");
  const installed = path.join(project, "node_modules", "crewdeck");

  before(async () => {
    await runNpm(["run", "package:service", "--", "--out", folder], projectFolder);
    mkdirSync(project);
    const cache = ["--cache", path.join(folder, "cache")];
    await runNpm(["install", "--offline", ...cache, tarball], project);
  });

  it("contains exactly the files that ship, and needs no other package", () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(installed, path.join(entry.parentPath, entry.name)))
      .sort();
    console.log(`      ${path.basename(tarball)} ${statSync(tarball).size} bytes`);
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

  it("passes callbacks on as a relay", async () => {
    const args = ["--no-install", "crewdeck", "relay", "--port", "0", "--data", folder];
    const { url } = await start("npx", args, { cwd: project });
    assert.equal((await fetch(url)).status, 200);
  });
});

/** No container can be built where the tests run: what is below / in the image is below a folder here. */
describe("The steps of the Dockerfile", () => {
  needs(installCrewai);
  const read = (name: string) => readFileSync(path.join(projectFolder, name), "utf8");
  const lines = read("Dockerfile").replaceAll(/\\\n|^#.*\n/gm, "");
  const steps = [...lines.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, name, rest = ""]) => ({
    name,
    rest,
  }));
  const notCopied = [...read(".dockerignore").matchAll(/^\*\*\/(.+)$/gm)].map(([, name]) => name);

  const root = temporaryFolder("dockerfile");
  const context = path.join(root, "context");
  const image = path.join(root, "image");
  const programs = path.join(image, "usr", "local");
  const config = path.join(image, "srv", "config", "crewdeck.server.jsonc");
  const crews = ["first", "second"];
  const env = {
    PATH: [path.join(programs, "bin"), process.env["PATH"]].join(path.delimiter),
    HOME: path.join(root, "home"),
    npm_config_prefix: programs,
    CREWDECK_CONFIG: config,
  };

  before(async () => {
    await runNpm(["run", "package:service", "--", "--out", context], projectFolder);
    // Of an earlier version: it can't be installed.
    writeFileSync(path.join(context, "crewdeck-0.0.9.tgz"), "");
    for (const name of crews) {
      const crew = path.join(context, "crews", name);
      writeCrew(crew, name);
      writeFileSync(path.join(crew, ".env"), "OPENAI_API_KEY=secret");
      await sh(`"${await uv()}" lock --project "${crew}"`, { env });
    }
    let stage = image;
    for (const { name, rest } of steps)
      if (name === "FROM") stage = path.join(root, / AS (\w+)$/.exec(rest)?.[1] ?? "image");
      else if (name === "COPY") await copy(stage, rest);
      else if (name === "RUN") await sh(inImage(stage, rest), { env });
  });

  it("install each crew's packages from its lock, before any other file of it is there", () => {
    const locks = globSync("crews/*/*", { cwd: path.join(root, "locks") }).sort();
    const needed = ["pyproject.toml", "uv.lock"];
    assert.deepEqual(
      locks,
      crews.flatMap((name) => needed.map((file) => `crews/${name}/${file}`)),
    );
    const syncs = steps.filter(({ rest }) => rest.includes("uv sync"));
    assert.deepEqual(
      syncs.map(({ rest }) => rest.includes(" --frozen ")),
      [true, true],
    );
    for (const name of crews) {
      const crew = path.join(image, "srv", "crews", name);
      assert.ok(existsSync(path.join(crew, ".venv", "bin", "python")));
      assert.ok(!existsSync(path.join(crew, ".env")), "keys of models");
    }
  });

  it("install the newest program, which serves two crews until its health check asks in vain", async () => {
    mkdirSync(path.dirname(config));
    const served = crews.map((name) => ({ name, folder: `../crews/${name}`, engine: "rehearsal" }));
    writeFileSync(config, JSON.stringify({ crews: served }));
    const data = path.join(image, "srv", "data");
    const [token = ""] = (await sh(`crewdeck token add smoke --data "${data}"`, { env })).split(
      "\n",
    );
    const args = ["serve", "--data", data, "--port", "0", "--task-seconds", "0"];
    const { url, child } = await start("crewdeck", args, { env });
    for (const name of crews) {
      const api = new CrewApi({ url: `${url}/${name}`, token });
      await api.untilWaiting(await api.kickoff({ inputs: { topic: "tea", audience: "all" } }));
    }
    const { rest = "" } = steps.find(({ name }) => name === "HEALTHCHECK") ?? {};
    const check = rest.replace(/.* CMD /, "").replace("8000", new URL(url).port);
    await sh(check, { env });
    child.kill();
    await once(child, "exit");
    await assert.rejects(sh(check, { env }));
  });

  async function copy(stage: string, rest: string): Promise<void> {
    const [source = "", target = ""] = rest.split(" ").filter((word) => !word.startsWith("--"));
    const to = path.join(stage, target);
    const from = /--from=(\S+)/.exec(rest)?.[1];
    if (from?.includes("/uv:") === true) {
      symlinkSync(await uv(), path.join(to, "uv"));
      return;
    }
    const cwd = from === undefined ? context : path.join(root, from);
    const filter = (file: string) => !notCopied.includes(path.basename(file));
    for (const name of globSync(source.replace(/^\//, ""), { cwd })) {
      const place = target.endsWith("/") ? path.join(to, name) : to;
      cpSync(path.join(cwd, name), place, { recursive: true, filter });
    }
  }

  function inImage(stage: string, command: string): string {
    const { uid, gid } = userInfo();
    return command
      .replaceAll(/(?<=[\s"])\/(?=crews|srv|tmp)/g, `${stage}/`)
      .replace("--owner node --group node", `--owner ${uid} --group ${gid}`);
  }
});

describe("The page for teams", () => {
  needs(installCrewai);

  it("leads from nothing to two crews, which are rehearsed here, at a free port", async () => {
    const page = readFileSync(path.join(projectFolder, "docs", "server.md"), "utf8");
    const [steps = ""] = /^## From nothing to two crews$[^]*?(?=^## )/m.exec(page) ?? [];
    const blocks = [...steps.matchAll(/^ +```\w+\n([^]*?)^ +```$/gm)].map(([, text = ""]) => text);
    const [install = "", copy = "", keys = "", configuration = "", serve = "", ask = ""] = blocks;
    const home = temporaryFolder("server");
    const cwd = path.join(home, "server");
    const folders = [path.join(home, "npm", "bin"), path.dirname(await uv()), process.env["PATH"]];
    const env = {
      PATH: folders.join(path.delimiter),
      HOME: home,
      npm_config_prefix: path.join(home, "npm"),
    };
    await runNpm(["run", "package:service", "--", "--out", cwd], projectFolder);
    const names = ["home_energy", "city_trip"];
    for (const name of names) writeCrew(path.join(home, name), name);
    for (const commands of [install, copy, keys]) await sh(commands, { cwd, env });
    const config = path.join(cwd, "config", "crewdeck.server.jsonc");
    writeFileSync(config, configuration.replaceAll('"crewai"', '"rehearsal"'));
    const [enter, add, last] = serve.trim().split(/\n */);
    const [TOKEN] = (await sh(`${enter} && ${add}`, { cwd, env })).split("\n");
    const { url } = await start("sh", ["-c", `${enter} && ${last} --port 0`], { cwd, env });
    for (const name of names) {
      const command = ask.replace("http://127.0.0.1:8000/home_energy", `${url}/${name}`);
      assert.match(await sh(command, { env: { ...env, TOKEN } }), /"topic"/);
    }
  });
});

/** The example crew, for which nothing is installed: a rehearsal needs no crewAI. */
function writeCrew(folder: string, name: string): void {
  cpSync(path.join(projectFolder, "media", "example-crew"), folder, { recursive: true });
  const described = `[project]\nname = "${name}"\nversion = "1"\nrequires-python = ">=3.10"\n`;
  writeFileSync(path.join(folder, "pyproject.toml"), described);
}

/** @throws where it fails. @returns what it prints */
async function sh(command: string, options: Parameters<typeof runCommand>[2]): Promise<string> {
  const { code, output } = await runCommand("sh", ["-ec", command], options);
  assert.equal(code, 0, `${command}\n${output}`);
  return output;
}

/** Runs a program until it listens. It ends with the test. */
async function start(program: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(program, args, {
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  endWithTest(() => endFamily(child.pid ?? 0));
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    once(child, "close").then(([code]) => assert.fail(`It ended with code ${code}.`)),
  ])) as [string];
  return { ...(JSON.parse(line) as { readonly url: string }), child };
}

/** A file of the build with all that it loads at once. */
function withStaticImports(outputs: Outputs, file: string): string[] {
  const imports = outputs[file]?.imports ?? [];
  const loaded = imports.filter(({ kind, external }) => kind === "import-statement" && !external);
  return [file, ...loaded.flatMap((one) => withStaticImports(outputs, one.path))];
}
