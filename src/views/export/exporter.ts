import * as vscode from "vscode";
import type { Clock } from "../../base/clock.ts";
import { versionOf } from "../../editor/manifest.ts";
import { activityOf } from "../../executions/activity.ts";
import type { Execution } from "../../executions/model.ts";
import type { ExecutionStore } from "../../executions/store.ts";
import { SendError, sendSpans, spansAsText } from "../../spans/send.ts";
import { spansOf } from "../../spans/spans.ts";
import { readEndpoint } from "./endpoint.ts";
import { OtlpHeaders } from "./headers.ts";
import { refusedProblem, sendProblem } from "./problems.ts";

export interface SpanExporterOptions {
  readonly store: Pick<ExecutionStore, "events">;
  readonly clock: Clock;
  readonly context: Pick<vscode.ExtensionContext, "extension" | "secrets">;
}

/** Makes spans of an execution and sends them to the endpoint in the settings. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #version: string;
  readonly headers: OtlpHeaders;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#version = versionOf(options.context);
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
    const userAgent = `crewdeck/${this.#version}`;
    const refused = await sendSpans(spans, url, { headers, userAgent }).catch((error: unknown) => {
      throw error instanceof SendError ? sendProblem(url, error) : error;
    });
    if (refused > 0) throw refusedProblem(url, refused, spans.length);
    return { traceId: spans[0]?.spanContext().traceId ?? "", spans: spans.length };
  }

  #spans(execution: Execution) {
    const { store, clock } = this.#options;
    const activity = activityOf(execution, store.events(execution.localId));
    const hasContent = setting("otlpContent") === true;
    return spansOf(execution, activity, { now: clock.now(), version: this.#version, hasContent });
  }
}

function setting(name: string): unknown {
  return vscode.workspace.getConfiguration("crewdeck").get(name);
}
