import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SecretName } from "../../kickoff/callbacks.ts";
import type { FormView } from "../../kickoff/form/messages.ts";
import type { FormPart } from "../../kickoff/form/validate.ts";
import type { FormValues } from "../../kickoff/form/values.ts";

export type ShownView = Extract<FormView, { readonly kind: "form" }>;

/** What the parts of the form show. */
export interface Form {
  readonly view: ShownView;
  /** As typed, newer than those of the view. */
  readonly values: FormValues;
  readonly isSending: boolean;
  /** Why nothing was sent or used, until that is solved. */
  readonly blocked: string;
  /** Where the person typed a moment ago: its problem may only be that it is incomplete. */
  readonly typing: FormPart | undefined;
  /** "" if there is none, or if something is missing before the person has tried to send. */
  readonly problemOf: (part: FormPart) => string;
  /** What was typed here, and whether there is a secret for the address. */
  readonly secretOf: (name: SecretName) => { readonly text: string; readonly isHeld: boolean };
}

export const FormContext = createContext<Form | undefined>(undefined);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (form === undefined) throw new Error("The form isn't shown yet.");
  return form;
}
