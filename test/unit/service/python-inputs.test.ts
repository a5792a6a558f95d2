import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openSqliteDatabase } from "../../../src/service/database/sqlite.ts";
import { versionOf } from "../../../src/service/crewai/sources.ts";
import { rehearsalEngine, type Engine } from "../../../src/service/engine.ts";
import { ApiError } from "../../../src/service/errors.ts";
import { createPythonInputs } from "../../../src/service/python-inputs.ts";
import { sharing } from "../../../src/service/sharing.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";
import { crew, harness, openHarness } from "./support.ts";

type Options = Parameters<typeof createPythonInputs>[0];

const partial = { ...crew, inputs: ["topic"], lacks: "tasks" } as const;

/** A service's part in a folder, with a Python that answers as `answer` says. */
function open(
  answer: () => Promise<readonly string[]>,
  options: Partial<Options> = {},
  folder = temporaryFolder("python-inputs"),
) {
  const database = openSqliteDatabase(path.join(folder, "service.db"));
  const state = { version: "1", asked: 0, log: [] as string[] };
  const inputs: Engine["inputs"] = () => {
    state.asked += 1;
    return answer();
  };
  const parts = createPythonInputs({
    ...{ name: "", engine: { inputs }, database, asks: "itself" },
    read: () => Promise.resolve(partial),
    version: () => Promise.resolve(state.version),
    log: (line) => state.log.push(line),
    ...options,
  });
  return { ...parts, state, close: () => database.close() };
}

