// `npm run package`: writes crewdeck-<version>.vsix from what was built, and ends with 1 if registries would refuse it. `-- --repository URL`
// names the public repository: it goes into the manifest, and the README's pictures and links lead there; without it the packaged README has
// neither, since VS Code shows no picture from a package. GitHub and GitLab are known; for another host give --baseContentUrl and
// --baseImagesUrl as well. --out FILE names another file.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { createVSIX } from "@vscode/vsce";
import { downloadsFolder, projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { filesInZip } from "../test/support/zip.ts";
import { packageProblems } from "./build/package-problems.ts";

const { values: options } = parseArgs({
  options: {
    repository: { type: "string" },
    baseContentUrl: { type: "string" },
    baseImagesUrl: { type: "string" },
    out: { type: "string" },
  },
});
const repository = options.repository?.replace(/(\.git)?\/*$/, "");
if (repository !== undefined) {
  const problem = problemOf(repository);
  if (problem !== undefined) {
    console.error(problem);
    process.exit(2);
  }
}

// vsce reads manifest and README from a folder, and the project's own name no address.
const folder = temporaryFolder("package");
try {
  // vsce compares every file of the folder with every line of .vscodeignore, which takes a minute for all that tests download.
  const others = [
    ...[".git", "node_modules", "out"].map((name) => path.join(projectFolder, name)),
    downloadsFolder,
  ];
  cpSync(projectFolder, folder, { recursive: true, filter: (file) => !others.includes(file) });
  const manifest = JSON.parse(read("package.json")) as { readonly version: string };
  if (repository === undefined) {
    console.warn(
      "Without --repository, the package names no address and its page has no pictures.",
    );
    write("README.md", withoutRelativeLinks(read("README.md")));
  }
  // What only the project needs doesn't ship.
  const ofProject = { scripts: undefined, devDependencies: undefined, mocha: undefined };
  const links = repository === undefined ? {} : linksTo(repository);
  write("package.json", JSON.stringify({ ...manifest, ...links, ...ofProject }, undefined, 2));
  const { baseContentUrl, baseImagesUrl } = options;
  const packagePath = path.resolve(
    options.out ?? path.join(projectFolder, `crewdeck-${manifest.version}.vsix`),
  );
  await createVSIX({
    cwd: folder,
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    ...(baseContentUrl !== undefined && { baseContentUrl }),
    ...(baseImagesUrl !== undefined && { baseImagesUrl }),
  });
  const problems = packageProblems(filesInZip(readFileSync(packagePath)), repository);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Of an address that isn't https, or from which vsce can't derive the addresses of files. */
function problemOf(address: string): string | undefined {
  if (!URL.canParse(address) || new URL(address).protocol !== "https:")
    return `--repository must be an https address: ${address}`;
  const { hostname } = new URL(address);
  const isKnown = ["github.com", "gitlab.com"].includes(hostname);
  if (isKnown || (options.baseContentUrl !== undefined && options.baseImagesUrl !== undefined))
    return undefined;
  return `Give --baseContentUrl and --baseImagesUrl, too, for files at ${hostname}.`;
}

function linksTo(address: string): object {
  return {
    repository: { type: "git", url: address },
    bugs: { url: `${address}${address.startsWith("https://gitlab.com/") ? "/-" : ""}/issues` },
    homepage: `${address}#readme`,
  };
}

/** Removes the lines of pictures, and replaces links to files of the project by their text. */
function withoutRelativeLinks(markdown: string): string {
  return markdown
    .replaceAll(/^ *!\[[^\]]*\]\((?!https:)[^)]+\)\n\n?/gm, "")
    .replaceAll(/\[([^\]]+)\]\((?!https:|#)[^)]+\)/g, "$1");
}

function read(file: string): string {
  return readFileSync(path.join(folder, file), "utf8");
}

function write(file: string, text: string): void {
  writeFileSync(path.join(folder, file), text);
}
