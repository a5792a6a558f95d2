import type { Database } from "../database/database.ts";
import type { StatusView } from "../model.ts";
import type { ServiceOptions } from "../options.ts";
import type { Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createProbes, type Probes } from "./probes.ts";
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
export interface Observed {
  readonly database: Database;
  /** The names of its crews. */
  readonly crews: readonly string[];
  readonly view: (id: string) => Promise<StatusView | undefined>;
}

/** The operations of a service before it is open. The service needs the metrics to open. */
export interface Operations {
  readonly metrics: Pick<Metrics, "requests" | "attempt" | "decided" | "callback">;
  /** Where spans go; undefined if none are sent. */
  readonly spansUrl: string | undefined;
  readonly open: (service: Observed) => OpenOperations;
}

/** Probes, metrics, spans and retention of a running service. */
export interface OpenOperations extends Probes {
  /** Starts to delete old executions. Only for a process that runs executions. */
  readonly work: () => void;
  readonly stop: () => void;
  /** Undefined if no spans are sent. */
  readonly exportSpans: ReturnType<typeof createExporter> | undefined;
}

export function createOperations(parts: OperationsParts): Operations {
  const { isLocal, metricsToken, keepDays, spans, version, log } = parts;
  const metrics = createMetrics();
  return {
    metrics,
    spansUrl: spans?.url.href,
    open({ database, crews, view }) {
      metrics.addDatabase(database, crews);
      const probes = createProbes({ database, metrics, metricsToken, isLocal, log });
      const retention =
        keepDays === undefined ? undefined : createRetention({ database, keepDays, log });
      return {
        ...probes,
        work(): void {
          retention?.start();
        },
        stop(): void {
          retention?.stop();
        },
        exportSpans: spans && createExporter({ spans, view, version, log }),
      };
    },
  };
}
