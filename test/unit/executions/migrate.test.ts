import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { migrate } from "../../../src/executions/migrate.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { readRecord } from "../../../src/executions/record.ts";
import { ExecutionStore } from "../../../src/executions/store.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { FakeClock } from "./fake-clock.ts";
import { anExecution } from "./samples.ts";

/** The sample execution as a record without a version. */
const unversioned: Omit<Execution, "version"> & { version?: 1 } = anExecution();
delete unversioned.version;

describe("an older record", () => {
  it("is made into the present one step by step, from whichever version it has", () => {
    const chain = [
      (raw: object) => ({ ...raw, one: true }),
      (raw: object) => ({ ...raw, two: true }),
      (raw: object) => ({ ...raw, three: true }),
    ];
    assert.deepEqual(migrate({ id: "x" }, chain), {
      id: "x",
      one: true,
      two: true,
      three: true,
      version: 3,
    });
    assert.deepEqual(migrate({ version: 2, id: "x" }, chain), { version: 3, id: "x", three: true });
    assert.deepEqual(migrate({ version: 3, id: "x" }, chain), { version: 3, id: "x" });
  });

  it("is left as it is where its version is none", () => {
    for (const version of ["1", -1, 0.5, null]) assert.deepEqual(migrate({ version }), { version });
  });

  it("of version 0 is read, and stays as it is on disk until the execution changes", async () => {
    const folder = temporaryFolder("migrate");
    const store = new ExecutionStore({
      folder,
      clock: new FakeClock(),
      onProblem: (message) => assert.fail(message),
    });
    try {
      const file = path.join(folder, `${unversioned.localId}.1.json`);
      await writeFile(file, JSON.stringify(unversioned));
      await store.open();
      assert.deepEqual(store.list(), [anExecution()]);
      assert.deepEqual(JSON.parse(await readFile(file, "utf8")), unversioned);
      await store.update(unversioned.localId, (execution) => ({ ...execution, label: "Mine" }));
      const newest = (await readdir(folder)).sort().at(-1) ?? "";
      assert.deepEqual(
        JSON.parse(await readFile(path.join(folder, newest), "utf8")),
        anExecution({ label: "Mine" }),
      );
    } finally {
      store.dispose();
      await rm(folder, { recursive: true });
    }
  });

  it("that is broken is still found to be so, and a newer one is left alone", () => {
    assert.equal(
      readRecord(JSON.stringify({ ...unversioned, tasks: 5 }), unversioned.localId).kind,
      "corrupt",
    );
    assert.equal(
      readRecord(JSON.stringify({ ...unversioned, version: 2 }), unversioned.localId).kind,
      "newer",
    );
  });
});
