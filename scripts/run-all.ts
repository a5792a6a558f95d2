// `npm test`: builds, checks types and style, runs suites and adds up their results. Without an argument it runs what shows most in a
// few minutes; --all runs everything, except what takes long, which --long runs. Three steps run in parallel, the longest ones first; a
// step's output is printed when it ends. The last line is "N passed, N failed"; the failures are listed again above it. Each test is
// tried once.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ensureBrowser } from "../test/support/browser.ts";
import type { Counts, Failure } from "../test/support/count-reporter.ts";
import { installCrewai } from "../test/support/crewai.ts";
import { failuresFolder, projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { isCi } from "../test/support/needs.ts";
import { installPostgres } from "../test/support/postgres.ts";
import { installedServer } from "../test/support/vscode-install.ts";
import { endWithParent } from "./end-with-parent.ts";
import { killSteps, runStep, type Step } from "./run-step.ts";

/** The suites of --all, by their folder under test/. */
const suites = [
  "crewai",
  "ui",
  "host",
  "durability",
  "team",
  "unit",
  "service",
  "package",
] as const;
const onPostgres = "service on Postgres";

const { values: options } = parseArgs({
  options: { all: { type: "boolean" }, long: { type: "boolean" } },
});
endWithParent();
for (const [name, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)
  process.once(name, () => {
    killSteps();
    process.exit(code);
  });
const started = performance.now();
const scratch = temporaryFolder("test");
const total = { passed: 0, failed: 0 };
const failures: Failure[] = [];
rmSync(failuresFolder, { recursive: true, force: true });

checkEveryTestHasASuite();
await run(check("build", "esbuild.mjs", "--tests"));
// On a fresh machine, several steps would install VS Code's server, the browser and crewAI at the same time, within a test's timeout.
await installedServer("newest");
await ensureBrowser();
const missing = new Map<string, string>();
await need(["crewai", "python"], installCrewai);
if (options.all === true || options.long === true) await need([onPostgres], installPostgres);
const queue = steps().filter(({ name }) => !missing.has(name));
await Promise.all([runQueue(), runQueue(), runQueue()]);
rmSync(scratch, { recursive: true, force: true });

list("Failed", failures);
for (const [name, problem] of missing)
  console.log(`\nSkipped: the suite ${name}, and what needs the same in other suites. ${problem}`);
console.log(`\nTook ${Math.round((performance.now() - started) / 1000)} s.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** The longest first. */
function steps(): readonly Step[] {
  if (options.long === true) return longSteps();
  const checks = [
    check("style and walls between the rooms", "node_modules/eslint/bin/eslint.js", "."),
    check("format", "node_modules/prettier/bin/prettier.cjs", "--check", "."),
    check("types of the tests", "node_modules/typescript-native/bin/tsc", "-p", "test"),
    check(
      "types of the extension and the service",
      "node_modules/typescript-native/bin/tsc",
      "-p",
      ".",
    ),
    check("types of the form", "node_modules/typescript-native/bin/tsc", "-p", "src/webview"),
  ];
  const host = { name: "host", args: ["scripts/run-host.ts"], isSuite: true, minutes: 10 };
  // Each of these imports crewAI several times.
  const withCrewai = "runs with crewAI|real crew \\(crewAI\\)";
  const python = pytest("python");
  const unit = suite("unit", 8, "test/unit/**/*.test.ts", "--parallel", "--jobs", "2");
  if (options.all !== true)
    return [
      { ...host, args: [...host.args, "--except", withCrewai] },
      unit,
      // By mouse and by keyboard: start a crew, kick it off by its form, see the pause, reject, approve, completed.
      suite("ui", 3, "test/ui/story.test.ts"),
      suite(
        "service",
        3,
        "test/service/**/*.test.ts",
        "--ignore",
        "test/service/durability.test.ts",
      ),
      suite(
        "crewai",
        3,
        "test/crewai/crew-tests.test.ts",
        "test/crewai/engine.test.ts",
        "--grep",
        "runs a classic project|example crew",
      ),
      python,
      ...checks,
    ];
  return [
    // Its tests often wait for one Python process.
    suite("crewai", 12, "test/crewai/**/*.test.ts", "--parallel", "--jobs", "2"),
    suite("ui", 15, "test/ui/**/*.test.ts"),
    host,
    suite("durability", 5, "test/durability/**/*.test.ts"),
    suite("team", 6, "test/team/**/*.test.ts"),
    unit,
    suite("service", 4, "test/service/**/*.test.ts"),
    serviceOnPostgres(),
    python,
    ...checks,
    // Packaging builds again, which writes only what has changed.
    suite("package", 4, "test/package/**/*.test.ts"),
  ];
}

/** What is run before a release, and takes hours. */
function longSteps(): readonly Step[] {
  return [
    {
      ...suite("crewai", 60, "test/crewai/**/*.test.ts", "--parallel", "--jobs", "2"),
      env: { CREWDECK_CREWAI_VERSIONS: "all", CREWDECK_KILLS: "500" },
    },
    pytest("python with crewAI 1.15.0", "--crewai", "1.15.0"),
    pytest("python with crewAI 1.0.0", "--crewai", "1.0.0"),
    {
      name: "host on the oldest VS Code",
      args: ["scripts/run-host.ts", "--oldest"],
      isSuite: true,
      minutes: 15,
    },
    {
      ...suite("durability", 30, "test/durability/**/*.test.ts"),
      env: { CREWDECK_SENDING_COUNT: "1000" },
    },
    {
      ...suite("team", 30, "test/team/chaos.test.ts"),
      env: { CREWDECK_CHAOS_SECONDS: "600", CREWDECK_KILLS: "500" },
    },
  ];
}

/** A program that is one test as a whole. */
function check(name: string, ...args: string[]): Step {
  return { name, args, isSuite: false, minutes: 5 };
}

function suite(name: string, minutes: number, files: string, ...more: string[]): Step {
  const args = ["node_modules/mocha/bin/mocha.js", "--forbid-only", ...more, files];
  return { name, args, isSuite: true, minutes };
}

/** The tests of the worker in Python. */
function pytest(name: string, ...more: string[]): Step {
  return { name, args: ["scripts/run-pytest.ts", ...more], isSuite: true, minutes: 3 };
}

/** The unit tests of the service once more, on Postgres, except those about a file, and those that send no statement that others don't. */
function serviceOnPostgres(): Step {
  const folder = "test/unit/service";
  const others =
    "command-line,compose,crews,erasure,flow-answers,live-dialect,post,postgres*,python-inputs,query-plans," +
    "routes,sources,specification,sqlite,start,worker";
  const ignored = ["--ignore", `${folder}/{${others}}.test.ts`];
  return {
    // Each process starts a Postgres.
    ...suite(onPostgres, 3, `${folder}/*.test.ts`, ...ignored, "--parallel", "--jobs", "2"),
    env: { CREWDECK_TEST_DATABASE: "postgres" },
  };
}

/** Runs one step after the other, whether they pass or fail. */
async function runQueue(): Promise<void> {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) await run(step);
}

async function run(step: Step): Promise<void> {
  console.log(`... ${step.name}`);
  const begun = performance.now();
  count(step.name, await runStep(step, scratch), (performance.now() - begun) / 1000);
}

/** Installs what suites need. Where it can't be, they are skipped; in CI, they fail. */
async function need(
  names: readonly string[],
  install: () => Promise<string | undefined>,
): Promise<void> {
  const problem = await install();
  if (problem === undefined) return;
  for (const name of names) {
    missing.set(name, problem);
    if (!isCi) continue;
    const failures = [{ title: name, error: problem }];
    count(name, { passed: 0, failed: 1, skipped: 0, failures }, 0);
  }
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
  const names: readonly string[] = suites;
  const stray = files.filter(
    (file) => file.endsWith(".test.ts") && !names.includes(file.split(path.sep)[0] ?? ""),
  );
  if (stray.length > 0) throw new Error(`These tests belong to no suite: ${stray.join(", ")}`);
}
