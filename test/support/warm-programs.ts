import { execFile, spawn, type ExecFileOptionsWithStringEncoding } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { projectFolder, temporaryFolder } from "./folders.ts";

/** A Python that has crewAI imported already: what is run with it begins at once. */
export async function startWarmPrograms(python: string) {
  const folder = temporaryFolder("warm");
  const support = path.join(projectFolder, "test", "support", "python");
  const child = spawn(
    python,
    [path.join(support, "warm_programs.py"), path.join(folder, "socket")],
    {
      // It ends when its standard input closes.
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  // Without site-packages, it starts sooner.
  const program = path.join(folder, "python");
  writeFileSync(
    program,
    `#!${python} -IS\n${readFileSync(path.join(support, "as_python.py"), "utf8")}`,
  );
  chmodSync(program, 0o755);
  return {
    /** The path of an interpreter. */
    python: program,
    run: (args: readonly string[], options: Omit<ExecFileOptionsWithStringEncoding, "encoding">) =>
      promisify(execFile)(program, args, { ...options, encoding: "utf8" }),
    async stop(): Promise<void> {
      child.kill();
      await once(child, "exit");
    },
  };
}
