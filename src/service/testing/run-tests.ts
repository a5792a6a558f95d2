import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { asArray, asObject, numberAt, textAt, type UnknownObject } from "../../base/json.ts";
import type { TestFailure } from "../../base/test-lines.ts";
import { projectRoot } from "../../projects/pyproject.ts";
import { mismatchesOf, type Outcome } from "./expectations.ts";
import type { Answer, TestCase } from "./test-file.ts";

/** `replay` answers all calls from the recording, `record` makes them and writes the recording, `live` only makes them. */
export type Mode = "replay" | "record" | "live";

export interface TestResult {
  readonly test: TestCase;
  /** `error`: it could not run. */
  readonly state: "passed" | "failed" | "error";
  readonly seconds: number;
  readonly tokens: number;
  readonly failures: readonly TestFailure[];
}

/** How often a status is asked for (ms). */
const pollMs = 50;

/** A service of the program that runs, with a data folder of its own. */
interface Running {
  readonly url: string;
  readonly token: string;
  readonly end: () => Promise<void>;
}

interface TestRun {
  readonly mode: Mode;
  readonly python: string | undefined;
  /** Resolves when the tests are to end. */
  readonly ended: Promise<void>;
  readonly onStart: (test: TestCase) => void;
  readonly onResult: (result: TestResult) => void;
}

/** Runs tests one after the other, with one service for each crew. */
export async function runTests(
  tests: readonly TestCase[],
  { mode, python, ended, onStart, onResult }: TestRun,
): Promise<void> {
  const services = new Map<string, Promise<Running>>();
  const serviceOf = ({ folder, crewClass = "" }: TestCase) => {
    const crew = `${folder}#${crewClass}`;
    const service = services.get(crew) ?? startService(folder, python);
    services.set(crew, service);
    return service;
  };
  try {
    for (const test of tests) {
      onStart(test);
      const result = await Promise.race([runTest(test, mode, () => serviceOf(test)), ended]);
      if (result === undefined) return;
      onResult(result);
    }
  } finally {
    for (const service of services.values())
      await service.then(({ end }) => end()).catch(() => undefined);
  }
}

/** Never rejects. */
async function runTest(
  test: TestCase,
  mode: Mode,
  start: () => Promise<Running>,
): Promise<TestResult> {
  const begun = performance.now();
  const since = () => Math.round(performance.now() - begun) / 1000;
  if (mode === "replay" && !existsSync(test.recording)) {
    const message = `There is no recording ${relative(process.cwd(), test.recording)}. Make one with --record, which calls the models.`;
    return {
      ...{ test, state: "error", seconds: 0, tokens: 0 },
      failures: [{ message, isUnrecorded: true }],
    };
  }
  try {
    const { url, token } = await start();
    const api = apiOf(test.crewClass === undefined ? url : `${url}/${test.crewClass}`, token);
    const { outcome, id, error } = await execute(test, mode, api);
    if (mode === "record" && error === undefined)
      writeFileSync(test.recording, await api.text(`/executions/${id}/recording`));
    const unmet: readonly TestFailure[] = test.expect.flatMap((expected) =>
      mismatchesOf(expected, outcome).map((mismatch) => ({ ...mismatch, at: expected.at })),
    );
    const failures = error === undefined ? unmet : [failureOf(error)];
    const state = failures.length === 0 ? "passed" : "failed";
    return { test, state, seconds: outcome.seconds, tokens: outcome.tokens, failures };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { test, state: "error", seconds: since(), tokens: 0, failures: [{ message }] };
  }
}

