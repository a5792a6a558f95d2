import type { FormTools } from "./form-tools.ts";

/** The tools of the kickoff forms. */
export function createFormTools(): FormTools {
  return {
    presets: () => Promise.resolve(undefined),
    saveAsRequestFile: () => Promise.resolve(),
    copyAsCurl: () => Promise.resolve(),
    earlierValue: () => Promise.resolve(undefined),
  };
}
