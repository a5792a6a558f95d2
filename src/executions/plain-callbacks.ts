import type { PlainCallbacks, SecretCallbacks } from "../api/types.ts";

type Bearer = { readonly strategy: "bearer"; readonly token: string };
type Basic = { readonly strategy: "basic"; readonly username: string; readonly password: string };
type PlainBearer = Omit<Bearer, "token">;
type PlainBasic = Omit<Basic, "password">;

/** Callbacks as they are kept on record: without the secret parts. */
export function plainCallbacks({ humanInputWebhook, webhooks }: SecretCallbacks): PlainCallbacks {
  return {
    ...(humanInputWebhook && {
      humanInputWebhook: withAuthentication(
        humanInputWebhook,
        withoutSecret(humanInputWebhook.authentication),
      ),
    }),
    ...(webhooks && {
      webhooks: withAuthentication(webhooks, withoutSecret(webhooks.authentication)),
    }),
  };
}

/** A callback with another authentication, or without any. */
export function withAuthentication<
  Callback extends { readonly authentication?: unknown },
  Authentication,
>(
  callback: Callback,
  authentication: Authentication | undefined,
): Omit<Callback, "authentication"> & { authentication?: Authentication } {
  const rest: Omit<Callback, "authentication"> = { ...callback };
  Reflect.deleteProperty(rest, "authentication");
  return authentication === undefined ? rest : { ...rest, authentication };
}

function withoutSecret(authentication: Bearer | undefined): PlainBearer | undefined;
function withoutSecret(
  authentication: Bearer | Basic | undefined,
): PlainBearer | PlainBasic | undefined;
function withoutSecret(
  authentication: Bearer | Basic | undefined,
): PlainBearer | PlainBasic | undefined {
  if (authentication === undefined) return undefined;
  return authentication.strategy === "basic"
    ? { strategy: "basic", username: authentication.username }
    : { strategy: "bearer" };
}
