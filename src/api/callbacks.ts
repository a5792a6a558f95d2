import { defined } from "../base/json.ts";
import type { PlainCallbacks, SecretCallbacks } from "./types.ts";

type Bearer = { readonly strategy: "bearer"; readonly token: string };
type Basic = { readonly strategy: "basic"; readonly username: string; readonly password: string };
type PlainBearer = Omit<Bearer, "token">;
type PlainBasic = Omit<Basic, "password">;

/** The secret parts of callbacks: a token or a password each. */
export interface CallbackSecretTexts {
  readonly humanInput?: string;
  readonly stream?: string;
}

/** Callbacks without their secrets. */
export function plainCallbacks({ humanInputWebhook, webhooks }: SecretCallbacks): PlainCallbacks {
  return defined({
    humanInputWebhook:
      humanInputWebhook &&
      withAuthentication(humanInputWebhook, plainBasic(humanInputWebhook.authentication)),
    webhooks: webhooks && withAuthentication(webhooks, plainBearer(webhooks.authentication)),
  });
}

export function secretsOf({ humanInputWebhook, webhooks }: SecretCallbacks): CallbackSecretTexts {
  const human = humanInputWebhook?.authentication;
  return defined({
    humanInput: human?.strategy === "basic" ? human.password : human?.token,
    stream: webhooks?.authentication?.token,
  });
}

/** Callbacks with their secrets; one whose secret is missing is without authentication. */
export function withSecrets(
  { humanInputWebhook, webhooks }: PlainCallbacks,
  { humanInput, stream }: CallbackSecretTexts,
): SecretCallbacks {
  const human = humanInputWebhook?.authentication;
  return defined({
    humanInputWebhook:
      humanInputWebhook &&
      withAuthentication<typeof humanInputWebhook, Bearer | Basic>(
        humanInputWebhook,
        human === undefined || humanInput === undefined
          ? undefined
          : human.strategy === "basic"
            ? { ...human, password: humanInput }
            : { ...human, token: humanInput },
      ),
    webhooks:
      webhooks &&
      withAuthentication(
        webhooks,
        webhooks.authentication && stream !== undefined
          ? { ...webhooks.authentication, token: stream }
          : undefined,
      ),
  });
}

function plainBearer(authentication: Bearer | undefined): PlainBearer | undefined {
  return authentication && { strategy: "bearer" };
}

function plainBasic(
  authentication: Bearer | Basic | undefined,
): PlainBearer | PlainBasic | undefined {
  return authentication?.strategy === "basic"
    ? { strategy: "basic", username: authentication.username }
    : plainBearer(authentication);
}

function withAuthentication<Callback extends { readonly authentication?: unknown }, Authentication>(
  callback: Callback,
  authentication: Authentication | undefined,
): Omit<Callback, "authentication"> & { authentication?: Authentication } {
  const rest: Omit<Callback, "authentication"> = { ...callback };
  Reflect.deleteProperty(rest, "authentication");
  return authentication === undefined ? rest : { ...rest, authentication };
}
