import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { defined, type JsonObject } from "../../base/json.ts";
import { readProject } from "../../projects/read.ts";
import {
  ProjectError,
  toRehearse,
  type CrewProject,
  type ProjectTask,
} from "../../projects/types.ts";
import { messageOf } from "../errors.ts";
import type { Engine, Reports, Note, TaskAttempt } from "../engine.ts";
import type { Question, Rules } from "../questions.ts";
import type { Log } from "../operations/log.ts";
import type { Secrets } from "../operations/redact.ts";
import type { Processes } from "./processes.ts";
import type { Report, ReplyOf } from "./replies.ts";
import { openSources } from "./sources.ts";
import { ProjectFailure, WorkerEnded, type Worker } from "./worker.ts";

/** How long a project may take to load, a worker stays while a task waits for a person, nothing runs before a spare worker starts, and that one stays while nothing starts (ms). */
const usualTimes = {
  load: 5 * 60_000,
  waiting: 5 * 60_000,
  idle: 2_000,
  spare: 10 * 60_000,
};

export interface CrewaiOptions {
  readonly folder: string;
  /** The crew's folder inside the project, with forward slashes. */
  readonly crew?: string;
  readonly hasOthers?: boolean;
  readonly data: string;
  readonly python: string;
  readonly program: string;
  readonly parallel: number;
  readonly processes: Processes;
  /** Whether other processes run executions of the project, too. */
  readonly isShared?: boolean;
  /** Whether others than whoever sits at this machine may kick off. */
  readonly isOfTeam?: boolean;
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
  const sources = openSources(folder, path.join(options.data, "sources"));
  const storageOf = (owner: string) => path.join(options.data, "storage", owner);
  const flowStoreOf = (executionId: string) => path.join(options.data, "flows", executionId);
  // The project's other crews don't wait for this one.
  const storage = options.hasOthers ? storageOf("crew") : null;
  const workers = new Map<string, { readonly worker: Worker; readonly source: string }>();
  const active = new Set<string>();
  /** For the next execution. It imports crewAI, which takes seconds of the processor, so it starts while nothing runs. */
  let spare: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let environment: Readonly<Record<string, string>> = {};
  const warn = (execution_id: string, text: string) => log(text, { execution_id });

  // The tokens are for clients of the service, not for the project.
  const env = Object.fromEntries(
    Object.entries(options.env).filter(([name]) => !/^(CREWDECK_|ELECTRON_)/i.test(name)),
  );

  function start(): Worker {
    const onLine = (line: string, isOutput: boolean) => {
      const [execution_id] = [...workers].find(([, entry]) => entry.worker === worker) ?? [];
      log(`[crew] ${line}`, { level: "info", isOutput, ...defined({ execution_id }) });
    };
    const { load: loadMs } = times;
    const worker = processes.start({ python, program, env, secrets, loadMs, onLine });
    return worker;
  }

  async function take(): Promise<Worker> {
    if (!spare || !processes.has(spare)) await processes.room();
    const worker = spare && processes.has(spare) ? spare : start();
    spare = undefined;
    processes.work(worker);
    return worker;
  }

