import type { PlainCallbacks, SecretCallbacks } from "../api/types.ts";
import { checkAddress } from "./address.ts";
import {
  secretNames,
  secretsIn,
  typedCallbacks,
  type FormSecrets,
  type SecretName,
  type Strategy,
} from "./callbacks.ts";
import type { FormValues } from "./form/values.ts";

type Typed = Pick<FormValues, "humanInput" | "streaming"> & {
  readonly callbacks: Pick<FormValues["callbacks"], "humanInputWebhookUrl">;
};

/** A secret as it was entered. Only the extension host's memory holds it until it is sent. */
interface HeldSecret {
  readonly text: string;
  /** What it was entered for, see {@link targetFor}. */
  readonly target: string;
}

/** The secrets that are held, each for its callback as it was then. */
export type HeldSecrets = Readonly<Partial<Record<SecretName, HeldSecret>>>;

/** What a callback's secret is entered for: how it authenticates, and the origin of its address, which is empty while there is no whole address. */
export function targetFor(strategy: Strategy, address: string): string {
  const problem = checkAddress(address)?.kind;
  const isWhole = address.trim() !== "" && (problem === undefined || problem === "credentials");
  return `${strategy} ${isWhole ? new URL(address.trim()).origin : ""}`;
}

/** The same for one of a form's callbacks. */
export function targetOf(name: SecretName, { callbacks, humanInput, streaming }: Typed): string {
  return name === "humanInput"
    ? targetFor(humanInput.strategy, callbacks.humanInputWebhookUrl)
    : targetFor(streaming.strategy, streaming.url);
}

/** Whether a secret that was entered for one target is meant for another. One that was entered before there was an address is meant for the one that follows. */
export function isMeantFor(target: string, entered: string | undefined): boolean {
  return (
    entered !== undefined &&
    (entered === target || (entered.endsWith(" ") && target.startsWith(entered)))
  );
}

/** The secrets in callbacks that a program gave. */
export function heldFrom(given: SecretCallbacks | PlainCallbacks): HeldSecrets {
  const typed = {
    ...typedCallbacks(given),
    callbacks: { humanInputWebhookUrl: given.humanInputWebhook?.url ?? "" },
  };
  const secrets = secretsIn(given);
  return only((name) =>
    secrets[name] === "" ? undefined : { text: secrets[name], target: targetOf(name, typed) },
  );
}

/** Those that go with the callbacks as they are now: a secret goes to no other host than the one it was entered for. */
export function secretsFor(values: Typed, held: HeldSecrets): FormSecrets {
  const textOf = (name: SecretName) =>
    isMeantFor(targetOf(name, values), held[name]?.target) ? (held[name]?.text ?? "") : "";
  return { humanInput: textOf("humanInput"), streaming: textOf("streaming") };
}

/** Those of callbacks that are the same after other values took the place of these; all others are forgotten. */
export function carriedOver(held: HeldSecrets, before: Typed, after: Typed): HeldSecrets {
  const isSame = (name: SecretName) =>
    targetOf(name, before) === targetOf(name, after) &&
    (name === "streaming" || before.humanInput.username === after.humanInput.username);
  return only((name) =>
    isSame(name) && isMeantFor(targetOf(name, before), held[name]?.target) ? held[name] : undefined,
  );
}

/** What each of them was entered for; that is no secret. */
export function targetsIn(held: HeldSecrets): Readonly<Partial<Record<SecretName, string>>> {
  return only((name) => (held[name]?.text === "" ? undefined : held[name]?.target));
}

function only<Value>(
  valueOf: (name: SecretName) => Value | undefined,
): Readonly<Partial<Record<SecretName, Value>>> {
  return Object.fromEntries(
    secretNames.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
