import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { downloadsFolder, projectFolder, temporaryFolder } from "./folders.ts";
import { installOnce } from "./install-once.ts";

const run = promisify(execFile);

/** The versions of crewAI that the engine is tried with: the oldest, the oldest that reads declarative crews, the newest of this test. */
export const crewaiVersions = ["1.0.0", "1.15.0", "1.15.30"] as const;
export const newestCrewai = "1.15.30";

/** uv, from PyPI. */
async function uv(): Promise<string> {
  const folder = await installOnce("uv", async (target) => {
    await run("python3", ["-m", "pip", "install", "--quiet", "--target", target, "uv"]);
  });
  return path.join(folder, "bin", "uv");
}

/** The interpreter of an environment with a version of crewAI, or with no package at all. Installed once. */
export async function pythonWith(crewai: string | undefined): Promise<string> {
  const program = await uv();
  const folder = await installOnce(`crewai-${crewai ?? "none"}`, async (target) => {
    await run(program, ["venv", "--quiet", "--allow-existing", target]);
    if (crewai === undefined) return;
    const python = path.join(target, "bin", "python");
    await run(program, ["pip", "install", "--quiet", "--python", python, `crewai==${crewai}`], {
      maxBuffer: 64 * 1024 * 1024,
    });
  });
  return path.join(folder, "bin", "python");
}

/** Whether an environment can be had: a version is installed, or could be. In CI a missing one is a failure. */
export function hasCrewai(crewai: string): boolean {
  if (process.env["CI"] !== undefined) return true;
  if (existsSync(path.join(downloadsFolder, `crewai-${crewai}`))) return true;
  return spawnSync("python3", ["-m", "pip", "--version"]).status === 0;
}

/** A copy of a project in `test/fixtures/crewai`, which a crew may write to. */
export function crewaiProject(name: string): string {
  const folder = path.join(temporaryFolder("crewai"), name);
  cpSync(path.join(projectFolder, "test", "fixtures", "crewai", name), folder, { recursive: true });
  return folder;
}
