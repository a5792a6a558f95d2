// Whose code is in the bundles, and under which licences: `npm run build` writes it to dist/ThirdPartyNotices.txt, which ships.
import type { Metafile } from "esbuild";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** For packages without a licence file: the copyright in their repositories, and another package with the same licence. */
const elsewhere: Readonly<Record<string, { readonly copyright: string; readonly text: string }>> = {
  "@vscode/l10n": {
    copyright: "Copyright (c) Microsoft Corporation",
    text: "node_modules/@vscode/test-electron/LICENSE",
  },
};

/** The folders of the packages whose code esbuild bundled, sorted by name. */
export function bundledPackages(metafiles: readonly Metafile[]): readonly string[] {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput === 0 ? [] : (/^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
  );
  const nameOf = (folder: string) => folder.replace(/^.*node_modules\//, "");
  return [...new Set(folders)].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** The notices of these packages. @throws Error naming the package whose licence is not found: it can't ship */
export function thirdPartyNotices(folders: readonly string[]): string {
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(path.join(folder, "package.json"), "utf8"),
    ) as { readonly name: string; readonly version: string; readonly license?: string };
    return `${"=".repeat(80)}\n${name} ${version} (${license ?? "see below"})\n${"=".repeat(80)}\n\n${licenceOf(name, folder)}\n`;
  });
  return `Crewdeck contains code of these packages, under the licences that follow.\n\n${notices.join("\n")}`;
}

function licenceOf(name: string, folder: string): string {
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(path.join(folder, file), "utf8").trim());
  if (texts.length > 0) return texts.join("\n\n");
  const other = elsewhere[name];
  if (other !== undefined)
    return `${other.copyright}\n\n${readFileSync(other.text, "utf8").trim()}`;
  const [inReadme] =
    /^Copyright [^]*Permission is hereby granted[^]*?SOFTWARE\.$/m.exec(
      readFileSync(path.join(folder, "README.md"), "utf8"),
    ) ?? [];
  if (inReadme === undefined) throw new Error(`The licence of ${name} is not found in ${folder}.`);
  return inReadme;
}
