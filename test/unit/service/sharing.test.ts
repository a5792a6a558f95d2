import assert from "node:assert/strict";
import { sharing } from "../../../src/service/sharing.ts";

describe("an action that is shared", () => {
  it("runs once for all who ask before it begins, and again for those who ask later", async () => {
    const ends: ((text: string) => void)[] = [];
    const ask = sharing(() => new Promise<string>((resolve) => ends.push(resolve)));
    const first = Promise.all([ask(), ask()]);
    await Promise.resolve();
    assert.equal(ends.length, 1);
    // What they ask about may have changed since it began.
    const second = Promise.all([ask(), ask()]);
    ends[0]?.("old");
    assert.deepEqual(await first, ["old", "old"]);
    assert.equal(ends.length, 2);
    ends[1]?.("new");
    assert.deepEqual(await second, ["new", "new"]);
  });

  it("runs again after it has failed", async () => {
    let tries = 0;
    const ask = sharing(() =>
      (tries += 1) === 1 ? Promise.reject(new Error("no")) : Promise.resolve(tries),
    );
    const first = ask();
    await assert.rejects(first, /no/);
    assert.equal(await ask(), 2);
  });
});
