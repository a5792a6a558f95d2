import { createHash } from "node:crypto";
import type { CrewProject } from "../projects/types.ts";
import { ApiError } from "./errors.ts";
import { isAccepted, type ExecutionView, type KeptOutput, type KeptOutputs } from "./model.ts";

export class UnfitOutputs extends ApiError {
  readonly canKeep: boolean;

  constructor(message: string, canKeep: boolean) {
    const details = { crewdeck: { can_keep_changed: canKeep } };
    super(400, message, { details });
    this.canKeep = canKeep;
  }
}

export interface RunAgain {
  readonly execution_id: string;
  readonly task_id: string;
  /** Outputs of earlier tasks by task ID, in place of those that they had. */
  readonly outputs?: Readonly<Record<string, string>>;
  /** Keeps outputs of tasks that have changed, and leaves out those of tasks that no longer run before it. */
  readonly keep_changed?: boolean;
}

/**
 * The outputs that an execution of the crew keeps of an earlier one.
 * @throws {ApiError} 400 for an unknown task, or if the outputs certainly don't fit the crew as its files define it
 */
export function outputsToKeep(
  { execution: { project }, attempts }: ExecutionView,
  now: CrewProject,
  { task_id: taskId, outputs = {}, keep_changed: keepsChanged = false }: RunAgain,
): KeptOutputs {
  if (!project.tasks.some(({ id }) => id === taskId))
    throw new ApiError(400, `The execution has no task "${taskId}"`);
  const earlier = namesBefore(project, taskId);
  const names = [...new Set([...earlier, ...namesBefore(now, taskId)])];
  const unknown = Object.keys(outputs).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const message = `No task before "${taskId}" is named ${quoted(unknown)}`;
    throw new ApiError(400, message);
  }
  const kept = (fingerprints: Fingerprints): KeptOutputs => ({
    taskId,
    outputs: names.flatMap((name) => {
      const given = outputs[name];
      if (given !== undefined) return [{ taskId: name, output: given, fingerprint: null }];
      const attempt = attempts.findLast((one) => one.taskId === name && isAccepted(one));
      const output = earlier.includes(name) ? attempt?.output : undefined;
      const fingerprint = keepsChanged ? null : (fingerprints[name] ?? null);
      return output === undefined || output === null ? [] : [{ taskId: name, output, fingerprint }];
    }),
  });
  const { asRead } = project;
  const built = fingerprintsOf(project);
  // Python may build other tasks than the files show.
  if (asRead === undefined || Object.keys(asRead).join() === Object.keys(built).join())
    fitOutputs(now, kept(asRead ?? built));
  return kept(built);
}

/**
 * The kept outputs in the order of the crew's tasks as it runs now; they are matched by name, never by position.
 * @throws {UnfitOutputs} that names the tasks that are new or have changed
 */
export function fitOutputs(project: CrewProject, { taskId, outputs }: KeptOutputs): KeptOutput[] {
  if (!project.tasks.some(({ id }) => id === taskId))
    throw new UnfitOutputs(`The crew has no task "${taskId}" any more.`, false);
  const names = namesBefore(project, taskId);
  const found = names.map((name) => outputs.find((kept) => kept.taskId === name));
  const fingerprints = fingerprintsOf(project);
  const checked = outputs.filter(({ fingerprint }) => fingerprint !== null);
  const missing = names.filter((_, index) => found[index] === undefined);
  const changed = checked.filter(
    (kept) => names.includes(kept.taskId) && kept.fingerprint !== fingerprints[kept.taskId],
  );
  const gone = checked.filter((kept) => !names.includes(kept.taskId));
  const problems = [
    ...(missing.length > 0 ? [`there is no output yet of ${quoted(missing)}`] : []),
    ...(changed.length > 0 ? [`${quoted(namesOf(changed))} changed`] : []),
    ...(gone.length > 0 ? [`${quoted(namesOf(gone))} no longer runs before "${taskId}"`] : []),
  ];
  if (problems.length === 0) return found.filter((kept) => kept !== undefined);
  throw new UnfitOutputs(
    `The earlier outputs don't fit the crew: ${problems.join(", and ")}.`,
    missing.length === 0,
  );
}

function namesBefore({ tasks }: CrewProject, taskId: string): string[] {
  const names = tasks.map(({ id }) => id);
  return names.slice(0, Math.max(0, names.indexOf(taskId)));
}

function namesOf(kept: readonly KeptOutput[]): string[] {
  return kept.map(({ taskId }) => taskId);
}

type Fingerprints = NonNullable<CrewProject["asRead"]>;

/** For each task, a hash of what it is asked for, and by whom and with what it is done. */
export function fingerprintsOf({ tasks, agents }: CrewProject): Fingerprints {
  return Object.fromEntries(
    tasks.map(({ id, description, expectedOutput, agent, context, extras }) => {
      const by = agents.find(({ name }) => name === agent);
      const texts = [description, expectedOutput, by?.role, by?.goal, by?.backstory];
      texts.push(extras, by?.extras);
      const parts = [...texts.map((text) => text?.trim()), context];
      return [id, createHash("sha256").update(JSON.stringify(parts)).digest("hex")];
    }),
  );
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}
