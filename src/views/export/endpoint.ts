import * as l10n from "@vscode/l10n";
import { UserError } from "../../base/errors.ts";
import { withoutEndSlashes } from "../../base/text.ts";

const endpointSetting = "crewdeck.otlpEndpoint";

/** Opens the setting. */
export function endpointAction() {
  return {
    title: l10n.t("Open Settings"),
    command: "workbench.action.openSettings",
    arguments: [`@id:${endpointSetting}`],
  };
}

export function headersAction() {
  return exportAction(l10n.t("Set OTLP Headers…"), { format: "headers" });
}

/** `kind` marks a person. */
export function exportAction(title: string, given: object) {
  return { title, command: "crewdeck.exportExecution", arguments: [{ kind: "export", ...given }] };
}

/**
 * Where spans are sent: `/v1/traces` below the address, as with OTEL_EXPORTER_OTLP_ENDPOINT.
 * @throws UserError if it can't be used. It doesn't quote the address, which may hold a secret.
 */
export function readEndpoint(text: string): URL {
  const refuse = (message: string) => new UserError(message, [endpointAction()]);
  if (text === "")
    throw refuse(
      l10n.t(
        "There is no endpoint for spans. Enter its address in the setting crewdeck.otlpEndpoint, such as http://localhost:4318.",
      ),
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refuse(
      l10n.t(
        "The setting crewdeck.otlpEndpoint must be an address that starts with https:// or http://, such as http://localhost:4318.",
      ),
    );
  if (url.username !== "" || url.password !== "")
    throw refuse(
      l10n.t(
        "The setting crewdeck.otlpEndpoint has a user name or password. Remove it, and choose “Set OTLP headers…” in “Crewdeck: Export…” instead, which keeps it in the secret storage.",
      ),
    );
  url.hash = "";
  url.pathname = `${withoutEndSlashes(url.pathname).replace(/\/v1\/traces$/, "")}/v1/traces`;
  return url;
}
