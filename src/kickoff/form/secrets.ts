import {
  checkAddress,
  forEachCallback,
  keptAddress,
  type FormSecrets,
  type SecretName,
  type Strategy,
  type TypedCallbacks,
} from "../callbacks.ts";
import { defined } from "../../base/json.ts";
import type { Draft } from "./messages.ts";
import type { FormValues } from "./values.ts";

export type HeldSecret = { readonly text: string; readonly target: string };
export type HeldSecrets = Readonly<Partial<Record<SecretName, HeldSecret>>>;

/** A secret's strategy and its address's origin, empty until the address is complete. */
export function targetFor(strategy: Strategy, address: string): string {
  const problem = checkAddress(address)?.kind;
  const isWhole = address.trim() !== "" && (problem === undefined || problem === "credentials");
  return `${strategy} ${isWhole ? new URL(address.trim()).origin : ""}`;
}

export function targetOf(name: SecretName, { callbacks, humanInput, streaming }: TypedCallbacks) {
  return name === "humanInput"
    ? targetFor(humanInput.strategy, callbacks.humanInputWebhookUrl)
    : targetFor(streaming.strategy, streaming.url);
}

/** A secret entered before there was an address is for the next one. */
export function isMeantFor(target: string, entered: string | undefined): boolean {
  if (entered === undefined) return false;
  return entered === target || (entered.endsWith(" ") && target.startsWith(entered));
}

/** A secret is never sent to another host than it was entered for. */
export function secretsFor(values: TypedCallbacks, held: HeldSecrets): FormSecrets {
  const textOf = (name: SecretName) =>
    isMeantFor(targetOf(name, values), held[name]?.target) ? (held[name]?.text ?? "") : "";
  return { humanInput: textOf("humanInput"), streaming: textOf("streaming") };
}

/** Keeps the secrets of unchanged callbacks. */
export function carriedOver(
  held: HeldSecrets,
  before: TypedCallbacks,
  after: TypedCallbacks,
): HeldSecrets {
  return only((name) => {
    const target = targetOf(name, before);
    const isSame =
      target === targetOf(name, after) &&
      (name === "streaming" || before.humanInput.username === after.humanInput.username);
    return isSame && isMeantFor(target, held[name]?.target) ? held[name] : undefined;
  });
}

export function targetsIn(held: HeldSecrets): Readonly<Partial<Record<SecretName, string>>> {
  return only((name) => (held[name]?.text === "" ? undefined : held[name]?.target));
}

function only<Value>(valueOf: (name: SecretName) => Value | undefined) {
  return defined({ humanInput: valueOf("humanInput"), streaming: valueOf("streaming") });
}

/** A draft as it may be stored; see {@link keptValues}. */
export function keptDraft({ id, values }: Draft): Draft {
  return { id, values: keptValues(values) };
}

/** Without credentials in addresses. */
export function keptValues(values: FormValues): FormValues {
  const { callbacks, streaming } = values;
  return {
    ...values,
    callbacks: forEachCallback((name) => keptAddress(callbacks[name])),
    streaming: { ...streaming, url: keptAddress(streaming.url) },
  };
}
