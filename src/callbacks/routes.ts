import * as l10n from "@vscode/l10n";
import { UserError } from "../base/errors.ts";
import { isLoopback, safeUrl } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import type { Probes } from "./paths.ts";

/** A callback as it arrived: over HTTP, or through a relay. */
export interface Delivery {
  /** The path below the public address, which names the execution: `/<secret path>`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether a relay parsed the body and wrote it anew, so that a signature may no longer fit. */
  readonly isRewritten?: true;
  /** When a relay received it (ms since 1970), while this machine was away. */
  readonly arrivedAt?: number;
}

/** Stores a callback. Resolves with the HTTP status to answer: 2xx only once it is in the store. Never rejects. */
export type Receive = (delivery: Delivery) => Promise<number>;

/** VS Code's. */
export interface SecretStorage {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}

/** The largest body of a callback (bytes). A larger one is refused. */
export const mostBytes = 1_000_000;

/** A route on which crews on other machines reach this one, such as a tunnel or a relay. */
export interface Route {
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

/** The person's own tunnel or reverse proxy to this machine. @param read reads the setting */
export function publicUrlRoute(read: () => string): Route {
  return {
    via: "publicUrl",
    isOn: () => read().trim() !== "",
    addressOf(path) {
      const url = safeUrl(read());
      if (url !== undefined)
        return Promise.resolve(`${url.origin}${withoutEndSlashes(url.pathname)}/${path}`);
      throw new UserError(
        l10n.t(
          "The setting crewdeck.callbacks.publicUrl must be an https address without a name and password in it, or an http address of this machine.",
        ),
      );
    },
  };
}

interface ForwardedOptions {
  /** Whether VS Code runs where it can forward ports to the public. */
  readonly isOn: () => boolean;
  /** The address at which VS Code forwards one of this machine. */
  readonly externalAddress: (address: string) => Promise<string>;
  readonly probes: Probes;
}

/** VS Code's port forwarding. A forwarded port may be private, so the route first sends itself a request without cookies. */
export function forwardedRoute({ isOn, externalAddress, probes }: ForwardedOptions): Route {
  return {
    via: "forwarded",
    isOn,
    async addressOf(path, port) {
      const external = new URL(await externalAddress(`http://127.0.0.1:${port}/`));
      if (external.protocol !== "https:" || isLoopback(external.hostname)) return undefined;
      const base = withoutEndSlashes(external.origin + external.pathname);
      const result = await probes.roundTrip((name) => `${base}/${name}`, 5_000);
      if (typeof result === "number") return `${base}/${path}`;
      throw new UserError(
        l10n.t(
          "VS Code forwards the port {0}, but only for you: {1}. To receive callbacks, make it public in the Ports view (Port Visibility).",
          port,
          result,
        ),
        [{ title: l10n.t("Show Ports"), command: "~remote.forwardedPorts.focus" }],
      );
    },
  };
}
