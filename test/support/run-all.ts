// `npm test`: builds, checks types and style, runs every suite one after the other and adds up what they say. The last line
// is "N passed, N failed". While they run, the local service validates each of its answers; a violation is a failure.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Counts } from "./count-reporter.ts";
import { endWithParent } from "./end-with-parent.ts";
import { failuresFolder, projectFolder, temporaryFolder } from "./folders.ts";

/** A suite of tests in a folder of the same name under test/. */
interface Suite {
  name: string;
  /** Arguments for Node, from the project's folder. */
  args: string[];
}

endWithParent();
const mocha = "node_modules/mocha/bin/mocha.js";
const limitMinutes = 8;

/** Steps that are one test each: they pass or fail as a whole. */
const steps: Suite[] = [
  { name: "build", args: ["esbuild.mjs", "--tests"] },
  { name: "types of the extension and the service", args: ["node_modules/typescript/bin/tsc", "-p", "."] },
  { name: "types of the form", args: ["node_modules/typescript/bin/tsc", "-p", "src/webview"] },
  { name: "types of the tests", args: ["node_modules/typescript/bin/tsc", "-p", "test"] },
  { name: "style and walls between the rooms", args: ["node_modules/eslint/bin/eslint.js", "."] },
];

const suites: Suite[] = [
  mochaSuite("unit", 10),
  mochaSuite("service", 120),
  { name: "host", args: ["test/support/run-host.ts"] },
  mochaSuite("ui", 120),
  mochaSuite("package", 120),
];

const started = performance.now();
const scratch = temporaryFolder("test");
const violations = path.join(scratch, "violations.txt");
const total = { passed: 0, failed: 0 };
rmSync(failuresFolder, { recursive: true, force: true });

checkEveryTestHasASuite();
for (const step of steps) {
  const seconds = clock();
  const code = await runNode(step.args);
  count(step.name, code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }, seconds());
}
for (const suite of suites) {
  console.log(`\n=== ${suite.name}`);
  const seconds = clock();
  const countsFile = path.join(scratch, `${suite.name}.json`);
  const code = await runNode(suite.args, { CREWDECK_COUNTS: countsFile, CREWDECK_VALIDATE: "1", CREWDECK_VIOLATIONS: violations });
  count(suite.name, readCounts(suite.name, countsFile, code), seconds());
}
const violated = existsSync(violations) ? readFileSync(violations, "utf8").trim() : "";
if (violated !== "") console.log(`\nAnswers of the local service against its openapi.yaml:\n${violated}`);
count("answers of the service validated", violated === "" ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }, 0);
rmSync(scratch, { recursive: true, force: true });

console.log(`\nTook ${Math.round((performance.now() - started) / 1000)} s.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

function mochaSuite(name: string, seconds: number): Suite {
  return { name, args: [mocha, "--forbid-only", "--timeout", String(seconds * 1000), `test/${name}/**/*.test.ts`] };
}

/** Runs Node in the project's folder with everything it writes shown, and gives its exit code. */
function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: projectFolder,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env },
      timeout: limitMinutes * 60_000,
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** What a suite counted itself; one that broke off, or had no test, has failed. */
function readCounts(name: string, file: string, code: number): Counts {
  if (!existsSync(file)) {
    console.log(`The suite "${name}" ended with code ${code} before its report.`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const counts = JSON.parse(readFileSync(file, "utf8")) as Counts;
  if (counts.passed + counts.failed === 0) console.log(`The suite "${name}" ran no test.`);
  const hasFailed = code !== 0 || counts.passed + counts.failed === 0;
  return hasFailed && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function count(name: string, { passed, failed, skipped }: Counts, seconds: number): void {
  total.passed += passed;
  total.failed += failed;
  const more = skipped === 0 ? "" : `, ${skipped} skipped`;
  console.log(`--- ${name}: ${passed} passed, ${failed} failed${more} (${seconds} s)`);
}

function clock(): () => number {
  const start = performance.now();
  return () => Math.round((performance.now() - start) / 1000);
}

/** A test file outside the suites' folders would never run, and nobody would notice. */
function checkEveryTestHasASuite(): void {
  const files = readdirSync(path.join(projectFolder, "test"), { recursive: true }).map(String);
  const names = suites.map((suite) => suite.name);
  const stray = files.filter((file) => file.endsWith(".test.ts") && !names.includes(file.split(path.sep)[0] ?? ""));
  if (stray.length > 0) throw new Error(`These tests belong to no suite: ${stray.join(", ")}`);
}
