import assert from "node:assert/strict";
import { executionVerbs } from "../../src/actions/executions.ts";
import { viewVerbs } from "../../src/actions/view.ts";
import { Arrangement } from "../../src/views/tree/arrangement.ts";
import { noFilter } from "../../src/views/tree/arrangement.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { formatTime } from "../../src/view/words.ts";
import { executionParts, runIn } from "./execution-parts.ts";
import { MemoryMemento } from "./memory.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

describe("commands that arrange the view", () => {
  let parts: ViewParts;
  let memento: MemoryMemento;
  let arrangement: Arrangement;
  const arrangementOf = (of: MemoryMemento) => {
    const made: Arrangement = new Arrangement(of, () => made.arrange(parts.store.list()));
    return made;
  };

  eachWithViewParts((fresh) => {
    parts = fresh;
    memento = new MemoryMemento();
    arrangement = arrangementOf(memento);
    for (const execution of [
      anExecution(),
      notWaiting({ localId: "done", kickoffIds: ["done"], label: "Tea", state: "completed" }),
    ])
      parts.store.add(execution);
    arrangement.arrange(parts.store.list());
  });

  const run = async (id: string, argument?: unknown): Promise<unknown> => {
    const parted = executionParts(parts.store);
    const commands = {
      ...viewVerbs({ ...parted, tree: { arrangement } }),
      ...executionVerbs(parted),
    };
    return await runIn(commands, id, argument);
  };
  const runBy = async (move: Move, id: string) => await withPerson([move], () => run(id));

  it("group by an argument, store it in the workspace, and refuse an invalid one", async () => {
    assert.equal(await run("groupExecutions", { by: "day" }), "day");
    assert.equal(arrangement.rules.grouping, "day");
    assert.equal(arrangementOf(memento).rules.grouping, "day");
    const invalid = run("groupExecutions", { by: "colour" });
    await assert.rejects(invalid, /must be one of crew, state, day/);
    assert.equal(arrangementOf(new MemoryMemento()).rules.grouping, "crew");
  });

  it("filter by an argument, for this window only, and refuse an invalid one", async () => {
    const filter = { text: "tea", states: ["completed"] };
    assert.deepEqual(await run("filterExecutions", filter), filter);
    assert.equal(arrangement.hidden.map(({ localId }) => localId).join(), "local-1");
    assert.deepEqual(arrangementOf(memento).rules.filter, noFilter);
    const invalid = run("filterExecutions", { states: ["lost"] });
    await assert.rejects(invalid, /“states” must be one of waiting, running/);
    await run("clearFilter");
    assert.deepEqual(arrangement.rules.filter, noFilter);
  });

  it("ask for both parts of a filter", async () => {
    const ask = (...moves: Move[]) => withPerson(moves, () => run("filterExecutions"));
    const { result, shown } = await ask({ type: "tea" }, { pick: "" });
    assert.deepEqual(result, { text: "tea", states: [] });
    assert.ok(shown[1]?.choices?.includes("Waiting for you"));
    const again = await ask({ type: "coffee" }, "escape");
    assert.equal(again.result, undefined);
    assert.equal(again.shown[0]?.value, "tea");
    assert.equal(arrangement.rules.filter.text, "tea", "who leaves the box changes nothing");
    const picked = await ask({ type: "tea" }, { pick: "Completed" });
    assert.deepEqual(picked.result, { text: "tea", states: ["completed"] });
  });

  it("pin and unpin executions, also ended ones, in the store that all windows share", async () => {
    const row = {
      ...{ kind: "execution", group: "x", crew: anExecution().crew.id },
      ...{ localId: "done", kickoffId: "done" },
    };
    await run("pinExecution", row);
    parts.store.refresh();
    assert.equal(parts.store.find("done")?.pinned, true);
    parts.store.add(
      notWaiting({ localId: "lost", kickoffIds: [], label: "Lost", state: "unconfirmed" }),
    );
    const { shown } = await runBy("escape", "pinExecution");
    // Who names none chooses.
    assert.deepEqual(shown[0]?.choices?.toSorted(), ["Lost", "Sea otters", "Tea"]);
    // What tells executions of one title apart.
    const began = `Kicked off: ${formatTime(anExecution().startedAt)}`;
    assert.deepEqual(shown[0].details?.toSorted(), [began, began, began]);
    await run("pinExecution", row);
    assert.ok(!("pinned" in parts.store.find("done")!), "a person unpins it");
  });
});
