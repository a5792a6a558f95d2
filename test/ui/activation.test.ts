import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "esbuild";
import type { Measured } from "../support/activation-meter.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { storageFolder, writeExecutions } from "../support/many-executions.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/executions/samples.ts";

/** Milliseconds of the extension host: far more than it takes, also on a busy machine, and far less than a mistake would cost. */
const limit = 500;

describe("Activation, compared with an empty extension in the same window", () => {
  const folder = temporaryFolder("activation");
  let window: VSCodeWindow;
  let measured: Measured;

  before(async () => {
    const extension = path.join(folder, "extension");
    writeMeteredCopy(extension);
    const dataFolder = path.join(folder, "vscode");
    // An execution that runs, so that there is a reason to poll.
    writeExecutions(
      storageFolder(dataFolder),
      Array.from({ length: 100 }, (_, n) =>
        anExecution({ localId: `e${n}`, kickoffIds: [`k${n}`] }),
      ),
    );
    const file = path.join(folder, "measured.json");
    window = await openWindow({ extension, dataFolder, env: { CREWDECK_METER: file } });
    await waitFor("the measures", () => existsSync(file) && readFileSync(file, "utf8") !== "");
    measured = JSON.parse(readFileSync(file, "utf8")) as Measured;
  });

  after(async () => {
    await window.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("takes little time: the median of five is printed", () => {
    for (const name of ["empty", "Crewdeck"] as const) {
      const of = (cost: "loading" | "calling" | "done") =>
        `${median(measured[name].map((one) => one[cost])).toFixed(1)} ms (first ${(measured[name][0]?.[cost] ?? 0).toFixed(1)})`;
      console.log(
        `      ${name.padEnd(8)} code read in ${of("loading")}, activate() busy for ${of("calling")}, all done after ${of("done")}`,
      );
    }
    assert.equal(measured.Crewdeck.length, 5);
    assert.ok(
      Math.min(...measured.Crewdeck.map(({ loading, calling }) => loading + calling)) < limit,
    );
  });

  it("reads the list of executions", () => {
    assert.deepEqual(
      measured.Crewdeck.map(({ executions }) => executions),
      [100, 100, 100, 100, 100],
    );
  });

  it("makes no request, reads no secret and loads nothing that most windows never need", () => {
    const touched = measured.Crewdeck.map(({ secrets, connections }) => ({ secrets, connections }));
    assert.deepEqual(
      touched,
      Array.from({ length: 5 }, () => ({ secrets: 0, connections: 0 })),
    );
    for (const { files } of measured.Crewdeck) assert.deepEqual(files, ["dist/extension.js"]);
  });
});

/** The built Crewdeck with the meter in place of its `main`, and an empty extension. */
function writeMeteredCopy(folder: string): void {
  for (const part of ["dist", "media", "package.nls.json"])
    cpSync(path.join(projectFolder, part), path.join(folder, part), { recursive: true });
  const manifest = JSON.parse(
    readFileSync(path.join(projectFolder, "package.json"), "utf8"),
  ) as object;
  writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({ ...manifest, main: "./meter.js" }),
  );
  const meter = readFileSync(path.join(projectFolder, "test/support/activation-meter.ts"), "utf8");
  writeFileSync(
    path.join(folder, "meter.js"),
    transformSync(meter, { loader: "ts", format: "cjs", platform: "node" }).code,
  );
  writeFileSync(path.join(folder, "empty.js"), "exports.activate = () => {};\n");
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
