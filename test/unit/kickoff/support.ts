import assert from "node:assert/strict";
import type { Crew } from "../../../src/crews/types.ts";
import type { FormView, ToForm } from "../../../src/kickoff/form/messages.ts";
import type { SessionOptions } from "../../../src/kickoff/form/session.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { anExecution } from "../executions/samples.ts";
import { type FormValues, initialValues } from "../../../src/kickoff/form/values.ts";

/** A connected crew. */
export const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };

/** A promise that a test settles. */
export function deferred<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
} {
  let settle: Pick<ReturnType<typeof deferred<T>>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle! };
}

/** Options of a form of two inputs, without tools and memory, whose kickoff starts. */
export function sessionOptions(
  own: Partial<SessionOptions> & Pick<SessionOptions, "post">,
): SessionOptions {
  let ids = 0;
  return {
    clock: new FakeClock(),
    takesFocus: true,
    memory: {
      saveDraft: () => undefined,
      dropDraft: () => undefined,
      sent: () => undefined,
      keeps: () => true,
    },
    newId: () => `11111111-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
    inputs: () => Promise.resolve({ fields: [{ name: "topic" }, { name: "__proto__" }] }),
    send: () => Promise.resolve(anExecution()),
    onStarted: () => undefined,
    onOpenExecution: () => undefined,
    tools: {
      fillIn: () => Promise.resolve(undefined),
      saveValues: () => Promise.resolve(),
      openAsRequestFile: () => Promise.resolve(),
      copyAsCurl: () => Promise.resolve(),
      takeValue: () => Promise.resolve(undefined),
    },
    onToolProblem: (error) => {
      throw error;
    },
    onAction: () => undefined,
    onHint: () => undefined,
    onLateProblem: () => undefined,
    showPlace: () => Promise.resolve(),
    ...own,
  };
}

/** Appends a value to a list, like an asynchronous store. */
export function keep<T>(list: T[], value: T): Promise<void> {
  list.push(value);
  return Promise.resolve();
}

/** The form that was shown last. */
export function shownForm(posted: readonly ToForm[]): Extract<FormView, { kind: "form" }> {
  const shown = posted.at(-1);
  assert.ok(shown?.view.kind === "form", JSON.stringify(shown));
  return shown.view;
}

/** Values typed into a form with two inputs, one of them with an awkward name. */
export function typed(topic: string, other = "x"): FormValues {
  return {
    ...initialValues([]),
    inputs: [
      { name: "topic", mode: "text", text: topic },
      { name: "__proto__", mode: "text", text: other },
    ],
  };
}
