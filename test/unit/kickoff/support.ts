import type { Crew } from "../../../src/crews/types.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import { type FormValues, initialValues } from "../../../src/kickoff/form/values.ts";
import { TestForm } from "../../support/form/test-form.ts";
import { FakeClock, settle } from "../executions/fake-clock.ts";

export const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };

/** A form of two inputs, before it asks for them, whose kickoff starts. */
export function testForm(seed: Seed = {}, options: { readonly takesFocus?: boolean } = {}) {
  const clock = new FakeClock();
  const form = new TestForm(clock, [{ name: "topic" }, { name: "__proto__" }], seed, options);
  const gets = (type: "changed" | "submit", values = form.form.draft.values) =>
    form.receive({ type, draft: { id: form.form.draft.id, values } });
  return Object.assign(form, {
    clock,
    names: () => form.form.fields.map(({ name }) => name),
    change: (values: FormValues) => gets("changed", values),
    /** Until the form has answered to it. */
    type: async (values: FormValues) => {
      gets("changed", values);
      await clock.pass(300);
    },
    /** Until its answer is shown; what it has, if no other values are given. */
    submit: async (values?: FormValues) => {
      gets("submit", values);
      await settle();
    },
  });
}

export type TestedForm = ReturnType<typeof testForm>;

export async function openForm(...given: Parameters<typeof testForm>) {
  const form = testForm(...given);
  form.receive({ type: "ready" });
  await form.session.load({ fresh: false, startsCrew: false });
  return form;
}

/** Values of a form with these texts as inputs. */
export function valuesOf(
  texts: Readonly<Record<string, string>>,
  rest: Partial<FormValues> = {},
): FormValues {
  const inputs = Object.entries(texts).map(
    ([name, text]) => ({ name, mode: "text", text }) as const,
  );
  return { ...initialValues([]), inputs, ...rest };
}

/** Values typed into a form with two inputs, one of them with an awkward name. */
export const typed = (topic: string, other = "x") => valuesOf({ topic, ["__proto__"]: other });

/** Callbacks that authenticate, with these secrets, or with none. */
export function authenticated<Password extends object, Token extends object>(
  password: Password,
  token: Token,
) {
  const url = "https://hooks.test/";
  return {
    humanInputWebhook: {
      ...{ url, authentication: { strategy: "basic" as const, username: "me", ...password } },
    },
    webhooks: {
      ...{ url, events: ["task_started"], realtime: true },
      authentication: { strategy: "bearer" as const, ...token },
    },
  };
}
