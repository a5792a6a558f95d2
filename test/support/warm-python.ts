import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { newestCrewai, oldestCrewai, pythonWith, workerProgram } from "./crewai.ts";
import { projectFolder, temporaryFolder } from "./folders.ts";
import { signal } from "./processes.ts";
import { waitFor } from "./wait.ts";

const programs = path.join(projectFolder, "test", "support", "python");
const started = new Map<string, Promise<string>>();

/** The processes that interpreters of {@link warmPython} fork from: they serve all tests of a process. */
export const warmProcesses = new Set<number>();

/**
 * An interpreter whose programs begin with crewAI imported: they are forked from one process of this suite. For tests that are about
 * what a worker does, and not about how it starts or is seen by the system.
 */
export async function warmPython(version = newestCrewai): Promise<string> {
  const python = await pythonWith(version);
  // It starts a thread when it is imported, which a fork doesn't have.
  if (version === oldestCrewai) return python;
  const known = started.get(version) ?? start(python, () => started.delete(version));
  started.set(version, known);
  return known;
}

/** @param onEnd called when the process has ended, as after a failure in a file of tests */
async function start(python: string, onEnd: () => void): Promise<string> {
  const folder = temporaryFolder("warm");
  const address = path.join(folder, "socket");
  const child = spawn(
    python,
    ["-u", path.join(programs, "warm_python.py"), workerProgram, address],
    {
      // It ends when its standard input closes.
      stdio: ["pipe", "ignore", "inherit"],
    },
  );
  const { pid } = child;
  if (pid !== undefined) warmProcesses.add(pid);
  child.once("exit", onEnd);
  child.unref();
  process.once("exit", () => {
    if (pid !== undefined) signal(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  await Promise.race([
    waitFor("Python to import crewAI", () => existsSync(address), 240_000),
    once(child, "exit").then(() => {
      throw new Error("Python can't import crewAI.");
    }),
  ]);
  const client = [python, "-IS", path.join(programs, "warm_client.py"), python, address];
  // As an environment has it, for who looks whether crewAI is installed.
  symlinkSync(path.resolve(python, "../../lib"), path.join(folder, "lib"));
  mkdirSync(path.join(folder, "bin"));
  const file = path.join(folder, "bin", "python");
  writeFileSync(file, `#!/bin/sh\nexec ${client.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
