// The process of a window that receives callbacks. It ends itself with SIGKILL while it stores one: before the
// transaction is on disk, or after that and before it answers.
import { systemClock } from "../../../src/base/clock.ts";
import { Callbacks } from "../../../src/callbacks/callbacks.ts";
import { SecretMemory } from "../../support/secret-memory.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { Database } from "../../../src/store/database.ts";

const [, , folder = "", moment = ""] = process.argv;
const log = {
  problem: (doing: string, error: unknown) => {
    console.log(`problem ${doing} ${String(error)}`);
  },
};
const end = () => process.kill(process.pid, "SIGKILL");

const database = new Database({ folder, clock: systemClock, log });
const store = new ExecutionStore({ database, clock: systemClock, log });
store.open();
const callbacks = new Callbacks({
  ...{ database, store, log },
  clock: systemClock,
  routes: [],
  crews: { find: () => undefined },
  storage: new SecretMemory(),
  onRefused: () => undefined,
  onBroken: () => undefined,
  poll: () => Promise.resolve(),
});
const { port = 0 } = await callbacks.test();
if (moment === "storing") database.afterCommit = end;
else store.onDidChange(end);
console.log(`listening ${port}`);