async function refusal(read: () => Promise<unknown>): Promise<ApiError> {
  const error: unknown = await read().catch((error: unknown) => error);
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

const twoNames = () => Promise.resolve(["topic", "audience"]);
/** What was asked has been stored, or has failed. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the inputs of a crew whose files don't say them", () => {
  it("of two processes with other files don't replace each other", async () => {
    const folder = temporaryFolder("python-inputs");
    const [old, fresh] = [
      open(twoNames, {}, folder),
      open(() => Promise.resolve(["place"]), {}, folder),
    ];
    fresh.state.version = "2";
    for (const each of [old, fresh]) await each.askInputs();
    assert.deepEqual((await old.readProject()).inputs, ["topic", "audience"]);
    assert.deepEqual((await fresh.readProject()).inputs, ["place"]);
    for (const each of [old, fresh]) await each.close();
  });

  it("are asked from Python once, kept over a restart, and asked again when the files change", async () => {
    const folder = temporaryFolder("python-inputs");
    const first = open(twoNames, {}, folder);
    const error = await refusal(first.readProject);
    assert.deepEqual([error.status, error.retryAfter], [503, 5]);
    assert.equal(
      error.message,
      "The crew's inputs are not known yet. Its Python is being asked for them",
    );
    assert.deepEqual(error.details, { crewdeck: { started: false } });
    await settled();
    const whole = { ...crew, inputs: ["topic", "audience"] };
    assert.deepEqual(await first.readProject(), whole);
    assert.deepEqual(await first.readProject(), whole);
    assert.equal(first.state.asked, 1);
    await first.close();

    const second = open(() => Promise.resolve(["place"]), {}, folder);
    assert.deepEqual(await second.readProject(), whole);
    second.state.version = "2";
    assert.equal((await refusal(second.readProject)).status, 503);
    await settled();
    assert.deepEqual((await second.readProject()).inputs, ["place"]);
    await second.close();
  });

  it("are asked only when a person allows it, and by who asks at the same time once", async () => {
    const { readProject, askInputs, state, close } = open(twoNames, { asks: "allowed" });
    const error = await refusal(readProject);
    assert.match(error.message, /which runs the project's code, open its kickoff form/);
    assert.deepEqual(error.details, { crewdeck: { started: false, ask_python: true } });
    await settled();
    assert.equal(state.asked, 0);
    const [one, other] = await Promise.all([askInputs(), askInputs()]);
    assert.deepEqual([one.inputs, other.inputs], [await twoNames(), await twoNames()]);
    assert.equal(state.asked, 1);
    await close();
  });

  it("are never asked in a process that only answers requests", async () => {
    const options = { asks: "elsewhere" } as const;
    const { askInputs, readProject, state, close } = open(twoNames, options);
    const problem = /A process that runs executions asks its Python within a minute/;
    assert.match((await refusal(readProject)).message, problem);
    assert.match((await refusal(askInputs)).message, problem);
    assert.equal(state.asked, 0);
    await close();
  });

  it("come with what Python says if it can't name them, which isn't asked again at once", async () => {
    const fails = () => Promise.reject(new Error("ModuleNotFoundError: No module named 'tides'"));
    const { readProject, askInputs, state, close } = open(fails);
    await refusal(readProject);
    await settled();
    const error = await refusal(readProject);
    assert.deepEqual([error.status, error.retryAfter], [503, 60]);
    assert.match(
      error.message,
      /could not name them: ModuleNotFoundError: No module named 'tides'/,
    );
    assert.equal(state.asked, 1);
    assert.match(state.log.join("\n"), /No module named 'tides'/);
    assert.match((await refusal(askInputs)).message, /No module named 'tides'/);
    assert.equal(state.asked, 2);
    await close();
  });

  it("are what the files say for other crews, without Python", async () => {
    const options = { read: () => Promise.resolve(crew), asks: "allowed" } as const;
    const { readProject, askInputs, state, close } = open(twoNames, options);
    assert.deepEqual(await readProject(), crew);
    assert.deepEqual(await askInputs(), crew);
    assert.equal(state.asked, 0);
    await close();
  });

  it("are a 503 with Retry-After and words for /inputs and /kickoff, and what /inputs/ask returns", async () => {
    const database = openSqliteDatabase(path.join(temporaryFolder("app"), "i.db"));
    const engine = { ...rehearsalEngine(0), inputs: twoNames };
    const parts = createPythonInputs({
      ...{ name: "", engine, database, asks: "allowed", log: () => undefined },
      read: () => Promise.resolve(partial),
      version: () => Promise.resolve("1"),
    });
    openHarness({ engine, ...parts });
    try {
      for (const [method, address] of [
        ["GET", "/inputs"],
        ["POST", "/kickoff"],
      ] as const) {
        const answer = await harness.request(
          method,
          address,
          method === "POST" ? { inputs: {} } : undefined,
        );
        const { error, message, detail, details } = answer.body as Record<string, unknown>;
        assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "60"]);
        assert.equal(error, "Service Unavailable");
        assert.match(String(message), /^The crew's inputs are not known yet\./);
        assert.equal(detail, message);
        assert.deepEqual(details, { crewdeck: { started: false, ask_python: true } });
      }
      const asked = await harness.request("POST", "/inputs/ask");
      assert.deepEqual([asked.status, asked.body], [200, { inputs: ["topic", "audience"] }]);
      const listed = await harness.request("GET", "/inputs");
      assert.deepEqual(listed.body, { inputs: ["topic", "audience"] });
      assert.equal((await harness.request("GET", "/inputs/ask")).headers.get("Allow"), "POST");
    } finally {
      await database.close();
    }
  });
});

describe("the version of a project's files", () => {
  it("is another one for each file that the crew is made of, and for no other", async () => {
    const folder = temporaryFolder("version");
    const entry = path.join(folder, "crew.jsonc");
    const write = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    };
    const versions: string[] = [];
    for (const [name, text] of [
      ["crew.jsonc", "{}"],
      ["crew.jsonc", '{"name": 1}'],
      ["src/tides/crew.py", ""],
      ["agents/writer.json", "{}"],
      ["config/tasks.yaml", "a: 1"],
    ] as const) {
      write(name, text);
      versions.push(await versionOf(folder, entry));
    }
    assert.equal(new Set(versions).size, versions.length);
    for (const name of ["report.md", "data.json", ".venv/lib/x.py", "__pycache__/x.py"])
      write(name, "text");
    assert.equal(await versionOf(folder, entry), versions.at(-1));
  });
});

describe("an action that is shared", () => {
  it("runs once for all who ask before it begins, and again for those who ask later", async () => {
    const ends: ((text: string) => void)[] = [];
    const ask = sharing(() => new Promise<string>((resolve) => ends.push(resolve)));
    const first = Promise.all([ask(), ask()]);
    await waitFor("it to begin", () => ends.length > 0);
    assert.equal(ends.length, 1);
    // What they ask about may have changed since it began.
    const second = Promise.all([ask(), ask()]);
    ends[0]?.("old");
    assert.deepEqual(await first, ["old", "old"]);
    await waitFor("it to begin again", () => ends.length === 2);
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
