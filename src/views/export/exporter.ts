import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { UserError } from "../../base/errors.ts";
import { versionOf } from "../../editor/manifest.ts";
import { activityOf } from "../../executions/activity.ts";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { SendError, sendSpans, sendTimeoutMs, spansAsText } from "../../spans/send.ts";
import { spansOf } from "../../spans/spans.ts";
import { endpointAction, headersAction, OtlpHeaders, readEndpoint } from "./endpoint.ts";

export interface SpanExporterOptions {
  readonly store: Pick<ExecutionStore, "events">;
  readonly clock: Clock;
  readonly context: Pick<vscode.ExtensionContext, "extension" | "secrets">;
}

/** Makes spans of an execution and sends them to the endpoint in the settings. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly headers: OtlpHeaders;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.headers = new OtlpHeaders(options.context.secrets);
  }

  /** @throws UserError if there is none, or it can't be used */
  endpoint(): URL {
    const text = setting("otlpEndpoint");
    return readEndpoint(typeof text === "string" ? text.trim() : "");
  }

  /** OTLP in JSON, a line for each request. */
  text(execution: Execution): string {
    return spansAsText(this.#spans(execution));
  }

  /** @returns the trace's ID and how many spans it has. @throws UserError */
  async send(execution: Execution): Promise<{ readonly traceId: string; readonly spans: number }> {
    const url = this.endpoint();
    const headers = await this.headers.for(url);
    const spans = this.#spans(execution);
    const userAgent = `crewdeck/${versionOf(this.#options.context)}`;
    const refused = await sendSpans(spans, url, { headers, userAgent }).catch((error: unknown) => {
      throw error instanceof SendError ? refusal(url, error) : error;
    });
    if (refused > 0)
      throw new UserError(
        l10n.t(
          "{0} refused {1} of {2} spans. Its log says why.",
          url.origin,
          refused,
          spans.length,
        ),
      );
    return { traceId: spans[0]?.spanContext().traceId ?? "", spans: spans.length };
  }

  #spans(execution: Execution) {
    const { store, clock, context } = this.#options;
    const activity = activityOf(execution, store.events(execution.localId));
    const hasContent = setting("otlpContent") === true;
    return spansOf(execution, activity, {
      ...{ now: clock.now(), version: versionOf(context), hasContent },
    });
  }
}

function setting(name: string): unknown {
  return vscode.workspace.getConfiguration("crewdeck").get(name);
}

function refusal(url: URL, { status, code }: SendError): UserError {
  const isUnknown = status === 401 || status === 403;
  const text = status === undefined ? networkProblem(url, code) : answerProblem(url, status);
  return new UserError(text, [isUnknown ? headersAction() : endpointAction()]);
}

function answerProblem({ origin, pathname }: URL, status: number): string {
  switch (status) {
    case 401:
    case 403:
      return l10n.t(
        "{0} did not accept the spans (HTTP {1}): the headers with the key are missing or wrong. Enter them again.",
        origin,
        status,
      );
    case 404:
    case 405:
      return l10n.t(
        "{0} accepts no spans at {1} (HTTP {2}). Enter the address of its OTLP receiver over HTTP, without /v1/traces.",
        origin,
        pathname,
        status,
      );
  }
  return status >= 300 && status < 400
    ? l10n.t(
        "{0} redirects to another address (HTTP {1}), and spans are sent only to the one in the setting. Enter the final address.",
        origin,
        status,
      )
    : l10n.t("{0} did not accept the spans (HTTP {1}). Its log says why.", origin, status);
}

function networkProblem({ origin }: URL, code: string): string {
  if (code === "ECONNREFUSED")
    return l10n.t(
      "Nothing listens at {0}. Start the receiver there, or change the setting crewdeck.otlpEndpoint.",
      origin,
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return l10n.t(
      "The host of {0} is not known. Check the setting crewdeck.otlpEndpoint and your connection.",
      origin,
    );
  if (/CERT|SIGNATURE|TLS|SSL/.test(code))
    return l10n.t(
      "{0} has a certificate that this machine doesn't trust ({1}). Add its authority to your system, or change the setting crewdeck.otlpEndpoint.",
      origin,
      code,
    );
  return l10n.t(
    "{0} did not accept the spans in {1} seconds. Try again later, or look in its log.",
    origin,
    sendTimeoutMs / 1000,
  );
}
