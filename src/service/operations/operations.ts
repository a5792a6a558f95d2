import type { Database } from "../database/database.ts";
import type { StatusView } from "../model.ts";
import type { Log } from "./log.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { OperationsOptions } from "./options.ts";
import { createProbes, type Probes } from "./probes.ts";
import { createRetention } from "./retention.ts";
import { createExporter } from "./spans.ts";

interface OperationsParts extends Omit<OperationsOptions, "log"> {
  /** Whether only this machine reaches the service: neither another network nor a proxy does. */
  readonly isLocal: boolean;
  readonly version: string;
  readonly log: Log;
}

/** The parts of a service that operations use. */
export interface Observed {
  readonly database: Database;
  /** The same database, for changes that must not be lost: it waits until the database can be reached. */
  readonly forRuns: Database;
  /** The names of its crews. */
  readonly crews: readonly string[];
  readonly view: (id: string) => Promise<StatusView | undefined>;
}

/** The operations of a service before it is open. The service needs the metrics to open. */
export interface Operations {
  readonly metrics: Pick<Metrics, "requests" | "observed" | "decided" | "callback">;
  readonly open: (service: Observed) => OpenOperations;
}

/** Probes, metrics, spans and retention of a running service. */
export interface OpenOperations extends Probes {
  /** Starts to send spans and delete old executions. Only for a process that runs executions. */
  readonly work: () => void;
  readonly stop: () => Promise<void>;
  /** Called when an execution has ended, perhaps more than once. Never rejects. */
  readonly ended: (executionId: string) => Promise<void>;
}

export function createOperations(parts: OperationsParts): Operations {
  const { isLocal, metricsToken, keepDays, spans, version, log } = parts;
  const metrics = createMetrics();
  return {
    metrics,
    open({ database, forRuns, crews, view }) {
      metrics.addDatabase(database, crews);
      const probes = createProbes({ database, metrics, metricsToken, isLocal, log });
      const exporter =
        spans && createExporter({ database, forRuns, crews, spans, view, version, log });
      const retention =
        keepDays === undefined ? undefined : createRetention({ database, keepDays, log });
      return {
        ...probes,
        work(): void {
          exporter?.start();
          retention?.start();
        },
        async stop(): Promise<void> {
          retention?.stop();
          await exporter?.stop();
        },
        ended: async (executionId) => exporter?.add(executionId),
      };
    },
  };
}
