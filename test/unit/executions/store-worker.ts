// One of several windows on one store: writes marks and prints each once it is stored, until its input closes.
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemClock } from "../../../src/base/clock.ts";
import { resumeSending } from "../../../src/executions/resumes.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { Database } from "../../../src/store/database.ts";

const [, , folder = "", name = ""] = process.argv;
const end = new AbortController();
process.stdin.on("end", () => end.abort()).resume();

const onProblem = (message: string, error: unknown) => {
  console.log(`problem ${message} ${String(error)}`);
};
const database = new Database({ folder, clock: systemClock, log: { problem: onProblem } });
const store = new ExecutionStore({ database, clock: systemClock, log: { problem: onProblem } });
store.open();
const localIds = store.list().map((execution) => execution.localId);
for (let count = 0; !end.signal.aborted; count++) {
  for (const [index, localId] of localIds.entries()) {
    const mark = `${name}-${count}-${index}`;
    store.update(localId, (execution) =>
      resumeSending(
        execution,
        { taskId: mark, attempt: 1 },
        { isApprove: true, text: mark, at: execution.startedAt },
      ),
    );
    process.stdout.write(`stored ${localId} ${mark}\n`);
  }
  await nextTurn();
}
store.dispose();
database.dispose();
