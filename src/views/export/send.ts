import * as l10n from "@vscode/l10n";
import { ExportResultCode } from "@opentelemetry/core";
import {
  CompressionAlgorithm,
  OTLPExporterBase,
  OTLPExporterError,
} from "@opentelemetry/otlp-exporter-base";
import {
  createOtlpHttpExportDelegate,
  httpAgentFactoryFromOptions,
} from "@opentelemetry/otlp-exporter-base/node-http";
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { type ErrorAction, UserError } from "../../base/errors.ts";
import { endpointAction } from "./endpoint.ts";
import type { Headers } from "./headers.ts";

/** The SDK's own limits: spans in a request, and milliseconds with all that it tries again. */
const [most, timeout] = [512, 10_000];

/** As the collector's file exporter writes them: one line of JSON for each request. */
export function spansAsText(spans: readonly ReadableSpan[]): string {
  return requests(spans)
    .map(
      (request) => `${new TextDecoder().decode(JsonTraceSerializer.serializeRequest(request))}\n`,
    )
    .join("");
}

/**
 * With the SDK's exporter, but not its OTLPTraceExporter: that would add the environment's headers,
 * which belong to another endpoint. Redirects are not followed.
 * @throws UserError
 */
export async function sendSpans(
  spans: readonly ReadableSpan[],
  url: URL,
  { headers, userAgent }: { readonly headers: Headers; readonly userAgent: string },
): Promise<void> {
  let rejected = 0;
  const exporter = new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      {
        url: url.href,
        headers: () => Promise.resolve({ ...headers, "Content-Type": "application/x-protobuf" }),
        userAgent,
        concurrencyLimit: 1,
        timeoutMillis: timeout,
        compression: CompressionAlgorithm.NONE,
        agentFactory: httpAgentFactoryFromOptions({ keepAlive: false }),
      },
      {
        ...ProtobufTraceSerializer,
        deserializeResponse(data) {
          const response = ProtobufTraceSerializer.deserializeResponse(data);
          rejected += response.partialSuccess?.rejectedSpans ?? 0;
          return response;
        },
      },
      "otlp_http_span_exporter",
      TraceExporterMetricsHelper,
      undefined,
    ),
  );
  try {
    for (const request of requests(spans))
      await new Promise<void>((resolve, reject) =>
        exporter.export(request, ({ code, error }) => {
          if (code === ExportResultCode.SUCCESS) resolve();
          else reject(errorOf(error, url));
        }),
      );
  } finally {
    await exporter.shutdown();
  }
  if (rejected > 0)
    throw new UserError(
      l10n.t("{0} refused {1} of {2} spans. Its log says why.", url.origin, rejected, spans.length),
    );
}

function requests(spans: readonly ReadableSpan[]): ReadableSpan[][] {
  return Array.from({ length: Math.ceil(spans.length / most) }, (_, at) =>
    spans.slice(at * most, (at + 1) * most),
  );
}

/** Without the response's text, which may repeat headers. */
function errorOf(error: Error | undefined, url: URL): UserError {
  const status = error instanceof OTLPExporterError ? error.code : undefined;
  const code = error !== undefined && "code" in error ? String(error.code) : "";
  const [message, action] = problemOf(url, status, code);
  return new UserError(message, [action]);
}

function problemOf(
  { origin, pathname }: URL,
  status: number | undefined,
  code: string,
): readonly [message: string, action: ErrorAction] {
  const settings = endpointAction();
  if (status === 401 || status === 403)
    return [
      l10n.t(
        "{0} did not accept the spans (HTTP {1}): the headers with the key are missing or wrong. Enter them again.",
        origin,
        status,
      ),
      { title: l10n.t("Set OTLP Headers…"), command: "crewdeck.setOtlpHeaders" },
    ];
  if (status !== undefined && status >= 300 && status < 400)
    return [
      l10n.t(
        "{0} redirects to another address (HTTP {1}), and spans are sent only to the one in the setting. Enter the final address.",
        origin,
        status,
      ),
      settings,
    ];
  if (status === 404 || status === 405)
    return [
      l10n.t(
        "{0} accepts no spans at {1} (HTTP {2}). Enter the address of its OTLP receiver over HTTP, without /v1/traces.",
        origin,
        pathname,
        status,
      ),
      settings,
    ];
  if (status !== undefined)
    return [
      l10n.t("{0} did not accept the spans (HTTP {1}). Its log says why.", origin, status),
      settings,
    ];
  if (code === "ECONNREFUSED")
    return [
      l10n.t(
        "Nothing listens at {0}. Start the receiver there, or change the setting crewdeck.otlpEndpoint.",
        origin,
      ),
      settings,
    ];
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return [
      l10n.t(
        "The host of {0} is not known. Check the setting crewdeck.otlpEndpoint and your connection.",
        origin,
      ),
      settings,
    ];
  return [
    /CERT|SIGNATURE|TLS|SSL/.test(code)
      ? l10n.t(
          "{0} has a certificate that this machine doesn't trust ({1}). Add its authority to your system, or change the setting crewdeck.otlpEndpoint.",
          origin,
          code,
        )
      : l10n.t(
          "{0} did not accept the spans in {1} seconds. Try again later, or look in its log.",
          origin,
          timeout / 1000,
        ),
    settings,
  ];
}
