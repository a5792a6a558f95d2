import { type Execution, type FlowRequest, hasEnded, isLocalCrew } from "./model.ts";
import { crewContinued, isAt, reopened, resumesOf, type ResumeTarget, waitsAt } from "./resumes.ts";
import { taskIn } from "./tasks.ts";

/** A flow's request as it came, before it belongs to an attempt. */
export interface ReceivedRequest extends Omit<FlowRequest, "attempt" | "since"> {
  readonly output: string;
}

/** The flow waits with it; others stay open, as methods may ask at the same time. A request that is known changes nothing. */
export function requestReceived(
  execution: Execution,
  { output, ...received }: ReceivedRequest,
  now: number,
): Execution {
  const { id, taskId } = received;
  const { requestIds = [], requests = [] } = execution;
  if (requestIds.includes(id)) return execution;
  const attempt = attemptOf(execution, taskId);
  const open = openRequests(execution).map((each) => each.taskId);
  const request = { ...received, attempt, since: new Date(now).toISOString() };
  const next = {
    ...reopened(crewContinued(execution)),
    requests: [...requests, request],
    requestIds: [...requestIds, id],
  };
  const pause = { taskId, output, options: request.options };
  return waitsAt(next, pause, attempt, now, { open, isHeard: true });
}

/** After an answer, the flow waits with its last request that is open, if no other pause is known. */
export function withNextRequest(execution: Execution): Execution {
  const open = openRequests(execution);
  const next = open.at(-1);
  if (next === undefined || execution.waiting !== undefined) return execution;
  const others = open.map(({ taskId }) => taskId);
  return waitsAt(execution, next, next.attempt, Date.parse(next.since), { open: others });
}

/** Of each method, its last, oldest first. Which pause of a local flow waits, its status shows. */
function openRequests(execution: Execution): readonly FlowRequest[] {
  const { crew, requests = [] } = execution;
  if (hasEnded(execution) || isLocalCrew(crew)) return [];
  return requests.filter(
    (request) =>
      resumesOf(execution, request).length === 0 &&
      requests.findLast(({ taskId }) => taskId === request.taskId) === request,
  );
}

/** A local flow's status may have shown the pause already. */
function attemptOf(execution: Execution, taskId: string): number {
  const { waiting, tasks } = execution;
  if (waiting?.taskId === taskId && requestAt(execution, waiting) === undefined)
    return waiting.attempt;
  return (taskIn(tasks, taskId)?.attempts.at(-1)?.number ?? 0) + 1;
}

export function requestAt(
  { requests = [] }: Pick<Execution, "requests">,
  target: ResumeTarget,
): FlowRequest | undefined {
  return requests.find((request) => isAt(request, target));
}

/** Whether it may be answered, also while the flow waits with another one. */
export function isOpenRequest(execution: Execution, target: ResumeTarget): boolean {
  const request = requestAt(execution, target);
  return request !== undefined && openRequests(execution).includes(request);
}

/** Whether it no longer waits, and was not answered from here. */
export function isOver(execution: Execution, target: ResumeTarget): boolean {
  const isSent = resumesOf(execution, target).length > 0;
  return !isSent && !isAt(execution.waiting, target) && !isOpenRequest(execution, target);
}
