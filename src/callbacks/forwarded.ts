import * as l10n from "@vscode/l10n";
import type { Clock } from "../base/clock.ts";
import { UserError } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import type { Paths } from "./paths.ts";
import { roundTrip } from "./probe.ts";
import type { Way } from "./ways.ts";

/** How long a forwarded port may take to answer (ms). */
const timeoutMs = 5_000;

interface ForwardedOptions {
  /** Whether VS Code runs where it can forward ports to the public. */
  readonly isOn: () => boolean;
  /** The address at which VS Code forwards one of this machine. */
  readonly externalAddress: (address: string) => Promise<string>;
  readonly paths: Pick<Paths, "newProbe" | "hasArrived">;
  readonly clock: Clock;
}

/** VS Code's port forwarding. A forwarded port may be private, so the way first sends itself a request without cookies. */
export function forwardedWay({ isOn, externalAddress, ...probe }: ForwardedOptions): Way {
  return {
    via: "forwarded",
    isOn,
    async addressOf(path, port) {
      const external = new URL(await externalAddress(`http://127.0.0.1:${port}/`));
      if (external.protocol !== "https:" || isLoopback(external.hostname)) return undefined;
      const base = withoutEndSlashes(external.origin + external.pathname);
      const result = await roundTrip((name) => `${base}/${name}`, { ...probe, timeoutMs });
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