/** Of an execution. What differs from the recording (crewdeck_worker/recording.py) is to be compared. */
function failureOf(message: string): TestFailure {
  const [, difference] = message.split("\n--- recorded\n+++ now\n");
  if (difference === undefined) return { message };
  const without = (mark: string) =>
    difference
      .split("\n")
      .flatMap((line) => (line.startsWith(mark) ? [] : [line.slice(1)]))
      .join("\n");
  return { message, expected: without("+"), actual: without("-"), isUnrecorded: true };
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

/** Kicks off once, and answers what waits for a person, until the execution has ended. */
async function execute(
  { inputs, meta, answers, tools, recording, folder }: TestCase,
  mode: Mode,
  api: Api,
) {
  const root = await projectRoot(folder);
  const file = relative(root, recording).replaceAll(sep, "/");
  const replay = mode === "replay" ? { file, ...(tools && { tools }) } : undefined;
  const { kickoff_id } = await kickoff(api, { inputs, meta, replay });
  const id = String(kickoff_id);
  const outputs: Outcome["outputs"][number][] = [];
  for (;;) {
    const status = await api.json(`/${id}/status`);
    const waiting = asObject(status["pending_human_input"]);
    const task = textAt(waiting, "task_id");
    if (task !== undefined) {
      const attempt = numberAt(waiting, "attempt") ?? 1;
      outputs.push({ task, attempt, output: textAt(waiting, "task_output") ?? "" });
      const said = outputs.filter((one) => one.task === task).length;
      await answer(api, id, task, answers[task]?.[said - 1] ?? { approve: "" });
    } else if (status["status"] !== "running") return await ended(api, id, status, outputs);
    else await sleep(pollMs);
  }
}

/** A crew whose inputs only its Python knows is asked for them first. */
async function kickoff(api: Api, body: object): Promise<UnknownObject> {
  await api.json("/inputs/ask", {});
  return await api.json("/kickoff", body);
}

async function answer(api: Api, execution_id: string, task_id: string, given: Answer) {
  const is_approve = "approve" in given;
  const human_feedback = is_approve ? given.approve || "Approved." : given.reject;
  await api.json("/resume", { execution_id, task_id, human_feedback, is_approve });
}

async function ended(
  api: Api,
  id: string,
  status: UnknownObject,
  reviewed: readonly Outcome["outputs"][number][],
) {
  const result = asObject(status["result"]);
  const { calls } = await api.json(`/executions/${id}/calls`);
  const made = asArray(calls).map(asObject);
  const whole = made
    .filter(({ kind }) => kind === "tool")
    .map(async (call) => {
      const { request } = await api.json(`/executions/${id}/calls/${Number(call["number"])}`);
      const [task, tool] = [textAt(call, "task_id") ?? "", textAt(call, "name") ?? ""];
      return { task, tool, attempt: numberAt(call, "attempt") ?? 1, arguments: request };
    });
  const last = asArray(result["tasks"] ?? status["tasks"]).map(asObject);
  const others = last.flatMap((one) => {
    const task = textAt(one, "task_id") ?? "";
    if (reviewed.some((each) => each.task === task)) return [];
    return [{ task, attempt: 1, output: textAt(one, "output") ?? "" }];
  });
  const outcome: Outcome = {
    output: textAt(result, "output") ?? "",
    outputs: [...reviewed, ...others],
    seconds: numberAt(status, "execution_time") ?? 0,
    tokens: numberAt(asObject(status["usage_metrics"]), "total_tokens") ?? 0,
    calls: await Promise.all(whole),
  };
  const hasEnded = status["status"] === "completed";
  return {
    outcome,
    id,
    error: hasEnded ? undefined : (textAt(status, "error") ?? "It was stopped."),
  };
}

/** @throws Error with what it printed, if it can't start */
async function startService(folder: string, python: string | undefined): Promise<Running> {
  const data = mkdtempSync(join(tmpdir(), "crewdeck-test-"));
  const program = process.argv[1] ?? "";
  const args = ["serve", resolve(folder), "--engine", "crewai", "--data", data, "--port", "0"];
  // Each execution has a storage of its own then: what one remembers makes no difference to others.
  args.push("--parallel", "2");
  const more = python === undefined ? [] : ["--python", python];
  const child = spawn(process.execPath, [program, ...args, ...more, "--lifeline"], {
    stdio: ["pipe", "pipe", "pipe"],
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
