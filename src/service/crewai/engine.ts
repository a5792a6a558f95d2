import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "../../base/json.ts";
import {
  asArray,
  asObject,
  defined,
  isObject,
  numberAt,
  textAt,
  wordsIn,
  type UnknownObject,
} from "../../base/json.ts";
import { readProject } from "../../projects/read.ts";
import {
  ProjectError,
  toRehearse,
  type CrewProject,
  type ProjectAgent,
  type ProjectTask,
} from "../../projects/types.ts";
import { messageOf } from "../errors.ts";
import type { AgentStep, Engine, EngineEvent, FlowReports, Note, TaskAttempt } from "../engine.ts";
import type { TaskResult } from "../engine.ts";
import type { Log } from "../operations/log.ts";
import type { Secrets } from "../operations/redact.ts";
import { variablesOf } from "./environment.ts";
import { flowCommand, flowResult, methodOf, usageOf } from "./flow.ts";
import { Sources } from "./sources.ts";
import type { Processes } from "./processes.ts";
import { ProjectFailure, Worker, WorkerEnded } from "./worker.ts";

/** How long a project may take to load, an attempt may report nothing before the log says so, a worker that can no longer reply may take to end, a worker stays while a task waits for a person, nothing runs before a spare worker starts, and that one stays while nothing starts (ms). */
const usualTimes = {
  load: 5 * 60_000,
  quiet: 5 * 60_000,
  silent: 5_000,
  waiting: 5 * 60_000,
  idle: 2_000,
  spare: 10 * 60_000,
};

export interface CrewaiOptions {
  /** The project's folder. */
  readonly folder: string;
  /** The crew's folder inside the project, with forward slashes. */
  readonly crew?: string;
  /** Whether the project may have other crews. */
  readonly hasOthers?: boolean;
  /** A folder for what executions need until they end. */
  readonly data: string;
  /** The project's own interpreter. */
  readonly python: string;
  /** The path of worker.py. */
  readonly program: string;
  /** How many executions run at a time, here. */
  readonly parallel: number;
  /** Of all crews of this service. */
  readonly processes: Processes;
  /** Whether other processes run executions of the project, too. */
  readonly isShared?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly times?: Partial<typeof usualTimes>;
  readonly log: Log;
  /** Hidden in what the project prints and in its errors. Those of the project's `.env` are added. */
  readonly secrets: Secrets;
}

