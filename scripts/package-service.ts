// `npm run package:service`: writes crewdeck-<version>.tgz, the npm package of the service, from what was built: the project's own package.json is
// the extension's manifest. `-- --out FOLDER` names another folder, `--repository URL` the public repository. The same sources give the same bytes.
import type { Metafile } from "esbuild";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { runNpm } from "../test/support/commands.ts";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { bundledPackages, thirdPartyNotices } from "./build/third-party-notices.ts";

const { values: options } = parseArgs({
  options: { out: { type: "string" }, repository: { type: "string" } },
});
const { version, license } = JSON.parse(read("package.json")) as Record<string, unknown>;
const metafile = JSON.parse(read("out/service-metafile.json")) as Metafile;

const folder = temporaryFolder("package-service");
try {
  const programs = [...Object.keys(metafile.outputs), ...filesIn("dist/crewdeck_worker")];
  for (const file of [...programs, ...filesIn("media/example-crew"), "LICENSE"]) copy(file, file);
  copy("src/service/README.md", "README.md");
  write("ThirdPartyNotices.txt", thirdPartyNotices(bundledPackages([metafile])));
  write("package.json", `${JSON.stringify(manifest(), undefined, 2)}\n`);
  const out = path.resolve(options.out ?? projectFolder);
  mkdirSync(out, { recursive: true });
  await runNpm(["pack", "--ignore-scripts", "--pack-destination", out], folder);
  console.log(`Wrote ${path.join(out, `crewdeck-${String(version)}.tgz`)}`);
} finally {
  rmSync(folder, { recursive: true });
}

function manifest(): object {
  return {
    name: "crewdeck",
    version,
    description: "Serves crews of AI agents behind the Crew Execution API",
    license,
    type: "module",
    bin: { crewdeck: "dist/service.mjs" },
    engines: { node: ">=22.13.0" },
    // npm compares it with the repository whose workflow publishes.
    ...(options.repository !== undefined && {
      repository: { type: "git", url: options.repository },
    }),
  };
}

/** Without what Python and uv leave there. */
function filesIn(folder: string): string[] {
  const files = readdirSync(path.join(projectFolder, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`)
    .sort();
  const isKnown = /\.(?:md|toml|py|yaml|kickoff\.json|recording\.jsonl)$/;
  return files.filter((file) => !file.includes("/.") && isKnown.test(file));
}

function read(file: string): string {
  return readFileSync(path.join(projectFolder, file), "utf8");
}

function copy(file: string, target: string): void {
  cpSync(path.join(projectFolder, file), path.join(folder, target));
}

function write(file: string, text: string): void {
  writeFileSync(path.join(folder, file), text);
}
