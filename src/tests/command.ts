import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import type { TestLine } from "../base/window-protocol.ts";
import { environment } from "../local/service-process.ts";

const longestProblem = 2_000;

interface TestCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly onLine: (line: TestLine) => void;
}

export function programOf(extension: vscode.Uri): string {
  return vscode.Uri.joinPath(extension, "dist", "service.mjs").fsPath;
}

/** Runs `crewdeck test`. Resolves to what it printed as an error, if it could not run. */
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

export type CaseLine = Extract<TestLine, { type: "case" }>;

/** @param numbers from 1; undefined for all. @throws UserError if the file is not valid, or no test */
export async function casesOf(
  { program, cwd }: Pick<TestCommand, "program" | "cwd">,
  file: string,
  numbers: readonly number[] | undefined,
): Promise<readonly CaseLine[]> {
  const lines: TestLine[] = [];
  const onLine = (line: TestLine) => lines.push(line);
  const named = numbers?.map((number) => (number === 0 ? file : `${file}#${number}`));
  const args = ["--list", ...(named ?? [file])];
  const printed = await runTestCommand({ program, cwd, args, onLine });
  const problems = lines.flatMap((line) => (line.type === "problem" ? [line.message] : []));
  const cases = lines.filter((line) => line.type === "case");
  if (problems.length > 0 || cases.length === 0)
    throw new UserError(
      problems.join("\n") ||
        printed ||
        vscode.l10n.t("This file has no expectations, answers or cases."),
    );
  return cases;
}
