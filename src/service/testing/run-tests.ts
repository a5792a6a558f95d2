import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "jsonc-parser";
import {
  asArray,
  asObject,
  defined,
  numberAt,
  parseJson,
  textAt,
  type UnknownObject,
} from "../../base/json.ts";
import { priceOf, readPrices, type Price } from "../../base/prices.ts";
import type { TestFailure, TestOutcome } from "../../base/window-protocol.ts";
import { projectRoot } from "../../projects/pyproject.ts";
import { messageOf } from "../errors.ts";
import { ofOtherServices } from "../options.ts";
import { failureOf, mismatchesOf, type Outcome } from "./expectations.ts";
import type { TestCase } from "./test-file.ts";

/** `replay` answers all calls from the recording, `record` makes them and writes the recording, `live` only makes them. */
export type Mode = "replay" | "record" | "live";

export interface TestResult extends TestOutcome {
  readonly test: TestCase;
}

/** As which the worker reports a grade, like the call of a tool (crewdeck_worker/judge.py). */
const verdict = "crewdeck:judge";
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
  const serviceOf = ({ folder, crewClass = "", model = "" }: TestCase) => {
    const crew = JSON.stringify([folder, crewClass, model]);
    const service = services.get(crew) ?? startService(folder, python, model);
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
    const { outcome, id, error } = await execute(test, mode, api);
    if (mode === "record" && error === undefined)
      writeFileSync(test.recording, await api.text(`/executions/${id}/recording`));
    const unmet: readonly TestFailure[] = test.expect.flatMap((expected) =>
      mismatchesOf(expected, outcome).map((mismatch) => ({ ...mismatch, at: expected.at })),
    );
    const failures = error === undefined ? unmet : [failureOf(error)];
    const state = failures.length === 0 ? "passed" : "failed";
    const { seconds, tokens, dollars, grades } = outcome;
    return { test, state, seconds, tokens, ...defined({ dollars }), grades, failures };
  } catch (error) {
    return stopped({ message: messageOf(error) });
  }
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
  { inputs, meta, rules, answers, tools, recording, folder, expect }: TestCase,
  mode: Mode,
  api: Api,
) {
  const root = await projectRoot(folder);
  const file = relative(root, recording).replaceAll(sep, "/");
  const replay = mode === "replay" ? { file, ...(tools && { tools }) } : undefined;
  const judge = expect.flatMap(({ judge: question, task: task_id }) =>
    question === undefined ? [] : [defined({ question, task_id })],
  );
  // A crew whose inputs only its Python knows is asked for them first.
  await api.json("/inputs/ask", {});
  const { kickoff_id } = await api.json("/kickoff", { inputs, meta, replay, judge, ...rules });
  const id = String(kickoff_id);
  const outputs: Outcome["outputs"][number][] = [];
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
    const waiting = asObject(status["pending_human_input"]);
    const task = textAt(waiting, "task_id");
    if (task !== undefined) {
      const attempt = numberAt(waiting, "attempt") ?? 1;
      outputs.push({ task, attempt, output: textAt(waiting, "task_output") ?? "" });
      const said = outputs.filter((one) => one.task === task).length;
      const given = answers[task]?.[said - 1] ?? { approve: "" };
      const is_approve = "approve" in given;
      const human_feedback = is_approve ? given.approve || "Approved." : given.reject;
      await api.json("/resume", { execution_id: id, task_id: task, human_feedback, is_approve });
    } else if (status["status"] === "running") await sleep(pollMs);
    else return await outcomeOf(api, id, status, outputs, await pricesIn(root));
  }
}

/** @param reviewed the outputs that were answered */
export async function outcomeOf(
  api: Pick<Api, "json">,
  id: string,
  status: UnknownObject,
  reviewed: readonly Outcome["outputs"][number][],
  prices: readonly Price[],
) {
  const result = asObject(status["result"]);
  const { calls } = await api.json(`/executions/${id}/calls`);
  const made = asArray(calls).map(asObject);
  const whole = made
    .filter(({ kind }) => kind === "tool")
    .map(async (call) => {
      const path = `/executions/${id}/calls/${Number(call["number"])}`;
      // Beyond the limit of an execution, texts aren't kept.
      const { request, response } = call["is_dropped"] === true ? {} : await api.json(path);
      const [task, tool] = [textAt(call, "task_id") ?? "", textAt(call, "name") ?? ""];
      return { task, tool, attempt: numberAt(call, "attempt") ?? 1, arguments: request, response };
    });
  const tools = await Promise.all(whole);
  const verdicts = tools.filter(({ tool }) => tool === verdict);
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
    dollars: dollarsOf(made, prices),
    calls: tools.filter(({ tool }) => tool !== verdict),
    grades: verdicts.map(({ task, arguments: given, response }) => {
      const [{ question }, { grade, reason }] = [asObject(given), asObject(response)];
      return { task, question: String(question), grade: Number(grade), reason: String(reason) };
    }),
  };
  const hasEnded = status["status"] === "completed";
  return {
    outcome,
    id,
    error: hasEnded ? undefined : (textAt(status, "error") ?? "It was stopped."),
  };
}

/** Of all calls of models. Undefined if one of them has no price. */
function dollarsOf(calls: readonly UnknownObject[], prices: readonly Price[]): number | undefined {
  const parts = calls.flatMap((call) => {
    const { prompt_tokens, completion_tokens } = asObject(call["usage"]);
    if (call["usage"] === undefined) return [];
    const price = priceOf(textAt(call, "model"), prices);
    return [
      price && Number(prompt_tokens) * price.input + Number(completion_tokens) * price.output,
    ];
  });
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  const sum = parts.reduce<number>((all, part = 0) => all + part, 0);
  // Prices are for a million tokens.
  return Math.round(sum) / 1e6;
}

/** The setting of VS Code: a window gives its own, else that of the project counts. */
async function pricesIn(folder: string): Promise<readonly Price[]> {
  const given = process.env["CREWDECK_PRICES"];
  if (given !== undefined) return readPrices(parseJson(given));
  const file = join(folder, ".vscode", "settings.json");
  const text = await readFile(file, "utf8").catch(() => "");
  return readPrices(asObject(parse(text))["crewdeck.prices"]);
}

/** @throws Error with what it printed, if it can't start */
async function startService(
  folder: string,
  python: string | undefined,
  model: string,
): Promise<Running> {
  const data = mkdtempSync(join(tmpdir(), "crewdeck-test-"));
  const program = process.argv[1] ?? "";
  const args = ["serve", resolve(folder), "--engine", "crewai", "--data", data, "--port", "0"];
  // Each execution has a storage of its own then: what one remembers makes no difference to others.
  args.push("--parallel", "2");
  const more = python === undefined ? [] : ["--python", python];
  const child = spawn(process.execPath, [program, ...args, ...more, "--lifeline"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      ...ofOtherServices,
      ...(model !== "" && {
        CREWDECK_MODEL_ROUTE: JSON.stringify({ variables: { MODEL: model } }),
      }),
    },
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
