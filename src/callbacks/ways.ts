import * as l10n from "@vscode/l10n";
import { UserError } from "../base/errors.ts";
import { safeUrl } from "../base/loopback.ts";
import type { Receive } from "./delivery.ts";

/** How crews elsewhere reach this machine. */
export interface Way {
  readonly via: "publicUrl" | "forwarded" | "relay";
  /** Whether it can be asked for an address: nothing is received on this machine before. */
  isOn(): boolean;
  /**
   * The address of a path; undefined if there is none. Never logged: the path is a secret.
   * @param port where this machine receives
   * @param mayAsk whether the person can be asked for what is missing
   * @throws UserError if it is set up wrongly
   */
  addressOf(path: string, port: number, mayAsk: boolean): Promise<string | undefined>;
  /** This window begins to receive for all windows; with undefined, it ends. */
  receives?(receive: Receive | undefined): void;
  /** Deletes its secrets. */
  forget?(): Promise<void>;
  dispose?(): void;
}

/** The address without a slash at its end. Undefined unless it is https, or http to this machine, without credentials. */
function publicBase(text: string): string | undefined {
  const url = safeUrl(text);
  return url && `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** The person's own tunnel or reverse proxy to this machine. @param read the setting */
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
