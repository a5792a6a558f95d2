import { fillIn, initialValues, toCallbacks, type Prefill } from "../form/values.ts";

/** The text of a request file: indented JSON without secrets. */
export function writeRequestFile(crew: string, values: Prefill, label?: string): string {
  // As the form would hold them: what else comes along, such as a secret, is no part of that.
  const callbacks = toCallbacks(fillIn([], initialValues([]), { ...values, inputs: {} }).values);
  const file = {
    crew,
    ...(label === undefined ? {} : { label }),
    inputs: values.inputs ?? {},
    ...(values.meta === undefined ? {} : { meta: values.meta }),
    ...callbacks,
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
