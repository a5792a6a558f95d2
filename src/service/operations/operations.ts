import type { Database } from "../database/database.ts";
import type { StatusView } from "../model.ts";
import type { ServiceOptions } from "../options.ts";
import type { Log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createProbes } from "./probes.ts";
import { createRetention } from "./retention.ts";
import { createExporter } from "./spans.ts";

interface OperationsParts extends Partial<
  Pick<ServiceOptions, "metricsToken" | "keepDays" | "spans">
> {
  /** Whether only this machine reaches the service: neither another network nor a proxy does. */
  readonly isLocal: boolean;
  readonly version: string;
  readonly log: Log;
}

/** The parts of a service that operations use. */
interface Observed {
  readonly database: Database;
  /** The names of its crews. */
  readonly crews: readonly string[];
  readonly view: (id: string) => Promise<StatusView | undefined>;
}

export type Operations = ReturnType<typeof createOperations>;
export type OpenOperations = ReturnType<Operations["open"]>;

/** Probes, metrics, spans and retention of a service that is opened later, and needs the metrics for it. */
export function createOperations({
  isLocal,
  metricsToken,
  keepDays,
  spans,
  version,
  log,
}: OperationsParts) {
  const metrics = createMetrics();
  return {
    metrics,
    /** Undefined if no spans are sent. */
    spansUrl: spans?.url.href,
    open({ database, crews, view }: Observed) {
      metrics.addDatabase(database, crews);
      const retention =
        keepDays === undefined ? undefined : createRetention({ database, keepDays, log });
      return {
        ...createProbes({ database, metrics, metricsToken, isLocal, log }),
        /** Starts to delete old executions. Only for a process that runs executions. */
        work: () => retention?.start(),
        stop: () => retention?.stop(),
        /** Undefined if no spans are sent. */
        exportSpans: spans && createExporter({ spans, view, version, log }),
      };
    },
  };
}
