import assert from "node:assert/strict";
import { applyReading } from "../../../src/executions/reduce.ts";
import { anExecution, working } from "./samples.ts";
import { failure, Scene } from "./poller-support.ts";

const id = anExecution().localId;

describe("The problem of a window that no longer polls", () => {
  let scene: Scene;
  let changed: string[];
  afterEach(() => scene.poller.dispose());

  /** Makes a window whose last request failed before another window took over polling. */
  async function begin(prepare: (scene: Scene) => void): Promise<void> {
    scene = new Scene(() => failure("unreachable"));
    prepare(scene);
    scene.store.put(anExecution());
    scene.poller.start();
    await scene.pass(1);
    scene.leader.give(false);
    changed = [];
    scene.poller.onDidChange(({ crewIds, localIds }) => changed.push(...crewIds, ...localIds));
  }

  /** The other window gets and stores an answer. */
  const answered = async () => {
    await scene.pass(120);
    scene.store.update(id, (execution) =>
      applyReading(execution, working("a", 0), scene.clock.now()),
    );
    await scene.pass(1);
  };

  it("ends, with an event, when another window has got an answer", async () => {
    await begin(() => undefined);
    assert.equal(scene.poller.problemOf(scene.store.find(id)!)?.kind, "unreachable");
    await answered();
    assert.equal(scene.poller.problemOf(scene.store.find(id)!), undefined);
    assert.deepEqual(changed, [anExecution().crew.id, id]);
    await answered();
    assert.equal(changed.length, 2, "once");
    assert.equal(scene.seconds().length, 1, "this window sent no request");
  });

  it("ends in the same way if this machine prevented the request", async () => {
    await begin(({ unconnected }) => unconnected.add(anExecution().crew.id));
    assert.ok(scene.poller.localProblemOf(scene.store.find(id)!) instanceof Error);
    await answered();
    assert.equal(scene.poller.localProblemOf(scene.store.find(id)!), undefined);
    assert.deepEqual(changed, [anExecution().crew.id, id]);
  });

  it("stays if the execution changes without an answer from the crew", async () => {
    await begin(() => undefined);
    await scene.pass(120);
    scene.store.update(id, (execution) => ({ ...execution, label: "Renamed" }));
    assert.equal(scene.poller.problemOf(scene.store.find(id)!)?.kind, "unreachable");
    assert.deepEqual(changed, []);
  });
});
