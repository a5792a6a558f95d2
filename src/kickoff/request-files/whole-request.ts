import type { KickoffRequest } from "../../api/types.ts";
import { noSecrets, withSecrets } from "../callbacks.ts";
import type { Prefill } from "../form/values.ts";

/** The request that values without secrets are by themselves; nothing where a callback authenticates and so needs one. */
export function wholeRequest({
  inputs = {},
  humanInputWebhook,
  webhooks,
  ...rest
}: Prefill): KickoffRequest | undefined {
  if (humanInputWebhook?.authentication !== undefined || webhooks?.authentication !== undefined)
    return undefined;
  return {
    inputs,
    ...rest,
    ...withSecrets(
      { ...(humanInputWebhook && { humanInputWebhook }), ...(webhooks && { webhooks }) },
      noSecrets,
    ),
  };
}
