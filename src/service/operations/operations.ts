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

/** What operations need of a service. */
export interface Observed {
  readonly database: Database;
  /** The same, for what must not be lost while it can't be reached. */
  readonly forRuns: Database;
  /** The names of its crews. */
  readonly crews: readonly string[];
  readonly view: (id: string) => Promise<StatusView | undefined>;
}

/** Operations of a service that is still to be opened. */
export interface Operations {
  readonly metrics: Pick<Metrics, "requests" | "observed" | "decided" | "callback">;
  /** Begins to look after a service. */
  readonly open: (service: Observed) => OpenOperations;
}

/** What runs beside a service: it counts, answers what watches the service, sends spans and deletes old executions. */
export interface OpenOperations {
  /** For a process that runs executions. */
  readonly work: () => void;
  readonly stop: () => Promise<void>;
  /** Called when an execution has ended, perhaps more than once. Never rejects. */
  readonly ended: (executionId: string) => Promise<void>;
  /** From now on, the service isn't ready. */
  readonly drain: Probes["drain"];
  /** Answers the requests of what watches the service, and leaves all others to what it is given. */
  readonly before: Probes["before"];
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
      const onDeleted = () => database.erasure?.plan();
      const retention =
        keepDays === undefined
          ? undefined
          : createRetention({ database, keepDays, onDeleted, log });
      return {
        work(): void {
          exporter?.start();
          retention?.start();
        },
        async stop(): Promise<void> {
          retention?.stop();
          await exporter?.stop();
        },
        ended: async (executionId) => exporter?.add(executionId),
        drain: () => probes.drain(),
        before: (inner) => probes.before(inner),
      };
    },
  };
}
