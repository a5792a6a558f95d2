// Runs the host tests (out/host) inside a real VS Code: the desktop's if it can be downloaded and shown, else VS Code's server.
// CREWDECK_VSCODE=desktop or =server chooses one; --oldest takes the VS Code that the manifest names as the oldest; --grep WORDS runs
// the tests whose titles match, as Mocha's option does, --except WORDS the others.
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { downloadAndUnzipVSCode, runTests } from "@vscode/test-electron";
import { downloadsFolder, projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { makeTestAuthority } from "./test-authority.ts";
import { installedServer } from "../test/support/vscode-install.ts";
import { noModel } from "../test/support/vscode-server.ts";
import { vscodeVersion, type Edition } from "../test/support/vscode-versions.ts";

const { values: options } = parseArgs({
  options: {
    oldest: { type: "boolean" },
    grep: { type: "string" },
    except: { type: "string" },
  },
});
const edition: Edition = options.oldest === true ? "oldest" : "newest";
const version = vscodeVersion(edition);
const launcher = path.join(import.meta.dirname, "vscode-launcher.ts");
const desktop = await desktopExecutable();
const workspace = temporaryFolder("workspace");
const authority = makeTestAuthority(temporaryFolder("authority"), edition);
console.log(
  `Host tests in VS Code ${version}, ${desktop === undefined ? "its server with a headless browser" : "desktop"}`,
);
if (desktop === undefined) {
  // Not in the tests' environment, whose certificates are others.
  await installedServer(edition);
  chmodSync(launcher, 0o755);
}
try {
  await runTests({
    vscodeExecutablePath: desktop ?? launcher,
    extensionDevelopmentPath: [
      projectFolder,
      path.join(projectFolder, "test", "fixtures", "model-provider"),
    ],
    extensionTestsPath: path.join(projectFolder, "out", "host", "index.js"),
    extensionTestsEnv: {
      ...noModel,
      CREWDECK_EDITION: edition,
      CREWDECK_TEST_AUTHORITY: authority.folder,
      // Services without a window leave soon.
      CREWDECK_LEAVE_MS: "5000",
      ...(options.grep !== undefined && { CREWDECK_GREP: options.grep }),
      ...(options.except !== undefined && { CREWDECK_EXCEPT: options.except }),
      ...authority.environment,
    },
    launchArgs: [workspace],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const folder of [workspace, authority.folder])
    rmSync(folder, { recursive: true, force: true });
}

/** The desktop VS Code of the wanted version; undefined if it can't be downloaded or shown. */
async function desktopExecutable(): Promise<string | undefined> {
  const wanted = process.env["CREWDECK_VSCODE"];
  if (wanted === "server") return undefined;
  const hasDisplay =
    process.platform !== "linux" ||
    Boolean(process.env["DISPLAY"] ?? process.env["WAYLAND_DISPLAY"]);
  if (wanted !== "desktop" && !hasDisplay) return undefined;
  mkdirSync(downloadsFolder, { recursive: true });
  try {
    return await downloadAndUnzipVSCode({ version, cachePath: downloadsFolder });
  } catch (error) {
    if (wanted === "desktop") throw error;
    console.log(
      `Desktop VS Code cannot be downloaded (${error instanceof Error ? error.message : String(error)}).`,
    );
    return undefined;
  }
}
