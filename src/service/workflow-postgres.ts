import type { Backend } from "openworkflow/internal";
import { BackendPostgres } from "openworkflow/postgres";
import { change, isLost, type Work } from "./database/database.ts";
import { openPostgresDatabase, patient, patiently } from "./database/postgres.ts";
import { schema } from "./database/postgres-schema.ts";
import type { Storage } from "./storage.ts";
import { RunElsewhere, wakeRun, workflowName } from "./workflow.ts";

/** When a process looks again at a run that it gave back because another one has to run it (ms). */
const elsewhereMs = 5000;

/** Everything in Postgres, together with other processes. @throws {Refusal} */
export async function openPostgresStorage(
  url: string,
  log: (line: string) => void,
): Promise<Storage> {
  const database = await openPostgresDatabase(url, log);
  const { pool } = database;
  const library = BackendPostgres.fromPool(pool, { namespaceId: workflowName, schema });
  const workers = new Set<string>();
  /** Workers whose claim got no answer: a run may be claimed for them. */
  const unsure = new Set<string>();
  const giveBack = async (of: Set<string>) => {
    await pool`UPDATE workflow_runs SET worker_id = NULL, available_at = NOW()
      WHERE status = 'running' AND worker_id = ANY(${[...of]})`;
  };
  const own: Partial<Backend> = {
    // A poll looks again by itself. The library's worker claims only while it has no run.
    async claimWorkflowRun(params) {
      const { workerId } = params;
      workers.add(workerId);
      try {
        // Any worker does it: the others may not ask again.
        const lost = new Set(unsure);
        if (lost.size > 0) await giveBack(lost);
        for (const id of lost) unsure.delete(id);
        return await library.claimWorkflowRun(params);
      } catch (error) {
        if (isLost(error)) unsure.add(workerId);
        throw error;
      }
    },
    failWorkflowRun: (params) =>
      patiently(() => {
        const availableAt = new Date(database.now() + elsewhereMs);
        return params.error.name === RunElsewhere.errorName
          ? library.rescheduleWorkflowRunAfterFailedStepAttempt({ ...params, availableAt })
          : library.failWorkflowRun(params);
      }),
    // A person's decision is stored before its signal, and must not wait for it. The signal is repeated.
    sendSignal: (params) => library.sendSignal(params),
    // The library takes the time from this machine's clock.
    rescheduleWorkflowRunAfterFailedStepAttempt: (params) => {
      const availableAt = new Date(params.availableAt.getTime() - Date.now() + database.now());
      return patiently(() =>
        library.rescheduleWorkflowRunAfterFailedStepAttempt({ ...params, availableAt }),
      );
    },
    // Its pool is the database's.
    stop: () => Promise.resolve(),
  };
  return {
    database,
    forRuns: patient(database),
    backend: patientBackend(library, own),
    startRun,
    wakeRun: (id) => wakeRun("NOW()", id),
    giveBack: () => giveBack(workers),
  };
}

/** The changes of runs can be repeated, so they wait until the database can be reached. @param own replace the library's */
function patientBackend(library: Backend, own: Partial<Backend>): Backend {
  return new Proxy(library, {
    get(target, name): unknown {
      if (name in own) return Reflect.get(own, name);
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) =>
        patiently(async () => await (Reflect.apply(method, target, args) as Promise<unknown>));
    },
  });
}

function* startRun(executionId: string): Work<unknown> {
  return yield* change(
    `INSERT INTO workflow_runs (namespace_id, id, workflow_name, status, idempotency_key, config, input, attempts,
       available_at, created_at, updated_at)
     VALUES (?, ?, ?, 'pending', ?, '{}', to_jsonb(CAST(? AS TEXT)), 0, NOW(), date_trunc('milliseconds', NOW()), NOW())`,
    workflowName,
    executionId,
    workflowName,
    executionId,
    executionId,
  );
}
