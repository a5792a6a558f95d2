// `npm test`: builds, checks types and style, runs every suite and adds up their results. Three steps run in parallel, the longest
// ones first; a step's output is printed when it ends. The last line is "N passed, N failed"; the failures are listed again above it.
// Each test is tried once.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { ensureBrowser } from "../test/support/browser.ts";
import { installCrewai } from "../test/support/crewai.ts";
import type { Counts, Failure } from "../test/support/count-reporter.ts";
import { endWithParent } from "./end-with-parent.ts";
import { failuresFolder, projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { isCi } from "../test/support/needs.ts";
import { installPostgres } from "../test/support/postgres.ts";
import { installedServer } from "../test/support/vscode-install.ts";

/** A suite of tests in a folder of the same name under test/, or a step that is one test as a whole. */
interface Step {
  readonly name: string;
  /** Arguments for Node, from the project's folder. */
  readonly args: readonly string[];
  readonly isSuite: boolean;
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

endWithParent();
/** Long enough for a slow suite on a busy machine: only a suite that hangs is ended. */
const limitMinutes = 40;
const onPostgres = "service on Postgres";
const started = performance.now();
const scratch = temporaryFolder("test");
const total = { passed: 0, failed: 0 };
const failures: Failure[] = [];
rmSync(failuresFolder, { recursive: true, force: true });

const build = oneTest("build", "esbuild.mjs", "--tests");
const steps = [
  // Its tests often wait for one Python process.
  suite("crewai", "--parallel", "--jobs", "2"),
  suite("ui"),
  { name: "host", args: ["scripts/run-host.ts"], isSuite: true },
  suite("durability"),
  suite("team"),
  suite("unit"),
  suite("service"),
  serviceOnPostgres(),
  oneTest("style and walls between the rooms", "node_modules/eslint/bin/eslint.js", "."),
  oneTest("format", "node_modules/prettier/bin/prettier.cjs", "--check", "."),
  // Packaging builds again, which writes only what has changed.
  suite("package"),
  oneTest("types of the tests", "node_modules/typescript/bin/tsc", "-p", "test"),
  oneTest("types of the extension and the service", "node_modules/typescript/bin/tsc", "-p", "."),
  oneTest("types of the form", "node_modules/typescript/bin/tsc", "-p", "src/webview"),
];

checkEveryTestHasASuite();
await run(build);
// On a fresh machine, several steps would install VS Code's server, the browser and crewAI at the same time, within a test's timeout.
await installedServer("newest");
await ensureBrowser();
const missing = new Map<string, string>();
for (const [name, install] of [
  ["crewai", installCrewai],
  [onPostgres, installPostgres],
] as const) {
  const problem = await install();
  if (problem === undefined) continue;
  missing.set(name, problem);
  if (!isCi) continue;
  count(name, { passed: 0, failed: 1, skipped: 0, failures: [{ title: name, error: problem }] }, 0);
}
const queue = steps.filter(({ name }) => !missing.has(name));
await Promise.all([runQueue(), runQueue(), runQueue()]);
rmSync(scratch, { recursive: true, force: true });

list("Failed", failures);
for (const [name, problem] of missing)
  console.log(`\nSkipped: the suite ${name}, and what needs the same in other suites. ${problem}`);
console.log(`\nTook ${Math.round((performance.now() - started) / 1000)} s.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

function oneTest(name: string, ...args: string[]): Step {
  return { name, args, isSuite: false };
}

function suite(name: string, ...options: string[]): Step {
  return { name, args: mocha(`test/${name}/**/*.test.ts`, ...options), isSuite: true };
}

function mocha(files: string, ...options: string[]): string[] {
  return ["node_modules/mocha/bin/mocha.js", "--forbid-only", ...options, files];
}

/** The unit tests of the service once more, on Postgres, except those that use no database or are about a file. */
function serviceOnPostgres(): Step {
  const folder = "test/unit/service";
  const others =
    "answer-check,compose,crews,erasure,flow-answers,post,postgres*,query-plans,relay,sources,start,waker,worker,workflow";
  const ignored = ["--ignore", `${folder}/{${others}}.test.ts`];
  return {
    name: onPostgres,
    // Each process starts a Postgres.
    args: mocha(`${folder}/*.test.ts`, ...ignored, "--parallel", "--jobs", "2"),
    isSuite: true,
    env: { CREWDECK_TEST_DATABASE: "postgres" },
  };
}

/** Runs one step after the other, whether they pass or fail. */
async function runQueue(): Promise<void> {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) await run(step);
}

async function run({ name, args, isSuite, env }: Step): Promise<void> {
  console.log(`... ${name}`);
  const begun = performance.now();
  const countsFile = path.join(scratch, `${name}.json`);
  const { code, output } = await runNode(args, {
    ...env,
    ...(isSuite && { CREWDECK_COUNTS: countsFile }),
  });
  if (isSuite) console.log(`\n=== ${name}`);
  process.stdout.write(output);
  count(
    name,
    isSuite ? readCounts(name, countsFile, code) : asOneTest(name, code === 0),
    (performance.now() - begun) / 1000,
  );
}

/** Runs Node in the project's folder; returns its exit code and output. */
function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: Buffer }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: projectFolder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
      timeout: limitMinutes * 60_000,
    });
    const output: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(output) }));
  });
}

/** The counts of a suite. A suite that was interrupted or had no test has failed. */
function readCounts(name: string, file: string, code: number): Counts {
  if (!existsSync(file)) {
    return brokenOff(
      { passed: 0, failed: 0, skipped: 0, failures: [] },
      `ended with code ${code} before its report`,
    );
  }
  const counts = JSON.parse(readFileSync(file, "utf8")) as Counts;
  if (counts.passed + counts.failed === 0) return brokenOff(counts, "ran no test");
  return code !== 0 && counts.failed === 0 ? brokenOff(counts, `ended with code ${code}`) : counts;

  function brokenOff(counts: Counts, what: string): Counts {
    return { ...counts, failed: 1, failures: [{ title: name, error: `The suite ${what}.` }] };
  }
}

function asOneTest(name: string, hasPassed: boolean): Counts {
  const failures = hasPassed ? [] : [{ title: name, error: "Its output is above." }];
  return { passed: hasPassed ? 1 : 0, failed: failures.length, skipped: 0, failures };
}

function count(name: string, counts: Counts, seconds: number): void {
  const { passed, failed, skipped } = counts;
  total.passed += passed;
  total.failed += failed;
  failures.push(...counts.failures);
  const more = skipped === 0 ? "" : `, ${skipped} skipped`;
  console.log(`--- ${name}: ${passed} passed, ${failed} failed${more} (${Math.round(seconds)} s)`);
}

function list(heading: string, tests: readonly Failure[]): void {
  if (tests.length === 0) return;
  console.log(`\n${heading}:`);
  for (const { title, error } of tests)
    console.log(`- ${title}\n    ${error.replaceAll("\n", "\n    ")}`);
}

/** Test files outside the suites' folders, which would never run. */
function checkEveryTestHasASuite(): void {
  const files = readdirSync(path.join(projectFolder, "test"), { recursive: true }).map(String);
  const names = steps.filter(({ isSuite }) => isSuite).map(({ name }) => name);
  const stray = files.filter(
    (file) => file.endsWith(".test.ts") && !names.includes(file.split(path.sep)[0] ?? ""),
  );
  if (stray.length > 0) throw new Error(`These tests belong to no suite: ${stray.join(", ")}`);
}
