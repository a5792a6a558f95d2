import * as l10n from "@vscode/l10n";
import type { Refused } from "./service-messages.ts";

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** How a process ended, for a person: the signal, or its exit code. */
export function exitInWords({ code, signal }: Exit): string {
  return signal ?? (code === null ? l10n.t("no exit code") : l10n.t("exit code {0}", code));
}

/** The service said why it does not start. */
export class ServiceRefusal extends Error {
  readonly reason: Refused["reason"];
  readonly url: string | undefined;

  constructor({ reason, message, url }: Refused) {
    super(message);
    this.name = "ServiceRefusal";
    this.reason = reason;
    this.url = url;
  }
}

/** The service did not start and did not say why. */
export class ServiceFailure extends Error {
  readonly exit: Exit | undefined;

  /** @param exit absent where it was given up, since it said nothing in time */
  constructor(message: string, exit?: Exit) {
    super(message);
    this.name = "ServiceFailure";
    this.exit = exit;
  }
}