/** Runs tasks of a crewAI project in the project's own Python: one worker for an execution, one attempt after the other. */
export function crewaiEngine(options: CrewaiOptions): Engine {
  const { folder, crew = "", python, program, parallel, processes, log, secrets } = options;
  const times = { ...usualTimes, ...options.times };
  const sources = new Sources(folder, path.join(options.data, "sources"));
  const storageOf = (owner: string) => path.join(options.data, "storage", owner);
  const flowStoreOf = (executionId: string) => path.join(options.data, "flows", executionId);
  // The project's other crews don't wait for this one.
  const storage = options.hasOthers ? storageOf("crew") : null;
  const workers = new Map<string, { worker: Worker; source: string; leave?: NodeJS.Timeout }>();
  /** Executions that have their turn. */
  const active = new Set<string>();
  /** Those that are asked for inputs. */
  const asked = new Set<Worker>();
  let spare: { worker: Worker; leave: NodeJS.Timeout } | undefined;
  let idle: NodeJS.Timeout | undefined;
  let environment: Readonly<Record<string, string>> = {};

  // The tokens are for clients of the service, not for the project.
  const env = Object.fromEntries(
    Object.entries(options.env).filter(([name]) => !/^(CREWDECK_|ELECTRON_)/i.test(name)),
  );

  function start(): Worker {
    const onLine = (line: string, isOutput: boolean) => {
      const [execution_id] = [...workers].find(([, entry]) => entry.worker === worker) ?? [];
      log(`[crew] ${line}`, { level: "info", isOutput, ...defined({ execution_id }) });
    };
    const { load: loadMs, quiet: quietMs, silent: silentMs } = times;
    processes.makeRoom();
    const worker = new Worker({ python, program, env, secrets, loadMs, quietMs, silentMs, onLine });
    processes.add(worker);
    return worker;
  }

  /** What the project prints may have them. */
  async function hideVariables(): Promise<void> {
    secrets.addVariables(await variablesOf(folder, python));
    secrets.add([environment["OPENAI_API_KEY"] ?? ""]);
  }

  /** For the next execution. It imports crewAI, which takes seconds of the processor, so it starts while nothing runs. */
  function startSpare(): void {
    if (!processes.haveRoom) return;
    const worker = start();
    const leave = setTimeout(() => takeSpare()?.end(), times.spare);
    spare = { worker, leave: leave.unref() };
    processes.idle(worker, () => takeSpare()?.end());
    void worker.ended.then(() => {
      if (spare?.worker === worker) takeSpare();
    });
  }

  /** Each use of the service begins the spare worker's time again. */
  function keepSpare(): void {
    clearTimeout(idle);
    if (spare === undefined) idle = setTimeout(startSpare, times.idle).unref();
    else spare.leave.refresh();
  }

  function takeSpare(): Worker | undefined {
    const taken = spare;
    spare = undefined;
    clearTimeout(taken?.leave);
    if (taken) processes.busy(taken.worker);
    return taken?.worker;
  }

  function drop(executionId: string): void {
    const entry = workers.get(executionId);
    clearTimeout(entry?.leave);
    entry?.worker.end();
    workers.delete(executionId);
  }

  function fileOf(project: CrewProject): string {
    return path.posix.join(crew, project.entry);
  }

  /** @throws {ProjectFailure} with what is wrong in the files first: a person may not find it in Python's words, which may be cut off */
  async function openIn(
    worker: Worker,
    project: CrewProject,
    source: string,
    storage: string | null,
  ): Promise<UnknownObject> {
    const { kind, crewClass } = project;
    const file = fileOf(project);
    const isFlow = kind === "flow";
    const command = { folder, source, file, crewClass: crewClass ?? null, storage, isFlow };
    // Without Python, the files have nothing to do with it.
    await worker.ready;
    try {
      return await worker.open(command, environment);
    } catch (error) {
      if (!(error instanceof ProjectFailure)) throw error;
      const problem = await readProject(path.join(source, crew), crewClass)
        .then(toRehearse)
        .then(() => undefined, messageOf);
      if (problem === undefined) throw error;
      throw new ProjectFailure(`${secrets.hide(problem)}\nPython says: ${error.message}`);
    }
  }

  /** The execution's worker with its project open, and the crew if it was opened now. */
  async function open(executionId: string, project: CrewProject) {
    const source = await sources.folderFor(executionId, fileOf(project));
    if (!active.has(executionId)) throw stopped();
    const known = workers.get(executionId);
    if (known?.source === source) {
      clearTimeout(known.leave);
      delete known.leave;
      processes.busy(known.worker);
      return { worker: known.worker, crew: undefined };
    }
    drop(executionId);
    if (source !== folder)
      log(
        `[crew] The project was edited. The execution ${executionId} continues with the files that it began with.`,
        { level: "info", execution_id: executionId },
      );
    await hideVariables();
    if (!active.has(executionId)) throw stopped();
    const worker = takeSpare() ?? start();
    workers.set(executionId, { worker, source });
    void worker.ended.then(() => {
      if (workers.get(executionId)?.worker === worker) drop(executionId);
    });
    // Executions that run at the same time must not share crewAI's storage.
    const own = parallel > 1 || options.isShared ? storageOf(executionId) : storage;
    const reply = await openIn(worker, project, source, own);
    for (const remark of wordsIn(reply["remarks"]))
      log(`[crew] ${remark}`, { execution_id: executionId });
    return { worker, crew: crewOf(asObject(reply["crew"]), project) };
  }

  /** The next use starts another worker after one that failed: what it holds is unknown. */
  async function working<T>(
    executionId: string,
    action: () => Promise<T>,
    repeat = "An attempt is made up to three times in all.",
  ): Promise<T> {
    active.add(executionId);
    clearTimeout(idle);
    try {
      return await action();
    } catch (error) {
      if (error instanceof WorkerEnded && active.has(executionId))
        log(`[crew] ${firstLine(error.message)} ${repeat}`, { execution_id: executionId });
      drop(executionId);
      throw error;
    }
  }

  /** Resolves once what the worker reported is stored, too. */
  async function give(
    executionId: string,
    project: CrewProject,
    command: JsonObject,
    report: Pick<FlowReports, "begin">,
    store: (report: UnknownObject) => Promise<void>,
  ): Promise<UnknownObject> {
    const { worker, crew } = await open(executionId, project);
    if (crew !== undefined) refuseOther(crew.tasks, project.tasks);
    // One after the other, in their order.
    let reported = Promise.resolve();
    const onReport = (report: UnknownObject) => {
      reported = reported
        .then(() => store(report))
        .catch((error: unknown) =>
          log(`A step of the execution ${executionId} isn't reported: ${messageOf(error)}`, {
            execution_id: executionId,
          }),
        );
    };
    await report.begin();
    return await worker.run(command, onReport).finally(() => reported);
  }

  return {
    name: "crewai",
    costsMoney: true,
    isFinal: (error) => error instanceof ProjectFailure || error instanceof ProjectError,
    async prepare(executionId, project) {
      await sources.keep(executionId);
      return await working(executionId, async () => {
        drop(executionId);
        return (await open(executionId, project)).crew ?? project;
      });
    },
    async inputs(project) {
      await hideVariables();
      const worker = takeSpare() ?? start();
      asked.add(worker);
      // An execution may use the crew's own.
      const own = storageOf(`inputs ${randomUUID()}`);
      try {
        await openIn(worker, project, folder, own);
        return await worker.inputs();
      } finally {
        asked.delete(worker);
        worker.end();
        await rm(own, { recursive: true, force: true });
      }
    },
    run: (attempt, report) =>
      working(attempt.executionId, async () => {
        const { executionId, project, task } = attempt;
        const command = commandOf(attempt);
        const reply = await give(executionId, project, command, report, (reported) => {
          const event = eventOf(reported, secrets);
          return event ? report.event(event) : report.step(stepOf(reported, task.description));
        });
        return resultOf(reply);
      }),
    runFlow: (part, report) => {
      const { executionId, project } = part;
      const run = async () => {
        const command = flowCommand(part, flowStoreOf(executionId));
        const reply = await give(executionId, project, command, report, (reported) => {
          const event = eventOf(reported, secrets);
          return event
            ? report.event(event, methodOf(reported))
            : report.step(stepOf(reported, ""));
        });
        return flowResult(reply);
      };
      const repeat = "The flow's methods since its last pause run again, up to three times in all.";
      return working(executionId, run, repeat);
    },
    parallel,
    startsProcesses: true,
    drop(executionId) {
      active.delete(executionId);
      drop(executionId);
    },
    rest(executionId, hasEnded) {
      active.delete(executionId);
      // Where no worker works, as without crewAI, a spare one would not, either.
      if (active.size === 0 && workers.has(executionId)) keepSpare();
      if (hasEnded) {
        drop(executionId);
        for (const removed of [
          sources.forget(executionId),
          rm(storageOf(executionId), { recursive: true, force: true }),
          rm(flowStoreOf(executionId), { recursive: true, force: true }),
        ])
          removed.catch((error: unknown) =>
            log(`Files of the execution ${executionId} are left: ${messageOf(error)}`, {
              execution_id: executionId,
            }),
          );
        return;
      }
      const entry = workers.get(executionId);
      if (entry === undefined) return;
      clearTimeout(entry.leave);
      entry.leave = setTimeout(() => drop(executionId), times.waiting).unref();
      processes.idle(entry.worker, () => drop(executionId));
    },
    setEnvironment(variables) {
      environment = variables;
    },
    close() {
      clearTimeout(idle);
      takeSpare()?.end();
      for (const worker of asked) worker.end();
      for (const executionId of [...workers.keys()]) drop(executionId);
    },
  };
}

