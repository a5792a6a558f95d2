import type { Clock } from "../base/clock.ts";
import { CrewApiError } from "../api/errors.ts";
import type { StatusReading } from "../api/types.ts";
import type { CrewRef, Execution, ExecutionSummary } from "./model.ts";
import { applyNotFound, applyReading } from "./reduce.ts";
import type { ExecutionStore } from "./store.ts";
import { answerSession } from "./watched.ts";

/** The part of a crew's client that tracking needs. */
export interface StatusClient {
  status(kickoffId: string, call?: { readonly signal?: AbortSignal }): Promise<StatusReading>;
}

/** What asking needs. */
export interface AskOptions {
  readonly store: Pick<ExecutionStore, "update">;
  /** The client of a crew; undefined when it is not connected on this machine. */
  clientFor(crew: CrewRef): Promise<StatusClient | undefined>;
  readonly clock: Clock;
}

/** What became of a question. */
export type AskOutcome =
  | { readonly kind: "written" }
  /** The crew could not be asked, or its answer helps no further. */
  | { readonly kind: "failed"; readonly error: CrewApiError }
  /** Something on this side: no client, no token, a full disk. */
  | { readonly kind: "hindered"; readonly error: unknown };

/** Asks a crew once how an execution is, and writes down what it says unless a resume or a new id has overtaken the question. Never rejects. */
export async function ask(
  options: AskOptions,
  execution: ExecutionSummary,
  signal: AbortSignal,
): Promise<AskOutcome> {
  const session = answerSession(execution);
  const write = (apply: (current: Execution) => Execution): AskOutcome => {
    options.store.update(execution.localId, (current) =>
      answerSession(current) === session ? apply(current) : current,
    );
    return { kind: "written" };
  };
  try {
    const client = await options.clientFor(execution.crew);
    const kickoffId = execution.kickoffIds.at(-1);
    if (client === undefined || kickoffId === undefined) {
      return {
        kind: "hindered",
        error: new Error(`"${execution.crew.name}" is not connected on this machine.`),
      };
    }
    signal.throwIfAborted();
    const reading = await client.status(kickoffId, { signal });
    return write((current) => applyReading(current, reading, options.clock.now()));
  } catch (error) {
    if (!(error instanceof CrewApiError)) {
      return { kind: "hindered", error };
    }
    if (error.kind !== "notFound") {
      return { kind: "failed", error };
    }
  }
  try {
    return write((current) => applyNotFound(current, options.clock.now()));
  } catch (error) {
    return { kind: "hindered", error };
  }
}
