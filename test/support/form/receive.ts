import * as v from "valibot";
import { handle } from "../../../src/base/protocol.ts";
import { fromForm } from "../../../src/kickoff/form/messages.ts";
import type { FormSession } from "../../../src/kickoff/form/session.ts";

/** Gives a session what its page sent, as the panel does. False if that is invalid. */
export function receive({ on }: Pick<FormSession, "on">, raw: unknown): boolean {
  const message = v.safeParse(fromForm, raw);
  if (message.success) handle(on, message.output);
  return message.success;
}