  function keepSpare(): void {
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (!spare || !processes.has(spare)) spare = processes.haveRoom ? start() : undefined;
      if (spare) processes.wait(spare, times.spare);
    }, times.idle).unref();
  }

  function drop(executionId: string): void {
    const known = workers.get(executionId);
    if (known) processes.end(known.worker);
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
    rules: Rules | null | undefined,
    asksInputs = false,
  ): Promise<ReplyOf<"opened">> {
    const { crewClass = null } = project;
    const [file, isFlow] = [fileOf(project), project.kind === "flow"];
    const { replay, model, debug_port: debugPort = null } = rules ?? {};
    const command = {
      folder,
      source,
      file,
      crewClass,
      isFlow,
      storage,
      environment: { ...environment, ...(model && { MODEL: model }) },
      replay: replay ? { file: recordingIn(folder, replay.file), live: replay.tools ?? [] } : null,
      debugPort,
    };
    // Without Python, the files have nothing to do with it.
    await worker.ready;
    try {
      return await worker.open(command, asksInputs);
    } catch (error) {
      if (!(error instanceof ProjectFailure)) throw error;
      const problem = await readProject(path.join(source, crew), project.crewClass)
        .then(toRehearse)
        .then(() => undefined, messageOf);
      if (problem === undefined) throw error;
      throw new ProjectFailure(`${secrets.hide(problem)}\nPython says: ${error.message}`);
    }
  }

  /** The execution's worker with its project open, and the crew as Python built it if it was opened now. */
  async function open(executionId: string, project: CrewProject, rules?: Rules | null) {
    const source = await sources.folderFor(executionId, fileOf(project));
    const known = workers.get(executionId);
    if (known?.source === source && processes.has(known.worker)) {
      processes.work(known.worker);
      return { worker: known.worker };
    }
    drop(executionId);
    if (source !== folder)
      log(
        `[crew] The project was edited. The execution ${executionId} continues with the files that it began with.`,
        { level: "info", execution_id: executionId },
      );
    const worker = await take();
    if (!active.has(executionId)) {
      processes.end(worker);
      throw new WorkerEnded("The execution was stopped.");
    }
    workers.set(executionId, { worker, source });
    // Executions that run at the same time must not share crewAI's storage. A replay remembers nothing else, so that its prompts are alike.
    const isAlone = parallel > 1 || options.isShared || rules?.replay;
    const own = isAlone ? storageOf(executionId) : storage;
    const { remarks, crew } = await openIn(worker, project, source, own, rules);
    for (const remark of remarks) warn(executionId, `[crew] ${remark}`);
    return { worker, crew };
  }

  /** The next use starts another worker after one that failed: what it holds is unknown. */
  async function working<T>(executionId: string, action: () => Promise<T>): Promise<T> {
    active.add(executionId);
    clearTimeout(idle);
    try {
      return await action();
    } catch (error) {
      if (error instanceof WorkerEnded && active.has(executionId))
        warn(
          executionId,
          `[crew] ${error.message.split("\n", 1)[0]} An attempt is made up to three times in all.`,
        );
      drop(executionId);
      throw error;
    }
  }

  /** Resolves once what the worker reported is stored, too. */
  async function give(
    { executionId, project, rules }: Pick<TaskAttempt, "executionId" | "project" | "rules">,
    command: JsonObject,
    prompt: string,
    report: Reports,
  ): Promise<ReplyOf<"output">> {
    const { worker, crew } = await open(executionId, project, rules);
    if (crew !== undefined) refuseOther(crew.tasks, project.tasks);
    const ask = (question: Question) =>
      report.ask(question).then(
        (answer) => worker.answer(answer),
        () => processes.end(worker),
      );
    const store = async (reported: Report) => {
      if (reported.type === "question") {
        // What is reported meanwhile is stored, too.
        void ask(reported.question);
      } else if (reported.type === "step") {
        const { tool = null, toolInput = null, result } = reported;
        await report.step({ prompt, thought: "", tool, toolInput, result });
      } else if (reported.type === "call") {
        await report.call(reported.call);
      } else {
        const { event, method } = reported;
        const { error } = event;
        const hidden = typeof error === "string" && { error: secrets.hide(error) };
        await report.event({ ...event, ...hidden }, method);
      }
    };
    // One after the other, in their order.
    let stored = Promise.resolve();
    const onReport = (reported: Report) => {
      stored = stored
        .then(() => store(reported))
        .catch((error: unknown) =>
          warn(
            executionId,
            `A step of the execution ${executionId} isn't reported: ${messageOf(error)}`,
          ),
        );
    };
    const current = await report.begin();
    return await worker.run({ ...command, rules: current }, onReport).finally(() => stored);
  }

  return {
    name: "crewai",
    costsMoney: true,
    isFinal: (error) => error instanceof ProjectFailure || error instanceof ProjectError,
    canDebug: options.isOfTeam !== true,
    async prepare(executionId, project, rules) {
      await sources.keep(executionId);
      return await working(executionId, async () => {
        drop(executionId);
        // Names of inputs and defaults stay those of the files.
        return { ...project, ...(await open(executionId, project, rules)).crew };
      });
    },
    async inputs(project) {
      const worker = await take();
      // An execution may use the crew's own.
      const own = storageOf(`inputs ${randomUUID()}`);
      try {
        return (await openIn(worker, project, folder, own, null, true)).inputs;
      } finally {
        processes.end(worker);
        await rm(own, { recursive: true, force: true });
      }
    },
    run: (attempt, report) =>
      working(attempt.executionId, () =>
        give(attempt, commandOf(attempt), attempt.task.description, report),
      ),
    runFlow: (part, report) => {
      const { executionId: id, inputs, answer, part: number } = part;
      const given = answer ? { ...answer } : null;
      const store = flowStoreOf(id);
      const command = { do: "attempt", at: ["", number], id, store, inputs, answer: given };
      return working(id, () => give(part, command, "", report));
    },
    parallel,
    startsProcesses: true,
    drop(executionId) {
      active.delete(executionId);
      drop(executionId);
    },
    rest(executionId, hasEnded) {
      active.delete(executionId);
      const known = workers.get(executionId);
      // Where no worker works, as without crewAI, a spare one would not, either.
      if (active.size === 0 && known) keepSpare();
      if (!hasEnded) {
        if (known) processes.wait(known.worker, times.waiting);
        return;
      }
      drop(executionId);
      Promise.all([
        sources.forget(executionId),
        rm(storageOf(executionId), { recursive: true, force: true }),
        rm(flowStoreOf(executionId), { recursive: true, force: true }),
      ]).catch((error: unknown) =>
        warn(executionId, `Files of the execution ${executionId} are left: ${messageOf(error)}`),
      );
    },
    setEnvironment(variables) {
      environment = variables;
      // What the project prints may have them. A short one is no secret, such as those that stand for none.
      const keys = Object.entries(variables).filter(
        ([name, { length }]) => name.endsWith("_KEY") && length >= 8,
      );
      secrets.add(keys.map(([, key]) => key));
    },
    close() {
      clearTimeout(idle);
      processes.endAll();
    },
  };
}

