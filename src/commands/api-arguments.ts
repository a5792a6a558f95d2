import type { CrewdeckFeedback, CrewdeckKickoff } from "../views/crewdeck-api.ts";
import { booleanOf, needed, optional, recordOf, stringOf } from "./arguments.ts";
import { prefillOf } from "./kickoff.ts";

/** What another extension wants to start; its types may be anything, as from JavaScript. @throws UserError that names what is wrong */
export function readApiKickoff(argument: unknown): CrewdeckKickoff {
  const given = recordOf(argument);
  return { crew: needed(stringOf(given, "crew"), "crew"), ...prefillOf(given) };
}

/** What another extension says of a task's output. @throws UserError that names what is wrong */
export function readApiFeedback(argument: unknown): CrewdeckFeedback {
  const given = recordOf(argument);
  return {
    kickoffId: needed(stringOf(given, "kickoffId"), "kickoffId"),
    isApprove: needed(booleanOf(given, "isApprove"), "isApprove"),
    ...optional("crew", stringOf(given, "crew")),
    ...optional("taskId", stringOf(given, "taskId")),
    ...optional("feedback", stringOf(given, "feedback")),
  };
}
