import type { Database } from "../database/database.ts";
import type { ServiceOptions } from "../options.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createProbes } from "./probes.ts";
import { createRetention } from "./retention.ts";
import { createExporter } from "./spans.ts";

interface OperationsParts extends Partial<
  Pick<ServiceOptions, "metricsToken" | "keepDays" | "spans">
> {
  readonly database: Database;
  readonly crews: readonly string[];
  /** Whether only this machine reaches the service: neither another network nor a proxy does. */
  readonly isLocal: boolean;
  readonly version: string;
  readonly log: Log;
}

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(parts: OperationsParts) {
  const { database, crews, keepDays, spans, version, log } = parts;
  const metrics = createMetrics();
  metrics.addDatabase(database, crews);
  const retention =
    keepDays === undefined ? undefined : createRetention({ database, keepDays, log });
  return {
    metrics,
    spansUrl: spans?.url.href,
    ...createProbes({ metricsToken: undefined, ...parts, metrics }),
    work: () => retention?.start(),
    stop: () => retention?.stop(),
    exportSpans: spans && createExporter({ spans, version, log }),
  };
}