function refuseOther(now: readonly ProjectTask[], before: readonly ProjectTask[]): void {
  const names = (tasks: readonly ProjectTask[]) => tasks.map(({ id }) => id).join(", ");
  if (names(now) !== names(before))
    throw new ProjectFailure(
      `The project's tasks changed while the execution waited: they were ${names(before)}, and are ${names(now)}. Kick off again.`,
    );
}

/** @throws {ProjectFailure} for one that isn't in the project: a client must not choose any file of this machine */
function recordingIn(folder: string, file: string): string {
  const found = path.resolve(folder, file);
  if (found.startsWith(folder + path.sep) && found.endsWith(".jsonl")) return found;
  throw new ProjectFailure(
    `A recording is a file NAME.recording.jsonl in the project's folder, and ${file} isn't.`,
  );
}

function commandOf(attempt: TaskAttempt): JsonObject {
  const { project, taskIndex, inputs, earlier, notes } = attempt;
  return {
    do: "attempt",
    at: [attempt.task.id, attempt.attempt],
    task: taskIndex,
    inputs,
    earlier: earlier.map(({ output }) => output),
    notes: notes.flatMap((note) => noteText(note, attempt) ?? []),
    isFirst: attempt.isFirst,
    isLast: taskIndex === project.tasks.length - 1,
    isReviewed: attempt.task.humanInput,
    refusal: attempt.refusal ?? null,
    draft: attempt.draft ?? null,
  };
}

function noteText(note: Note, { task }: TaskAttempt): string | undefined {
  const { taskId, isApprove, feedback, output } = note;
  if (feedback.trim() === "" && (isApprove || taskId !== task.id)) return undefined;
  const verdict = isApprove ? "approved" : "rejected";
  const text = `A person ${verdict} the output of the task "${taskId}" with this feedback:\n${feedback.trim()}`;
  return !isApprove && taskId === task.id ? `${text}\n\nThe rejected output was:\n${output}` : text;
}
