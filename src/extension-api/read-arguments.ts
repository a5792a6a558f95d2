import { defined } from "../base/json.ts";
import { booleanOf, needed, recordOf, stringOf } from "../editor/arguments.ts";
import { prefillOf } from "../commands/kickoff.ts";
import type { CrewdeckFeedback, CrewdeckKickoff, CrewdeckStop } from "./crewdeck-api.ts";

/** @throws UserError that names what is wrong */
export function readKickoff(argument: unknown): CrewdeckKickoff {
  const given = recordOf(argument);
  return { crew: needed(stringOf(given, "crew"), "crew"), ...prefillOf(given) };
}

/** @throws UserError that names what is wrong */
export function readFeedback(argument: unknown): CrewdeckFeedback {
  const given = recordOf(argument);
  return {
    kickoffId: needed(stringOf(given, "kickoffId"), "kickoffId"),
    isApprove: needed(booleanOf(given, "isApprove"), "isApprove"),
    ...defined({
      crew: stringOf(given, "crew"),
      taskId: stringOf(given, "taskId"),
      feedback: stringOf(given, "feedback"),
    }),
  };
}

/** @throws UserError that names what is wrong */
export function readStop(argument: unknown): CrewdeckStop {
  const given = recordOf(argument);
  return {
    kickoffId: needed(stringOf(given, "kickoffId"), "kickoffId"),
    ...defined({ crew: stringOf(given, "crew") }),
  };
}
