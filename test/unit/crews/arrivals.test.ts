import assert from "node:assert/strict";
import { watchArrivals } from "../../../src/crews/identity.ts";
import type { Crew } from "../../../src/crews/types.ts";
import { Emitter } from "../../../src/base/events.ts";

const deployed: Crew = { id: "url:https://a.test", name: "A", url: "https://a.test" };
const local = (running: boolean, port = 1): Crew => ({
  id: "local:x",
  name: "X",
  url: `http://127.0.0.1:${port}`,
  local: { folder: "file:///x", engine: "rehearsal", running },
});

describe("A crew's arrival", () => {
  it("is reported when it is connected, started or moved, and only then", () => {
    let crews: readonly Crew[] = [local(false)];
    const changes = new Emitter<void>((error) => assert.fail(String(error)));
    const arrived: string[] = [];
    const watch = watchArrivals({ list: () => crews, onDidChange: changes.event }, (id) =>
      arrived.push(id),
    );
    const become = (...next: Crew[]) => {
      crews = next;
      changes.fire();
      return arrived.splice(0);
    };
    assert.deepEqual(become(local(false), deployed), ["url:https://a.test"]);
    assert.deepEqual(become(local(true), deployed), ["local:x"]);
    assert.deepEqual(become(local(true), { ...deployed, name: "Renamed" }), []);
    assert.deepEqual(become(local(true, 2), deployed), ["local:x"]);
    assert.deepEqual(become(local(false, 2)), []);
    assert.deepEqual(become(local(true, 2), deployed), ["local:x", "url:https://a.test"]);
    watch.dispose();
    assert.deepEqual(become(deployed, local(true, 3)), []);
  });
});
