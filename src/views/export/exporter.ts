import * as l10n from "@vscode/l10n";
import type * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { UserError } from "../../base/errors.ts";
import { setting, textSetting, versionOf } from "../../editor/manifest.ts";
import { activityIn } from "../../executions/activity.ts";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { SendError, sendSpans, spansAsText } from "../../spans/send.ts";
import { spansOf } from "../../spans/spans.ts";
import { endpointError, headersFor, readEndpoint } from "./endpoint.ts";

export interface SpanParts {
  readonly store: Pick<ExecutionStore, "events" | "summary">;
  readonly clock: Clock;
  readonly context: Pick<vscode.ExtensionContext, "extension" | "secrets">;
}

/** @throws UserError if there is none, or it can't be used */
export function endpoint(): URL {
  return readEndpoint(textSetting("otlpEndpoint").trim());
}

/** OTLP in JSON, a line for each request. */
export function executionAsSpans(parts: SpanParts, execution: Execution): string {
  return spansAsText(spansIn(parts, execution));
}

/** @returns the trace's ID and how many spans it has. @throws UserError */
export async function sendExecution(parts: SpanParts, execution: Execution) {
  const url = endpoint();
  const headers = await headersFor(url, parts.context.secrets);
  const spans = spansIn(parts, execution);
  const userAgent = `crewdeck/${versionOf(parts.context)}`;
  const refused = await sendSpans(spans, url, { headers, userAgent }).catch((error: unknown) => {
    throw error instanceof SendError ? refusal(url, error) : error;
  });
  if (refused > 0)
    throw new UserError(
      l10n.t("{0} refused {1} of {2} spans. Its log says why.", url.origin, refused, spans.length),
    );
  return { traceId: spans[0]?.spanContext().traceId ?? "", spans: spans.length };
}

function spansIn({ store, clock, context }: SpanParts, execution: Execution) {
  const activity = activityIn(store, execution);
  const hasContent = setting("otlpContent") === true;
  const version = versionOf(context);
  return spansOf(execution, activity, { now: clock.now(), version, hasContent });
}

function refusal({ origin }: URL, { status, message }: SendError): UserError {
  return status === 401 || status === 403
    ? endpointError(
        l10n.t(
          "{0} did not accept the spans ({1}): the headers with the key are missing or wrong. Enter them again.",
          origin,
          message,
        ),
        "headers",
      )
    : endpointError(
        l10n.t(
          "{0} did not accept the spans ({1}). Check that the setting crewdeck.otlpEndpoint is the final address of its OTLP receiver over HTTP, without /v1/traces, and look in its log.",
          origin,
          message,
        ),
        "endpoint",
      );
}
