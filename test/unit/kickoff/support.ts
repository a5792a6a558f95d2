import type { Crew } from "../../../src/crews/types.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import { type FormValues, initialValues } from "../../../src/kickoff/form/values.ts";
import { TestForm } from "../../support/form/test-form.ts";
import { FakeClock } from "../executions/fake-clock.ts";

/** A connected crew. */
export const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };

/** A promise that a test settles. */
export function deferred<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
} {
  return Promise.withResolvers<T>();
}

/** A form of two inputs, before it asks for them, whose kickoff starts. */
export function testForm(seed: Seed = {}, options: { readonly takesFocus?: boolean } = {}) {
  const clock = new FakeClock();
  const form = new TestForm(clock, [{ name: "topic" }, { name: "__proto__" }], seed, options);
  return Object.assign(form, { clock });
}

/** The same, shown. */
export async function openForm(...given: Parameters<typeof testForm>) {
  const form = testForm(...given);
  form.receive({ type: "ready" });
  await form.session.load({ fresh: false, startsCrew: false });
  return form;
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
