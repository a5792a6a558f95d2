// `npm run release -- --tag v1.2.3 --repository URL`: writes all that a release publishes into out/release: the .vsix, the npm package,
// SHA256SUMS of both, and NOTES.md from the CHANGELOG.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { projectFolder } from "../test/support/folders.ts";

const { values: options } = parseArgs({
  options: { tag: { type: "string" }, repository: { type: "string" } },
});
const { version } = JSON.parse(read("package.json")) as { readonly version: string };
const { tag, repository } = options;
if (tag !== `v${version}`) fail(`--tag: expected v${version}, the version in package.json.`);
if (repository === undefined) fail("--repository: expected the project's public address.");
const sections = read("CHANGELOG.md").split(/^## /m);
const section = sections.find((each) => each.startsWith(`[${version}]`));
if (section === undefined) fail(`CHANGELOG.md has no section "## [${version}]".`);

const folder = path.join(projectFolder, "out", "release");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
run(
  "package.ts",
  "--repository",
  repository,
  "--out",
  path.join(folder, `crewdeck-${version}.vsix`),
);
run("package-service.ts", "--repository", repository, "--out", folder);
const sums = readdirSync(folder).map((file) => {
  const sum = createHash("sha256")
    .update(readFileSync(path.join(folder, file)))
    .digest("hex");
  return `${sum}  ${file}\n`;
});
writeFileSync(path.join(folder, "SHA256SUMS"), sums.join(""));
writeFileSync(path.join(folder, "NOTES.md"), section.slice(section.indexOf("\n")).trimStart());

function run(script: string, ...args: readonly string[]): void {
  execFileSync(process.execPath, [path.join("scripts", script), ...args], {
    cwd: projectFolder,
    stdio: "inherit",
  });
}

function read(file: string): string {
  return readFileSync(path.join(projectFolder, file), "utf8");
}

function fail(problem: string): never {
  console.error(problem);
  process.exit(2);
}
