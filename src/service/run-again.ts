import { createHash } from "node:crypto";
import type { CrewProject } from "../projects/types.ts";
import { ApiError } from "./errors.ts";
import type { Attempt, ExecutionView, KeptOutput, KeptOutputs } from "./model.ts";

/** The crew has changed since the outputs were made. */
export class UnfitOutputs extends Error {
  override readonly name = "UnfitOutputs";
}

/** The member `run_again` of a kickoff. */
export interface RunAgain {
  readonly executionId: string;
  /** The first task that runs. */
  readonly taskId: string;
  /** Outputs of earlier tasks by task ID, in place of those that they had. */
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * The outputs that an execution keeps of an earlier one.
 * @throws {ApiError} 400 for an unknown task, or if a task before it has no output yet
 */
export function outputsToKeep(
  { execution: { project }, attempts }: ExecutionView,
  { taskId, outputs }: RunAgain,
): KeptOutputs {
  const before = project.tasks.findIndex(({ id }) => id === taskId);
  if (before < 0)
    throw new ApiError(400, "Invalid Request", `The execution has no task "${taskId}"`);
  const names = project.tasks.slice(0, before).map(({ id }) => id);
  const unknown = Object.keys(outputs).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const message = `No task before "${taskId}" is named ${quoted(unknown)}`;
    throw new ApiError(400, "Invalid Request", message);
  }
  const kept = names.map((name): KeptOutput | string => {
    const given = outputs[name];
    if (given !== undefined) return { taskId: name, output: given, fingerprint: null };
    const attempt = attempts.findLast((one) => one.taskId === name && isAccepted(one));
    if (attempt === undefined || attempt.output === null) return name;
    return { taskId: name, output: attempt.output, fingerprint: fingerprintOf(project, name) };
  });
  const missing = kept.filter((one) => typeof one === "string");
  if (missing.length > 0)
    throw new ApiError(400, "Invalid Request", `There is no output yet of ${quoted(missing)}`);
  return { taskId, outputs: kept.filter((one) => typeof one !== "string") };
}

/**
 * The kept outputs in the order of the crew's tasks as it runs now; they are matched by name, never by position.
 * @throws {UnfitOutputs} that names the tasks that are new or have changed
 */
export function fitOutputs(project: CrewProject, { taskId, outputs }: KeptOutputs): KeptOutput[] {
  const end = project.tasks.findIndex(({ id }) => id === taskId);
  if (end < 0) throw new UnfitOutputs(`The crew has no task "${taskId}" any more.`);
  const names = project.tasks.slice(0, end).map(({ id }) => id);
  const fitting = names.flatMap((name) => {
    const kept = outputs.find((one) => one.taskId === name);
    const { fingerprint } = kept ?? {};
    return kept && (fingerprint === null || fingerprint === fingerprintOf(project, name))
      ? [kept]
      : [];
  });
  const others = names.filter((name) => !fitting.some((kept) => kept.taskId === name));
  const gone = outputs.map((kept) => kept.taskId).filter((name) => !names.includes(name));
  if (others.length === 0 && gone.length === 0) return fitting;
  const problems = [
    ...(others.length > 0 ? [`${quoted(others)} changed or came later`] : []),
    ...(gone.length > 0 ? [`${quoted(gone)} no longer runs before it`] : []),
  ];
  throw new UnfitOutputs(
    `The earlier outputs don't fit the crew: ${problems.join(", and ")}. Run again from an earlier task, or give these outputs.`,
  );
}

function isAccepted({ state }: Attempt): boolean {
  return state === "done" || state === "approved";
}

/** A hash of what a task is asked for, and by whom it is done. */
function fingerprintOf({ tasks, agents }: CrewProject, taskId: string): string {
  const task = tasks.find(({ id }) => id === taskId);
  const agent = agents.find(({ name }) => name === task?.agent);
  const texts = [
    task?.description,
    task?.expectedOutput,
    agent?.role,
    agent?.goal,
    agent?.backstory,
  ];
  const parts = [...texts.map((text) => text?.trim()), task?.context];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
