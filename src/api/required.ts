import type { InputField } from "./types.ts";

/**
 * Whether a kickoff must give an input a value: where the crew says so, or says nothing of it and has no value of its own for it.
 * Deployed crews answer with names only and refuse a kickoff that leaves one out with 422 (specification). The form, its JSON, request
 * files and language-model tools all ask here.
 */
export function isRequired({
  required,
  default: value,
}: Pick<InputField, "required" | "default">): boolean {
  return required ?? value === undefined;
}
