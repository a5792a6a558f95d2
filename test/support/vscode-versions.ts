import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "./folders.ts";

/** Which VS Code: the newest one tested, or the oldest that the manifest supports. */
export type Edition = "newest" | "oldest";

/** The newest VS Code tested, 1.139, as the npm package `code-server` carries it (its 4.X.Y is VS Code's 1.X.Y). */
const newestCodeServer = "4.139.1";

/**
 * The version of VS Code of an edition, such as "1.104.0".
 * @throws Error when the manifest's `engines.vscode` is not of the form ^1.X.Y
 */
export function vscodeVersion(edition: Edition): string {
  return edition === "newest" ? newestCodeServer.replace(/^4/, "1") : oldestVersion();
}

/** The version of the npm package `code-server` that carries an edition of VS Code. */
export function codeServerVersion(edition: Edition): string {
  return vscodeVersion(edition).replace(/^1/, "4");
}

/** The edition that the environment variable CREWDECK_EDITION asks for; the newest unless it says "oldest". */
export function editionFromEnvironment(): Edition {
  return process.env["CREWDECK_EDITION"] === "oldest" ? "oldest" : "newest";
}

function oldestVersion(): string {
  const manifest = JSON.parse(readFileSync(path.join(projectFolder, "package.json"), "utf8")) as {
    engines?: { vscode?: string };
  };
  const wanted = manifest.engines?.vscode ?? "";
  const version = /^\^?(1\.\d+\.\d+)$/.exec(wanted)?.[1];
  if (version === undefined)
    throw new Error(
      `package.json: engines.vscode is "${wanted}"; expected a version such as "^1.104.0".`,
    );
  return version;
}
