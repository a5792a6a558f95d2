import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { TestLine } from "../base/test-lines.ts";
import { environment } from "../local/service-process.ts";

/** Characters of what a program that fails has printed. */
const longestProblem = 2_000;

interface TestCommand {
  /** The service's program, which has the command. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onLine: (line: TestLine) => void;
}

/** Runs `crewdeck test`. Resolves to what it reported as an error, if it could not run. */
export async function runTestCommand(command: TestCommand): Promise<string> {
  const { program, args, cwd, variables = {}, signal, onLine } = command;
  const child = spawn(process.execPath, [program, "test", "--json", "--lifeline", ...args], {
    ...{ cwd, windowsHide: true },
    env: { ...environment(process.env), ...variables },
  });
  // It then ends its services, and removes their data.
  const end = () => child.stdin.end();
  signal?.addEventListener("abort", end);
  if (signal?.aborted === true) end();
  let printed = "";
  child.stderr.on("data", (text: Buffer) => {
    printed = (printed + text.toString()).slice(-longestProblem);
  });
  createInterface(child.stdout).on("line", (line) => onLine(JSON.parse(line) as TestLine));
  return await new Promise((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", () => {
      signal?.removeEventListener("abort", end);
      resolve(printed.trim());
    });
  });
}
