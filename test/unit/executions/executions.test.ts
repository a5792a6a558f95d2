import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { Executions } from "../../../src/executions/executions.ts";
import { Database } from "../../../src/store/database.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";

describe("Executions", () => {
  for (const [what, begin, reported] of [
    ["hangs", () => new Promise<void>(() => undefined), []],
    ["fails", () => Promise.reject(new Error("no local crew")), ["Polling could not be prepared."]],
  ] as const) {
    it(`are polled even if the preparation ${what}`, async () => {
      const folder = temporaryFolder("executions");
      const clock = new FakeClock();
      const problems: string[] = [];
      const onProblem = (message: string) => problems.push(message);
      const asked: string[] = [];
      const database = new Database({ folder, clock, log: { problem: onProblem } });
      const executions = new Executions({
        database,
        clock,
        keepEnded: () => 0,
        crews: {
          find: () => anExecution().crew,
          client: () =>
            Promise.resolve({
              status: (kickoffId) => (asked.push(kickoffId), new Promise(() => undefined)),
            }),
        },
        log: { problem: onProblem },
      });
      let begun = 0;
      try {
        executions.open(() => (begun++, begin()));
        executions.store.add(anExecution({ kickoffIds: ["k-1"], state: "running" }));
        await waitFor("a request", async () => {
          await clock.pass(1000);
          return asked.length > 0;
        });
        assert.equal(begun, 1);
        assert.deepEqual(problems, reported);
      } finally {
        executions.dispose();
        database.dispose();
        await rm(folder, { recursive: true });
      }
    });
  }

  it("move to a crew's new address together, or stay if one can't be changed", async () => {
    const folder = temporaryFolder("executions");
    const clock = new FakeClock();
    const onProblem = (message: string) => assert.fail(message);
    const database = new Database({ folder, clock, log: { problem: onProblem } });
    const crews = { find: () => undefined, client: () => assert.fail("Nothing is polled.") };
    const executions = new Executions({
      database,
      clock,
      keepEnded: () => 0,
      crews,
      log: { problem: onProblem },
    });
    const { store } = executions;
    try {
      const { crew } = anExecution();
      for (const localId of ["one", "two"])
        store.add(anExecution({ localId, kickoffIds: [localId] }));
      const fail = "BEFORE UPDATE ON executions WHEN new.local_id = 'two'";
      database.run(`CREATE TRIGGER fails ${fail} BEGIN SELECT RAISE(ABORT, 'no'); END`);
      const to = { id: "url:https://new.test", name: "New", url: "https://new.test" };
      const urls = () => ["one", "two"].map((localId) => store.find(localId)?.crew.url);
      assert.throws(() => executions.moveCrew(crew.id, to), /no/);
      assert.deepEqual(urls(), [crew.url, crew.url]);
      database.run("DROP TRIGGER fails");
      executions.moveCrew(crew.id, to);
      assert.deepEqual(urls(), [to.url, to.url]);
    } finally {
      executions.dispose();
      database.dispose();
      await rm(folder, { recursive: true });
    }
  });
});
