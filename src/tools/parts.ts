import type { Clock } from "../base/clock.ts";
import type { Crews } from "../crews/crews.ts";
import type { Executions } from "../executions/executions.ts";
import type { Feedback } from "../feedback/feedback.ts";
import type { KickoffSender } from "../sending/kickoff.ts";

/** What the tools work with: what the commands send by is what the tools send by. */
export interface ToolParts {
  readonly crews: Crews;
  readonly executions: Pick<Executions, "store" | "tracker">;
  readonly sender: Pick<KickoffSender, "send">;
  readonly feedback: Pick<Feedback, "approve" | "reject">;
  readonly clock: Clock;
  /** Makes sure that a local crew's service runs; nothing to do for a deployed one. */
  readonly wake: (crewId: string) => Promise<void>;
}
