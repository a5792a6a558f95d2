import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runNpm } from "./commands.ts";
import { installOnce } from "./install-once.ts";
import { codeServerVersion, type Edition } from "./vscode-versions.ts";

export interface InstalledServer {
  node: string;
  program: string;
  /** Absolute path of code-server's own program, which keeps secrets for a browser. */
  front: string;
}

const npmInstall = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];

/**
 * VS Code's server from the npm registry, installed into .vscode-test on first use and reused after that.
 * Its native modules stay unbuilt: only the terminal and some file watching would need them.
 */
export async function installedServer(edition: Edition): Promise<InstalledServer> {
  const version = codeServerVersion(edition);
  const folder = await installOnce(`code-server-${version}`, async (target) => {
    console.log(`Installing VS Code's server (code-server ${version}) into .vscode-test …`);
    writeFileSync(path.join(target, "package.json"), JSON.stringify({ private: true }));
    // --force: the package names the one Node it is tested with as engine; npm itself may run on another.
    await runNpm([...npmInstall, "--force", `code-server@${version}`], target);
    const vscode = path.join(target, "node_modules/code-server/lib/vscode");
    await runNpm([...npmInstall, "--force", "--omit=dev"], vscode);
  });
  const root = path.join(folder, "node_modules/code-server");
  const { engines } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    engines: { node: string };
  };
  return {
    node: await nodeBinary(engines.node),
    program: path.join(root, "lib/vscode/out/server-main.js"),
    front: path.join(root, "out/node/entry.js"),
  };
}

/** The Node of a major version: this process's own if it is one, else from the npm package `node`. */
async function nodeBinary(major: string): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = await installOnce(`node-${major}`, async (target) => {
    console.log(`Installing Node ${major} into .vscode-test …`);
    writeFileSync(
      path.join(target, "package.json"),
      JSON.stringify({ private: true, allowScripts: { node: true } }),
    );
    // The package's install script puts the binary for this machine in place.
    await runNpm(
      ["install", "--no-audit", "--no-fund", "--no-package-lock", `node@${major}`],
      target,
    );
    if (!existsSync(nodeIn(target)))
      throw new Error(`The npm package node@${major} brought no binary for this machine.`);
  });
  return nodeIn(folder);
}

function nodeIn(folder: string): string {
  return path.join(
    folder,
    "node_modules/node/bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
}
