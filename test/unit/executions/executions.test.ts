import assert from "node:assert/strict";
import { Executions } from "../../../src/executions/executions.ts";
import { testDatabase } from "../../support/database.ts";
import { waitFor } from "../../support/wait.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";

describe("Executions", () => {
  let machine: ReturnType<typeof testDatabase>;
  let clock: FakeClock;
  let executions: Executions;
  let problems: string[];
  let asked: string[];
  beforeEach(() => {
    machine = testDatabase();
    [clock, problems, asked] = [new FakeClock(), [], []];
    executions = new Executions({
      ...{ database: machine.database, clock, keepEnded: () => 0 },
      crews: {
        find: () => anExecution().crew,
        client: () =>
          Promise.resolve({
            status: (kickoffId) => (asked.push(kickoffId), new Promise(() => undefined)),
          }),
      },
      log: { problem: (message) => problems.push(message) },
    });
  });
  afterEach(() => {
    executions.dispose();
    machine.end();
  });

  for (const [what, begin, reported] of [
    ["hangs", () => new Promise<void>(() => undefined), []],
    ["fails", () => Promise.reject(new Error("no local crew")), ["Polling could not be prepared."]],
  ] as const) {
    it(`are polled even if the preparation ${what}`, async () => {
      let begun = 0;
      executions.open(() => (begun++, begin()));
      executions.store.add(anExecution({ kickoffIds: ["k-1"], state: "running" }));
      await waitFor("a request", async () => {
        await clock.pass(1000);
        return asked.length > 0;
      });
      assert.equal(begun, 1);
      assert.deepEqual(problems, reported);
    });
  }

  it("move to a crew's new address together, or stay if one can't be changed", () => {
    const { store } = executions;
    const { crew } = anExecution();
    for (const localId of ["one", "two"])
      store.add(anExecution({ localId, kickoffIds: [localId] }));
    const fail = "BEFORE UPDATE ON executions WHEN new.local_id = 'two'";
    machine.database.run(`CREATE TRIGGER fails ${fail} BEGIN SELECT RAISE(ABORT, 'no'); END`);
    const to = { id: "url:https://new.test", name: "New", url: "https://new.test" };
    const urls = () => ["one", "two"].map((localId) => store.find(localId)?.crew.url);
    assert.throws(() => executions.moveCrew(crew.id, to), /no/);
    assert.deepEqual(urls(), [crew.url, crew.url]);
    machine.database.run("DROP TRIGGER fails");
    executions.moveCrew(crew.id, to);
    assert.deepEqual(urls(), [to.url, to.url]);
    assert.deepEqual([problems, asked], [[], []]);
  });
});
