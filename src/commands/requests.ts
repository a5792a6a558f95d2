import type { RequestActions, RequestParts } from "./request-actions.ts";
import type { Command } from "./table.ts";

const ids = [
  "kickoffFile",
  "openFileInForm",
  "runAgain",
  "runAgainInForm",
  "copyAsCurl",
  "saveAsRequestFile",
  "presets",
] as const satisfies readonly (keyof RequestActions)[];

/** Commands that use what was written down before: request files, presets and earlier executions. They are loaded with the first use of one. */
export function requestCommands(parts: RequestParts): readonly Command[] {
  return ids.map((id) => ({
    id,
    run: async (argument) =>
      await (await import("./request-actions.ts")).requestActions(parts)[id](argument),
  }));
}
