import assert from "node:assert/strict";
import { ServiceFailure, ServiceRefusal } from "../../../src/local/service-errors.ts";
import {
  environment,
  readMessage,
  ServiceProcess,
  type ServiceOptions,
} from "../../../src/local/service-process.ts";
import { waitFor } from "../../support/wait.ts";
import { cleanUp, newFolder, program } from "./support.ts";

async function options(
  folder: string,
  more: Partial<ServiceOptions> = {},
): Promise<ServiceOptions> {
  const signal = new AbortController().signal;
  return {
    program,
    folder,
    dataFolder: await newFolder(),
    port: 0,
    token: "secret-1",
    userToken: "secret-2",
    engine: { engine: "rehearsal" },
    onLine: () => undefined,
    onHeld: () => undefined,
    signal,
    ...more,
  };
}

describe("the service's process", () => {
  afterEach(cleanUp);

  it("gets tokens in the environment, never in its arguments, and they are not in the log", async () => {
    const lines: string[] = [];
    const process = await ServiceProcess.start(
      await options("/crew", { onLine: (line) => lines.push(line) }),
    );
    try {
      const said = await waitFor("the arguments", () =>
        lines.find((line) => line.startsWith("arguments ")),
      );
      await waitFor("the tokens", () => lines.some((line) => line.startsWith("tokens ")));
      assert.ok(lines.includes("tokens … …"));
      assert.match(said, /^arguments \/crew --port 0 --data \S+ --engine rehearsal$/);
    } finally {
      await process.stop();
    }
  });

  it("gets the environment of the crew's Python at its start and when it changes, and its keys are not in the log", async () => {
    const lines: string[] = [];
    const process = await ServiceProcess.start(
      await options("/crew", {
        workerEnvironment: { MODEL: "one", OPENAI_API_KEY: "secret-key-1" },
        onLine: (line) => lines.push(line),
      }),
    );
    try {
      process.setWorkerEnvironment({ MODEL: "two", OPENAI_API_KEY: "secret-key-2" });
      await waitFor("both", () => lines.some((line) => line.startsWith("message")));
      assert.ok(lines.includes('worker {"MODEL":"one","OPENAI_API_KEY":"…"}'));
      const changed = { MODEL: "two", OPENAI_API_KEY: "…" };
      const message = { type: "workerEnvironment", environment: changed };
      assert.ok(lines.includes(`message ${JSON.stringify(message)}`));
    } finally {
      await process.stop();
    }
    // A service that has ended needs none.
    process.setWorkerEnvironment({ MODEL: "three" });
  });

  it("gets the interpreter and the number of parallel executions for crewAI, and reports its engine", async () => {
    const lines: string[] = [];
    const engine = { engine: "crewai", python: "/venv/bin/python", parallel: 3 } as const;
    const process = await ServiceProcess.start(
      await options("/crew", { engine, onLine: (line) => lines.push(line) }),
    );
    try {
      assert.equal(process.engine, "crewai");
      await waitFor("the arguments", () =>
        lines.some((line) =>
          line.endsWith("--engine crewai --python /venv/bin/python --parallel 3"),
        ),
      );
    } finally {
      await process.stop();
    }
  });

  it("reports interrupted executions, takes what a person decides, and reports those that are left", async () => {
    const [lines, held]: [string[], (readonly string[])[]] = [[], []];
    const process = await ServiceProcess.start(
      await options("/interrupted", {
        onLine: (line) => lines.push(line),
        onHeld: (ids) => held.push(ids),
      }),
    );
    try {
      await waitFor("those that are held", () => held.length === 1);
      process.decide("continue", ["one"]);
      await waitFor("those that are left", () => held.length === 2);
      assert.deepEqual(held, [["one", "two"], ["two"]]);
      await waitFor("the decision", () => lines.some((line) => line.startsWith("decision ")));
      assert.ok(lines.includes('decision {"type":"continue","ids":["one"]}'));
    } finally {
      await process.stop();
    }
    process.decide("discard", ["two"]);
  });

  it("exits on request", async () => {
    const process = await ServiceProcess.start(await options("/crew"));
    await process.stop();
    assert.deepEqual(await process.exited, { code: 0, signal: null });
    await assert.rejects(fetch(process.url));
  });

  it("a refusal comes with its reason", async () => {
    await assert.rejects(
      ServiceProcess.start(await options("/broken")),
      (error) => error instanceof ServiceRefusal && error.reason === "project",
    );
  });

  it("an exit without a message, no response and a missing program are reported", async () => {
    await assert.rejects(
      ServiceProcess.start(await options("/dies")),
      (error) => error instanceof ServiceFailure && /exit code 9/.test(error.message),
    );
    await assert.rejects(
      ServiceProcess.start(await options("/silent", { timeoutMs: 100 })),
      (error) => error instanceof ServiceFailure && /within 0.1 s/.test(error.message),
    );
    await assert.rejects(
      ServiceProcess.start(await options("/crew", { program: `${program}.missing` })),
      ServiceFailure,
    );
  });

  it("a start can be cancelled", async () => {
    const controller = new AbortController();
    const started = ServiceProcess.start(await options("/silent", { signal: controller.signal }));
    controller.abort(new Error("no longer needed"));
    await assert.rejects(started, /no longer needed/);
    await assert.rejects(
      ServiceProcess.start(await options("/crew", { signal: controller.signal })),
      /no longer needed/,
    );
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

  it("unknown messages are ignored", () => {
    for (const other of [
      undefined,
      null,
      "listening",
      {},
      { type: "listening" },
      { type: "other" },
    ])
      assert.equal(readMessage(other), undefined);
    assert.deepEqual(readMessage({ type: "refused", reason: "moon" }), {
      type: "refused",
      reason: "other",
      message: "The service gives no reason.",
    });
  });
});
