import type { Crew } from "../../../src/crews/types.ts";
import type { SessionOptions } from "../../../src/kickoff/session-options.ts";

/** A crew that is connected. */
export const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };

/** A promise that a test settles when it likes. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let settle: Pick<ReturnType<typeof deferred<T>>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle! };
}

/** A form's surroundings without tools. */
export const noTools: Pick<SessionOptions, "tools" | "takeValue" | "onToolProblem"> = {
  tools: { presets: () => Promise.resolve(undefined), saveAsRequestFile: () => Promise.resolve(), copyAsCurl: () => Promise.resolve() },
  takeValue: () => Promise.resolve(undefined),
  onToolProblem: (error) => {
    throw error;
  },
};
