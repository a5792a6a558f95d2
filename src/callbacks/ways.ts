import * as l10n from "@vscode/l10n";
import { UserError } from "../base/errors.ts";
import { safeUrl } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import type { Receive } from "./delivery.ts";

/** A way by which crews on other machines reach this one, such as a tunnel or a relay. */
export interface Way {
  readonly via: "publicUrl" | "forwarded" | "relay";
  /** Whether it is set up. If not, this machine need not listen for it. */
  isOn(): boolean;
  /**
   * The public address of a path. Undefined if there is none. Never log it: the path is a secret.
   * @param port where this machine receives
   * @param mayAsk whether the person can be asked for what is missing
   * @throws UserError if it is set up wrongly
   */
  addressOf(path: string, port: number, mayAsk: boolean): Promise<string | undefined>;
  /** Called when this window begins to receive for all windows, and with undefined when it stops. */
  receives?(receive: Receive | undefined): void;
  /** Deletes its secrets. */
  forget?(): Promise<void>;
  dispose?(): void;
}

/** The address without a slash at its end. Undefined unless it is https, or http to this machine, and without credentials. */
function publicBase(text: string): string | undefined {
  const url = safeUrl(text);
  return url && `${url.origin}${withoutEndSlashes(url.pathname)}`;
}

/** The person's own tunnel or reverse proxy to this machine. @param read reads the setting */
export function publicUrlWay(read: () => string): Way {
  return {
    via: "publicUrl",
    isOn: () => read().trim() !== "",
    addressOf(path) {
      const base = publicBase(read());
      if (base !== undefined) return Promise.resolve(`${base}/${path}`);
      throw new UserError(
        l10n.t(
          "The setting crewdeck.callbacks.publicUrl must be an https address without a name and password in it, or an http address of this machine.",
        ),
      );
    },
  };
}
