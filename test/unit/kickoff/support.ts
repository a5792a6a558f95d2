import type { Crew } from "../../../src/crews/types.ts";

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