function stopped(): Error {
  return new WorkerEnded("The execution was stopped.");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** The crew as Python built it. Names of inputs and defaults stay those of the files. */
function crewOf(crew: UnknownObject, project: CrewProject): CrewProject {
  const roles = asArray(crew["agents"]).map(asObject);
  const agents = roles.map((agent, index): ProjectAgent => ({
    name: `agent_${index + 1}`,
    role: textAt(agent, "role") ?? "",
    goal: textAt(agent, "goal") ?? "",
    backstory: textAt(agent, "backstory") ?? "",
  }));
  const tasks = asArray(crew["tasks"])
    .map(asObject)
    .map((task): ProjectTask => {
      const agent = agents[numberAt(task, "agent") ?? -1]?.name;
      const context = task["context"];
      return {
        id: textAt(task, "name") ?? "",
        description: textAt(task, "description") ?? "",
        expectedOutput: textAt(task, "expectedOutput") ?? "",
        humanInput: task["humanInput"] === true,
        ...(agent !== undefined && { agent }),
        extras: textAt(task, "extras") ?? "",
        ...(Array.isArray(context) && { context: wordsIn(context) }),
      };
    });
  return { ...project, agents, tasks };
}

/** Throws if the project on disk has other tasks than the execution began with. */
function refuseOther(now: readonly ProjectTask[], before: readonly ProjectTask[]): void {
  const names = (tasks: readonly ProjectTask[]) => tasks.map(({ id }) => id).join(", ");
  if (names(now) !== names(before))
    throw new ProjectFailure(
      `The project's tasks changed while the execution waited: they were ${names(before)}, and are ${names(now)}. Kick off again.`,
    );
}

function commandOf(attempt: TaskAttempt): JsonObject {
  const { project, taskIndex, inputs, earlier, notes } = attempt;
  return {
    do: "attempt",
    task: taskIndex,
    inputs,
    earlier: project.tasks
      .slice(0, taskIndex)
      .map(({ id }) => earlier.find(({ taskId }) => taskId === id)?.output ?? null),
    notes: notes.flatMap((note) => noteText(note, attempt) ?? []),
    isFirst: attempt.isFirst,
    isLast: taskIndex === project.tasks.length - 1,
    isReviewed: attempt.task.humanInput,
    refusal: attempt.refusal ?? null,
    draft: attempt.draft ?? null,
  };
}

/** What the model reads of a person's feedback; undefined if there is none. */
function noteText(note: Note, { task }: TaskAttempt): string | undefined {
  const { taskId, isApprove, feedback, output } = note;
  if (feedback.trim() === "" && (isApprove || taskId !== task.id)) return undefined;
  const verdict = isApprove ? "approved" : "rejected";
  const text = `A person ${verdict} the output of the task "${taskId}" with this feedback:\n${feedback.trim()}`;
  return !isApprove && taskId === task.id ? `${text}\n\nThe rejected output was:\n${output}` : text;
}

function stepOf(reply: UnknownObject, prompt: string): AgentStep {
  return {
    prompt,
    thought: "",
    tool: textAt(reply, "tool") ?? null,
    toolInput: textAt(reply, "toolInput") ?? null,
    result: textAt(reply, "result") ?? "",
  };
}

/** Undefined for a step. */
function eventOf(reply: UnknownObject, secrets: Secrets): EngineEvent | undefined {
  const event = asObject(reply["event"]);
  const [type, timestamp] = [textAt(event, "type"), textAt(event, "timestamp")];
  if (type === undefined || timestamp === undefined) return undefined;
  const error = textAt(event, "error");
  // JSON from the worker.
  return {
    ...{ ...(event as JsonObject), type, timestamp },
    ...(error !== undefined && { error: secrets.hide(error) }),
  };
}

function resultOf(reply: UnknownObject): TaskResult {
  const output = typeof reply["output"] === "string" ? reply["output"] : "";
  // JSON from the worker.
  const member = (name: "inputs" | "draft" | "refusal") =>
    isObject(reply[name]) && { [name]: reply[name] as JsonObject };
  return {
    output,
    ...(reply["isSkipped"] === true && { isSkipped: true }),
    ...member("inputs"),
    ...member("draft"),
    ...member("refusal"),
    usage: usageOf(reply),
  };
}
