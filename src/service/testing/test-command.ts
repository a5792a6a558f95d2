import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { glob, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "jsonc-parser";
import {
  asObject,
  defined,
  numberAt,
  parseJson,
  textAt,
  type JsonObject,
  type UnknownObject,
} from "../../base/json.ts";
import { readPrices } from "../../base/prices.ts";
import { untilAsked } from "../../base/process.ts";
import { escaped, visible } from "../../base/text.ts";
import {
  readTestResult,
  type NamedTest,
  type TestFailure,
  type TestLine,
  type TestOutcome,
} from "../../base/window-protocol.ts";
import { projectRoot } from "../../projects/pyproject.ts";
import { ProjectError } from "../../projects/types.ts";
import { messageOf } from "../errors.ts";
import { ofOtherServices, type readTestOptions } from "../options.ts";
import { kickoffOf, readTestFile, suffix, titleOf, withModel, type TestCase } from "./test-file.ts";

type TestOptions = ReturnType<typeof readTestOptions>;

const shownText = 500;

/** Resolves to the exit status: 1 if a test failed, 2 if one could not run, or there is none. */
export async function runTestCommand(options: TestOptions): Promise<number> {
  const { paths, models, junit, isJson, isList, lifeline } = options;
  const print = (line: TestLine, text: string) =>
    void process.stdout.write(`${isJson ? JSON.stringify(line) : text}\n`);
  const results: TestResult[] = [];
  const problems: string[] = [];
  const report = (file: string, message: string) => {
    problems.push(message);
    print({ type: "problem", file, message }, message);
  };
  const tests: TestCase[] = [];
  for (const [file, named] of await filesIn(paths))
    try {
      const all = await readTestFile(file);
      const found = all.filter((test) =>
        named.some(({ number = test.number }) => number === test.number),
      );
      for (const { number } of named)
        if (number !== undefined && all.every((test) => test.number !== number))
          report(file, `${relative(process.cwd(), file)} has no case ${number}.`);
      const each = models.flatMap((model) => found.map((test) => withModel(test, model)));
      tests.push(...(models.length > 0 ? each : found));
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      report(file, error.message);
    }
  if (isList) {
    for (const test of tests)
      print({ type: "case", ...named(test), ...(await kickoffOf(test)) }, titleOf(test));
    return problems.length > 0 ? 2 : 0;
  }
  if (tests.length === 0 && problems.length === 0) {
    const message = `There are no tests: files NAME${suffix} with "expect", "answers" or "cases".`;
    print({ type: "problem", message }, message);
    return 2;
  }
  const onStart = (test: TestCase) => isJson && print({ type: "started", ...named(test) }, "");
  for await (const result of runTests(tests, options, onStart)) {
    results.push(result);
    const { test, ...outcome } = result;
    const text = textOf(result);
    print({ type: "test", ...named(test), ...outcome, text }, text);
  }
  // It would keep the process.
  if (lifeline) process.stdin.destroy();
  if (!isJson) process.stdout.write(`\n${summaryOf(results)}\n`);
  if (junit !== undefined) await writeFile(junit, junitOf(results));
  if (problems.length > 0 || countOf(results, "error") > 0) return 2;
  if (results.length < tests.length) return 130;
  return countOf(results, "failed") > 0 ? 1 : 0;
}

async function filesIn(paths: readonly string[]) {
  const found: { readonly file: string; readonly number?: number }[] = [];
  for (const path of paths.length > 0 ? paths : ["."]) {
    const [, file, number] = /^(.+)#(\d+)$/.exec(path) ?? [];
    if (file !== undefined) found.push({ file: resolve(file), number: Number(number) });
    else if (!(await stat(path).catch(() => undefined))?.isDirectory())
      found.push({ file: resolve(path) });
    else
      for await (const each of glob(`**/*${suffix}`, {
        cwd: path,
        exclude: (name) => /(^|[/\\])(node_modules|\.[^/\\.]+)$/.test(name),
      }))
        found.push({ file: resolve(path, each) });
  }
  return Map.groupBy(
    found.toSorted((one, other) => (one.file < other.file ? -1 : 1)),
    ({ file }) => file,
  );
}

function named({ file, number, name, folder, crewClass, at, model }: TestCase): NamedTest {
  return { file, number, name, folder, at, ...defined({ crewClass, model }) };
}

function textOf({ test, state, seconds, tokens, dollars, failures }: TestResult): string {
  const mark = { passed: "✓", failed: "✗", error: "!" }[state];
  const money = dollars === undefined ? "" : `, $${dollars}`;
  const cost = tokens > 0 ? `, ${tokens} tokens${money}` : "";
  const lines = failures.flatMap(({ message, expected, actual, at, isUnrecorded }) => [
    at ? `${relative(process.cwd(), at.file)}:${at.line}: ${message}` : message,
    // The message has the difference.
    ...(expected === undefined || isUnrecorded ? [] : [`Expected: ${cut(expected)}`]),
    ...(actual === undefined || isUnrecorded ? [] : [`Actual: ${cut(actual)}`]),
  ]);
  const indented = lines.map((line) => `\n    ${line.replaceAll("\n", "\n    ")}`).join("");
  // What a model says must not be for the terminal.
  return visible(`${mark} ${titleOf(test)} (${seconds} s${cost})${indented}`, /(?![\n\t])\p{Cc}/gu);
}

function cut(text: string): string {
  return text.length <= shownText ? text : `${text.slice(0, shownText)}…`;
}

function countOf(results: readonly TestResult[], wanted: TestResult["state"]): number {
  return results.filter(({ state }) => state === wanted).length;
}

function summaryOf(results: readonly TestResult[]): string {
  const tokens = results.reduce((sum, result) => sum + result.tokens, 0);
  return `${countOf(results, "passed")} passed, ${countOf(results, "failed")} failed, ${countOf(results, "error")} could not run; ${tokens} tokens`;
}

function junitOf(results: readonly TestResult[]): string {
  const cases = results.map(({ test, state, seconds, failures }) => {
    const kind = state === "error" ? "error" : "failure";
    const inside = failures.map(
      ({ message, actual = "" }) =>
        `<${kind} message=${quoted(message)}>${escaped(actual)}</${kind}>`,
    );
    const name = quoted(test.name === "" ? "test" : test.name);
    return `  <testcase classname=${quoted(titleOf({ ...test, name: "" }))} name=${name} time="${seconds}">${inside.join("")}</testcase>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="crewdeck" tests="${results.length}" failures="${countOf(results, "failed")}" errors="${countOf(results, "error")}">\n${cases.join("")}</testsuite>\n`;
}

/** Of an attribute, which would have spaces in place of line breaks. */
function quoted(text: string): string {
  return `"${escaped(text).replaceAll("\n", "&#10;")}"`;
}

/** `replay` answers all calls from the recording, `record` makes them and writes the recording, `live` only makes them. */
type Mode = TestOptions["mode"];

interface TestResult extends TestOutcome {
  readonly test: TestCase;
}

const pollMs = 50;

interface Running {
  readonly url: string;
  readonly token: string;
  readonly end: () => Promise<void>;
}

async function* runTests(
  tests: readonly TestCase[],
  { mode, python, lifeline }: TestOptions,
  onStart: (test: TestCase) => void,
): AsyncGenerator<TestResult> {
  const ended = untilAsked(lifeline);
  const services = new Map<string, Promise<Running>>();
  const serviceOf = ({ folder }: TestCase) => {
    const service = services.get(folder) ?? startService(folder, python);
    services.set(folder, service);
    return service;
  };
  try {
    for (const test of tests) {
      onStart(test);
      const result = await Promise.race([runTest(test, mode, () => serviceOf(test)), ended]);
      if (result === undefined) return;
      yield result;
    }
  } finally {
    for (const service of services.values())
      await service.then(({ end }) => end()).catch(() => undefined);
  }
}

async function runTest(
  test: TestCase,
  mode: Mode,
  start: () => Promise<Running>,
): Promise<TestResult> {
  const begun = performance.now();
  const stopped = (failure: TestFailure): TestResult => {
    const seconds = Math.round(performance.now() - begun) / 1000;
    return { test, state: "error", seconds, tokens: 0, grades: [], failures: [failure] };
  };
  if (mode === "replay" && !existsSync(test.recording)) {
    const message = `There is no recording ${relative(process.cwd(), test.recording)}. Make one with --record, which calls the models.`;
    return stopped({ message, isUnrecorded: true });
  }
  try {
    const { url, token } = await start();
    const api = apiOf(test.crewClass === undefined ? url : `${url}/${test.crewClass}`, token);
    const { id, status } = await execute(test, mode, api);
    if (mode === "record" && status["status"] === "completed")
      writeFileSync(test.recording, await api.text(`/executions/${id}/recording`));
    return { test, ...outcomeOf(status, test) };
  } catch (error) {
    return stopped({ message: messageOf(error) });
  }
}

function outcomeOf(status: UnknownObject, { places }: TestCase): TestOutcome {
  const result = readTestResult(status["test"]);
  if (!result) throw new Error("The service doesn't know tests.");
  return {
    ...result,
    seconds: numberAt(status, "execution_time") ?? 0,
    tokens: numberAt(asObject(status["usage_metrics"]), "total_tokens") ?? 0,
    failures: result.failures.map(({ expectation = -1, ...failure }) => ({
      ...failure,
      ...defined({ at: places[expectation] }),
    })),
  };
}

type Api = ReturnType<typeof apiOf>;

function apiOf(url: string, token: string) {
  const ask = async (path: string, body?: object): Promise<Response> => {
    const response = await fetch(url + path, {
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    if (response.ok) return response;
    const answer = asObject(await response.json().catch(() => ({})));
    throw new Error(textAt(answer, "message") ?? `The service answered ${response.status}.`);
  };
  return {
    json: async (path: string, body?: object): Promise<UnknownObject> =>
      asObject(await (await ask(path, body)).json()),
    text: async (path: string): Promise<string> => (await ask(path)).text(),
  };
}

async function execute(testCase: TestCase, mode: Mode, api: Api) {
  const { inputs, meta, approveTools, limits, expect, answers, replay } = await kickoffOf(testCase);
  const test = { expect, prices: await pricesIn(await projectRoot(testCase.folder)) };
  // A crew whose inputs only its Python knows is asked for them first.
  await api.json("/inputs/ask", {});
  const { kickoff_id } = await api.json("/kickoff", {
    ...{ inputs, meta, test, limits, approve_tools: approveTools, model: testCase.model },
    ...(mode === "replay" && { replay }),
  });
  const id = String(kickoff_id);
  const answered = new Map<string, number>();
  for (;;) {
    const status = await api.json(`/${id}/status`);
    const held = asObject(status["pending_tool_call"] ?? status["pending_budget"]);
    const call = textAt(held, "call_id");
    if (call !== undefined) {
      await api.json(`/stop/${id}`, {});
      throw new Error(
        `The call "${call}" would wait for a person, as "approveTools" or "limits" says. It was stopped.`,
      );
    }
    const task = textAt(asObject(status["pending_human_input"]), "task_id");
    if (task !== undefined) {
      const before = answered.get(task) ?? 0;
      answered.set(task, before + 1);
      const given = answers[task]?.[before] ?? { approve: "" };
      const is_approve = "approve" in given;
      const human_feedback = is_approve ? given.approve || "Approved." : given.reject;
      await api.json("/resume", { execution_id: id, task_id: task, human_feedback, is_approve });
    } else if (status["status"] !== "running") return { id, status };
    else await sleep(pollMs);
  }
}

/** The setting of VS Code: a window gives its own, else that of the project counts. */
async function pricesIn(folder: string): Promise<JsonObject> {
  const given = process.env["CREWDECK_PRICES"];
  if (given !== undefined) return pricesOf(parseJson(given));
  const file = join(folder, ".vscode", "settings.json");
  const text = await readFile(file, "utf8").catch(() => "");
  return pricesOf(asObject(parse(text))["crewdeck.prices"]);
}

function pricesOf(setting: unknown): JsonObject {
  return Object.fromEntries(
    readPrices(setting).map(({ pattern, ...price }) => [pattern, { ...price }]),
  );
}

async function startService(folder: string, python: string | undefined): Promise<Running> {
  const data = mkdtempSync(join(tmpdir(), "crewdeck-test-"));
  const program = process.argv[1] ?? "";
  const args = ["serve", resolve(folder), "--engine", "crewai", "--data", data, "--port", "0"];
  // Each execution has a storage of its own then: what one remembers makes no difference to others.
  args.push("--parallel", "2");
  const more = python === undefined ? [] : ["--python", python];
  const child = spawn(process.execPath, [program, ...args, ...more, "--lifeline"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...ofOtherServices },
  });
  let printed = "";
  child.stderr.on("data", (text: Buffer) => (printed = (printed + text.toString()).slice(-4000)));
  const exited = once(child, "exit");
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([
    once(lines, "line") as Promise<[string]>,
    exited.then(() => [undefined] as const),
  ]);
  const end = async () => {
    child.stdin.end();
    await exited;
    rmSync(data, { recursive: true, force: true });
  };
  if (line === undefined) {
    rmSync(data, { recursive: true, force: true });
    throw new Error(printed.trim());
  }
  const { url, token } = asObject(JSON.parse(line));
  return { url: String(url), token: String(token), end };
}
