import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import {
  endService,
  environment,
  refusalIn,
  ServiceError,
  type ServiceOptions,
  startService,
} from "../../../src/local/service-process.ts";
import { runningProcesses } from "../../support/processes.ts";
import { serviceProgram } from "../../support/service.ts";
import { exampleCrew, newFolder } from "./support.ts";

async function options(more: Partial<ServiceOptions> = {}): Promise<ServiceOptions> {
  return {
    program: serviceProgram(),
    folder: exampleCrew,
    dataFolder: path.join(await newFolder(), "data"),
    engine: { engine: "rehearsal" },
    port: 0,
    token: "secret-token",
    userToken: "secret-user",
    signal: new AbortController().signal,
    ...more,
  };
}

/** A program that misbehaves. */
async function programThat(does: string): Promise<string> {
  const program = path.join(await newFolder(), "program.mjs");
  await writeFile(program, does);
  return program;
}

describe("the service's process", () => {
  it("gets tokens in the environment, never in its arguments, and leads a session of its own", async () => {
    const given = await options();
    const { pid } = await startService(given);
    try {
      const found = runningProcesses().find((one) => one.pid === pid);
      assert.equal(found?.group, pid, "what ends the window's processes doesn't end it");
      assert.doesNotMatch(found.command, /secret/);
      assert.match(found.command, /--for-windows --port 0 --data \S+ --engine rehearsal$/);
    } finally {
      assert.equal(await endService(given.dataFolder, pid), true);
    }
    assert.equal(await endService(given.dataFolder, pid), true, "it has ended");
  });

  const silent = "setInterval(() => undefined, 1000)";
  for (const [what, reason, message, given] of [
    [
      "a refusal, with its reason",
      "project",
      /can't be served/,
      async () => ({ folder: await newFolder() }),
    ],
    [
      "an exit without a reason",
      "gone",
      /exit code 9/,
      async () => ({ program: await programThat("process.exit(9)") }),
    ],
    [
      "no response",
      "gone",
      /within 0.1 s/,
      async () => ({ program: await programThat(silent), timeoutMs: 100 }),
    ],
    ["a missing program", undefined, /./, () => ({ program: "/nowhere/program.mjs" })],
  ] as const)
    it(`reports ${what}`, async () => {
      await assert.rejects(startService(await options(await given())), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.equal(error.reason, reason ?? error.reason);
        assert.match(error.message, message);
        return true;
      });
    });

  it("a start can be cancelled", async () => {
    const controller = new AbortController();
    const program = await programThat(silent);
    const started = startService(await options({ program, signal: controller.signal }));
    controller.abort(new Error("no longer needed"));
    await assert.rejects(started, /no longer needed/);
    const stopped = startService(await options({ signal: controller.signal }));
    await assert.rejects(stopped, /no longer needed/);
  });

  it("inherits the environment without VS Code's own variables and a server's database", () => {
    const inherited = environment({
      CREWDECK_DATABASE: "postgres://a/b",
      PATH: "/bin",
      HTTPS_PROXY: "http://proxy",
      NODE_OPTIONS: "--inspect",
      VSCODE_PID: "1",
      ELECTRON_NO_ASAR: "1",
    });
    assert.deepEqual(inherited, {
      PATH: "/bin",
      HTTPS_PROXY: "http://proxy",
      ELECTRON_RUN_AS_NODE: "1",
    });
  });

  it("other lines of the log are no refusal", () => {
    for (const other of ["", "null", '"refused"', "{}", "Executions are kept."])
      assert.equal(refusalIn(other, undefined), undefined);
    const refused = '{"refused":{"pid":1,"reason":"moon"}}';
    assert.equal(refusalIn(refused, 2), undefined, "another window's");
    const { reason, message } = refusalIn(refused, 1) ?? {};
    assert.deepEqual([reason, message], ["other", "The service gives no reason."]);
  });
});
