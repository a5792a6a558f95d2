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
import { codeOf } from "../base/errors.ts";

/** The SDK's own limit: spans in a request. */
export const mostSpans = 512;

/** The SDK's own limit of a request with all that it tries again (ms). */
const sendTimeoutMs = 10_000;

/** Spans were not accepted. It doesn't quote the response, which may repeat headers. */
export class SendError extends Error {
  override readonly name = "SendError";
  /** Of HTTP; undefined without a response. */
  readonly status: number | undefined;

  constructor(error: Error | undefined) {
    const status = error instanceof OTLPExporterError ? error.code : undefined;
    const code = codeOf(error) ?? `no response in ${sendTimeoutMs} ms`;
    super(status === undefined ? code : `HTTP ${status}`);
    this.status = status;
  }
}

/** As the collector's file exporter writes them: one line of JSON for each request. */
export function spansAsText(spans: readonly ReadableSpan[]): string {
  const lines = requests(spans).map((request) => JsonTraceSerializer.serializeRequest(request));
  return lines.map((line) => `${new TextDecoder().decode(line)}\n`).join("");
}

/**
 * With the SDK's exporter, but not its OTLPTraceExporter: that would add the environment's headers,
 * which belong to another endpoint. Redirects are not followed.
 * @returns how many spans were refused. @throws SendError
 */
export async function sendSpans(
  spans: readonly ReadableSpan[],
  url: URL,
  {
    headers,
    userAgent,
  }: { readonly headers: Readonly<Record<string, string>>; readonly userAgent: string },
): Promise<number> {
  let rejected = 0;
  const exporter = new OTLPExporterBase(
    createOtlpHttpExportDelegate(
      {
        url: url.href,
        headers: () => Promise.resolve({ ...headers, "Content-Type": "application/x-protobuf" }),
        userAgent,
        concurrencyLimit: 1,
        timeoutMillis: sendTimeoutMs,
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
          else reject(new SendError(error));
        }),
      );
  } finally {
    await exporter.shutdown();
  }
  return rejected;
}

function requests(spans: readonly ReadableSpan[]): ReadableSpan[][] {
  return Array.from({ length: Math.ceil(spans.length / mostSpans) }, (_, at) =>
    spans.slice(at * mostSpans, (at + 1) * mostSpans),
  );
}
