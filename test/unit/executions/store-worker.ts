// One of several windows on one store: writes without end, and tells each word that is safely stored. Ends when its input closes.
import { systemClock } from "../../../src/base/clock.ts";
import { resumeSending } from "../../../src/executions/resumes.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";

const [, , folder = "", name = ""] = process.argv;
const end = new AbortController();
process.stdin.on("end", () => end.abort()).resume();

const store = new ExecutionStore({
  folder,
  clock: systemClock,
  onProblem: (message, error) => console.log(`problem ${message} ${String(error)}`),
});
await store.open();
const localIds = store.list().map((execution) => execution.localId);
for (let count = 0; !end.signal.aborted; count++) {
  await Promise.all(
    localIds.map(async (localId, index) => {
      const word = `${name}-${count}-${index}`;
      await store.update(localId, (execution) =>
        resumeSending(
          execution,
          { taskId: word, attempt: 1 },
          { isApprove: true, text: word, at: execution.startedAt },
        ),
      );
      process.stdout.write(`stored ${localId} ${word}\n`);
    }),
  );
}
store.dispose();
