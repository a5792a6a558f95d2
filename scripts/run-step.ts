import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Counts } from "../test/support/count-reporter.ts";
import { projectFolder } from "../test/support/folders.ts";
import { endFamily, familyOf, signal } from "../test/support/processes.ts";
import { standingOf } from "../test/support/standing.ts";

/** A suite of tests, or a program that is one test as a whole. */
export interface Step {
  readonly name: string;
  /** By default this Node. */
  readonly program?: string;
  /** From the project's folder. */
  readonly args: readonly string[];
  readonly isSuite: boolean;
  /** How long it takes at most beside other work. One that takes twice as long hangs, and is ended. */
  readonly minutes: number;
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const nothing: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };

const running = new Set<number>();

/** Ends all steps and what they started, at once. */
export function killSteps(): void {
  for (const leader of running) for (const { pid } of familyOf(leader)) signal(pid, "SIGKILL");
}

/** Runs a step and prints its output. @param scratch a folder for its report */
export async function runStep(step: Step, scratch: string): Promise<Counts> {
  const counts = path.join(scratch, `${step.name}.json`);
  const { code, output, isLate } = await runToEnd(step, counts);
  if (step.isSuite) console.log(`\n=== ${step.name}`);
  process.stdout.write(output);
  const late = isLate
    ? `took more than ${2 * step.minutes} minutes, twice its usual time, and was ended`
    : undefined;
  if (!step.isSuite)
    return code === 0
      ? { ...nothing, passed: 1 }
      : failed(step, nothing, `This step ${late ?? "failed"}. Its output is above.`);
  return countsOf(step, counts, code, late);
}

/** Runs a step in a process group of its own. */
function runToEnd(
  { program = process.execPath, args, env, minutes }: Step,
  counts: string,
): Promise<{ code: number; output: Buffer; isLate: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: projectFolder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env, CREWDECK_COUNTS: counts },
      detached: true,
    });
    child.on("error", reject);
    const { pid } = child;
    if (pid === undefined) return;
    running.add(pid);
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        endFamily(pid).catch(reject);
      },
      2 * minutes * 60_000,
    );
    child.on("close", (code) => {
      clearTimeout(timer);
      running.delete(pid);
      resolve({ code: code ?? 1, output: Buffer.concat(output), isLate });
    });
  });
}

/** The counts of a suite. A suite that was interrupted or had no test has failed. */
function countsOf(step: Step, file: string, code: number, late: string | undefined): Counts {
  if (late !== undefined)
    return failed(step, nothing, `The suite ${late}. It stood ${standingOf(file)}.`);
  if (!existsSync(file))
    return failed(
      step,
      nothing,
      `The suite ended with code ${code} before its report, ${standingOf(file)}.`,
    );
  const counts = JSON.parse(readFileSync(file, "utf8")) as Counts;
  if (counts.passed + counts.failed === 0) return failed(step, counts, "The suite ran no test.");
  return code !== 0 && counts.failed === 0
    ? failed(step, counts, `The suite ended with code ${code}.`)
    : counts;
}

function failed({ name }: Step, counts: Counts, error: string): Counts {
  return { ...counts, failed: 1, failures: [{ title: name, error }] };
}
