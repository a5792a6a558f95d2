import { existsSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../test/support/folders.ts";
import { markdownTargets } from "../../test/support/markdown-links.ts";

const known = /\.(?:css|js|json|md|mjs|png|py|svg|toml|txt|vsixmanifest|webp|xml|yaml)$/;
const pictures = /\.(?:png|webp)$/;

/** What registries refuse or hold for days, because it looks like a key or can't be read. */
const suspicious: Readonly<Record<string, RegExp>> = {
  "a private key": /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  "a key of AWS": /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  "a token of GitHub": /\b(?:gh[pousr]|github_pat)_\w{30,}/,
  "a token of npm": /\bnpm_\w{30,}/,
  "a token of Slack": /\bxox[abeoprs]-[\w-]{10,}/,
  "a key of Google": /\bAIza[\w-]{35}/,
  "a key of a model's provider": /\bsk-[\w-]{20,}/,
  "a JSON Web Token": /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  "an address with a password": /\bhttps?:\/\/[^\s"'`@/:]+:[^\s"'`@/]+@/,
  "encoded text": /[\w+/=-]{300,}/,
};

/**
 * Why registries would refuse a package: Open VSX scans each one before it publishes it.
 * @param files the texts in the .vsix, by their names
 * @param repository the public address that its pages lead to; undefined for a package that isn't published
 */
export function packageProblems(
  files: ReadonlyMap<string, string>,
  repository?: string,
): readonly string[] {
  const problems: string[] = [];
  for (const [name, text] of files) {
    if (!known.test(name)) problems.push(`${name}: files of this kind don't ship.`);
    if (pictures.test(name)) continue;
    for (const [what, pattern] of Object.entries(suspicious))
      if (pattern.test(text)) problems.push(`${name}: it has what looks like ${what}.`);
  }
  for (const page of ["extension/readme.md", "extension/changelog.md"])
    for (const target of markdownTargets(files.get(page) ?? ""))
      if (!leadsSomewhere(target, repository)) problems.push(`${page}: ${target} leads nowhere.`);
  return problems;
}

/** On a page of a registry: neither beside other files nor in a folder of the repository that isn't there. */
function leadsSomewhere(target: string, repository: string | undefined): boolean {
  if (target.startsWith("#")) return true;
  if (!target.startsWith("https://")) return false;
  if (repository === undefined || !target.startsWith(`${repository}/`)) return true;
  const [, file] = /\/(?:blob|raw)\/HEAD\/([^#?]+)/.exec(target) ?? [];
  return file === undefined || existsSync(path.join(projectFolder, decodeURIComponent(file)));
}
