import type { Clock } from "../base/clock.ts";
import type { CrewInputs, KickoffRequest } from "../api/types.ts";
import type { ErrorAction } from "../base/errors.ts";
import type { Execution } from "../executions/model.ts";
import type { FormTools, Taken } from "./form-tools.ts";
import type { FormMemory } from "./form/memory.ts";
import type { FormCrew, ToForm } from "./form/messages.ts";

/** How a crew is asked for its inputs. */
export interface LoadOptions {
  /** Whether what is remembered of an earlier answer will not do. */
  readonly fresh: boolean;
  /** Whether a local crew that is stopped may be started for it: only where a person asks. */
  readonly wakes: boolean;
}

/** What a form needs of the world around it. */
export interface SessionOptions {
  readonly clock: Clock;
  readonly memory: Pick<FormMemory, "saveDraft" | "dropDraft" | "sent" | "keeps">;
  readonly newId: () => string;
  /** Asks what the crew needs; what it throws is shown with its remedy. */
  readonly inputs: (options: LoadOptions) => Promise<CrewInputs>;
  readonly send: (request: KickoffRequest, localId: string) => Promise<Execution>;
  readonly post: (message: ToForm) => void;
  readonly onStarted: (execution: Execution) => void;
  /** The person wants to see what may have started; nothing where only its claim is left. */
  readonly onOpenExecution: (execution: Execution | undefined) => void;
  readonly tools: Pick<FormTools, "presets" | "saveAsRequestFile" | "copyAsCurl">;
  /** Lets the person choose a value for an input from elsewhere. */
  readonly takeValue: (crew: FormCrew, input: string) => Promise<Taken | undefined>;
  /** A tool failed; the form is as it was. */
  readonly onToolProblem: (error: unknown) => void;
  /** What can be done about an error, as buttons beside it. */
  readonly actionsFor: (error: unknown) => readonly ErrorAction[];
  readonly onAction: (action: ErrorAction) => void;
  /** Sending failed after the form was closed. */
  readonly onLateProblem: (error: unknown) => void;
}
