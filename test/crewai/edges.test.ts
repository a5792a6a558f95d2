import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readProject } from "../../src/projects/read.ts";
import { Processes } from "../../src/service/crewai/processes.ts";
import type { CrewaiOptions } from "../../src/service/crewai/engine.ts";
import {
  crewaiEnv,
  needsCrewai,
  newestCrewai,
  openEngine,
  pythonWith,
  writeProject,
} from "../support/crewai.ts";
import { startModel, type Model } from "../support/crewai-service.ts";
import { atEndOfTest } from "../support/ends.ts";
import { temporaryFolder } from "../support/folders.ts";
import { childrenOf, isRunning } from "../support/processes.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

/** A crew of two tasks whose first one calls `act`; each attempt builds it again. */
const crewFile = (act = "") => `import os, sys, time
from crewai import Agent, Crew, Task

def act(output):
    ${act || "pass"}

def build() -> Crew:
    open("built-in", "a").write(f"{os.getpid()} ")
    worker = Agent(role="Worker", goal="Work", backstory="You work.")
    task = dict(expected_output="Text.", agent=worker)
    first = Task(name="first", description="Begin {topic}.", callback=act, **task)
    second = Task(name="second", description="Finish {topic}.", **task)
    return Crew(agents=[worker], tasks=[first, second])
`;

describe("crewAI projects at the edges", () => {
  needsCrewai();
  let model: Model;
  let python: string;
  /** Children of this process that are no workers. */
  let others: readonly number[];
  const workersNow = () => childrenOf(process.pid).filter((pid) => !others.includes(pid));
  before(async () => {
    python = await warmPython();
    others = childrenOf(process.pid);
  });
  beforeEach(async () => {
    model = await startModel(() => "A text.");
  });

  function open(files: Readonly<Record<string, string>>, options: Partial<CrewaiOptions> = {}) {
    const folder = writeProject(files);
    const opened = openEngine({
      folder,
      python,
      ...options,
      env: { ...crewaiEnv(model), ...options.env },
    });
    atEndOfTest(() => opened.engine.close?.());
    return { ...opened, folder };
  }

  const failure = async (
    files: Readonly<Record<string, string>>,
    options?: Partial<CrewaiOptions>,
  ) => {
    const { run } = open(files, options);
    const error: unknown = await run({ topic: "tea" }).catch((error: unknown) => error);
    assert.ok(error instanceof Error, "it ran");
    return error.message;
  };

  /** What it says if only `crew.py` is there. */
  const fails = async (crew: string, says: RegExp, options?: Partial<CrewaiOptions>) =>
    assert.match(await failure({ "crew.py": crew }, options), says);

  const cold = () => pythonWith(newestCrewai);

  it("names an interpreter that is missing", async () => {
    await fails(
      crewFile(),
      /^The Python interpreter \/nowhere\/python can't be started \(spawn \/nowhere\/python ENOENT\)\./,
      { python: "/nowhere/python" },
    );
  });

  it("names a Python or a crewAI that is too old", async () => {
    await fails(
      crewFile(),
      /^\/bin\/false can't run Crewdeck's program\. crewAI needs Python 3\.10 or newer\./,
      { python: "/bin/false" },
    );
    const oldCrewai = temporaryFolder("old-crewai");
    mkdirSync(path.join(oldCrewai, "crewai-0.203.2.dist-info"));
    writeFileSync(
      path.join(oldCrewai, "crewai-0.203.2.dist-info", "METADATA"),
      "Metadata-Version: 2.1\nName: crewai\nVersion: 0.203.2\n",
    );
    assert.match(
      await failure(
        { "crew.py": crewFile() },
        { env: { PYTHONPATH: oldCrewai }, python: await pythonWith(undefined) },
      ),
      /has crewAI 0\.203\.2, and Crewdeck runs crewAI 1\.0 or newer\..*uv add crewai/,
    );
  });

  it("says why crewAI can't be loaded, without a second try", async () => {
    const broken = temporaryFolder("broken-crewai");
    mkdirSync(path.join(broken, "crewai"));
    writeFileSync(
      path.join(broken, "crewai", "__init__.py"),
      "raise RuntimeError('Your system has an unsupported version of sqlite3.')\n",
    );
    const options = { env: { PYTHONPATH: broken }, python: await cold() };
    const message = await failure({ "crew.py": crewFile() }, options);
    assert.match(
      message,
      /can't load crewAI 1\.15\.30\. RuntimeError: Your system has an unsupported version of sqlite3\.\nInstall it again/,
    );
    assert.doesNotMatch(message, /__main__\.py|Traceback/);
  });

  it("shows what a project raises, where in its own files, also while it builds the crew", async () => {
    await fails(
      crewFile().replace("    worker =", "    worker = missing\n    worker ="),
      /^NameError: name 'missing' is not defined\n {2}crew\.py:9 in build: worker = missing$/,
    );
    await fails(`${crewFile()}\ndef broken(:\n`, /^SyntaxError: .*\n {2}crew\.py:15: def broken\(/);
    await fails(
      `${crewFile()}\nsys.exit("no station")\n`,
      /^The project called sys\.exit\('no station'\)\.\n {2}crew\.py:15/,
    );
    await fails(`${crewFile()}\ninput()\n`, /^EOFError: /);
    assert.match(
      await failure({
        "crew.py": crewFile('raise LookupError("no " + output["topic"])').replace(
          "tasks=",
          "before_kickoff_callbacks=[act], tasks=",
        ),
      }),
      /^LookupError: no tea\n {2}crew\.py:5 in act: raise LookupError/,
    );
    assert.equal(model.requests.length, 0);
  });

  it("logs what a project prints, up to a limit, also if it isn't UTF-8", async () => {
    const { run, lines } = open({
      "crew.py": crewFile(
        String.raw`sys.stdout.buffer.write(b"\xff\xfe caf\xe9\n"); print("\ud800 lone"); print("x" * 5_000_000); [print("y" * 1000) for _ in range(2000)]; os.write(1, b"z" * 3_000_000)`,
      ),
    });
    assert.deepEqual((await run({ topic: "tea" })).outputs, ["A text.", "A text."]);
    const text = lines.join("\n");
    assert.match(text, /caf\ufffd/);
    assert.match(text, /ud800 lone/);
    assert.ok(text.length < 3_000_000, String(text.length));
    assert.equal(lines.filter((line) => line.includes("prints more than 1 MB")).length, 1);
  });

  it("runs a project that forks: the end of its child doesn't end the task", async () => {
    const { run } = open({
      "crew.py": crewFile("os.waitpid(os.fork() or sys.exit(3), 0)"),
    });
    assert.deepEqual((await run({ topic: "tea" })).outputs, ["A text.", "A text."]);
  });

  it("refuses an output that is too large, and doesn't ask the model again", async () => {
    await fails(
      crewFile('output.raw = "x" * 33_000_000'),
      /^The output is larger than 32 MB\. Let the task write it to a file/,
    );
    assert.equal(model.requests.length, 1);
  });

  it("refuses inputs of a hook that JSON doesn't have, and doesn't ask the model again", async () => {
    const hook = 'before_kickoff_callbacks=[lambda inputs: {**inputs, "rain": float("nan")}]';
    await fails(
      crewFile().replace("return Crew(", `return Crew(${hook}, `),
      /^ValueError: .* JSON compliant/,
    );
    assert.equal(model.requests.length, 1);
  });

  it("ends what a worker started when it ends by itself", async () => {
    const pid = path.join(temporaryFolder("child"), "pid");
    const dying = `import subprocess; open(${JSON.stringify(pid)}, "w").write(str(subprocess.Popen(["sleep", "600"]).pid)); os._exit(3)`;
    const message = await failure({ "crew.py": crewFile(dying) }, { python: await cold() });
    assert.match(message, /^The crew's Python process ended \(exit code 3\)\./);
    const child = Number(readFileSync(pid, "utf8"));
    await waitFor("the child to end", () => !isRunning(child));
  });

  it("finishes an execution with the files that it began with, and starts the next one with the new ones", async () => {
    const { engine, run, folder, lines } = open({ "crew.py": crewFile() });
    const edit = () =>
      writeFileSync(
        path.join(folder, "crew.py"),
        crewFile().replace("Finish {topic}", "End {topic} soon").replace('"second"', '"last"'),
      );
    const first = await run({ topic: "tea" }, { onTask: (name) => name === "second" && edit() });
    assert.deepEqual(first.outputs, ["A text.", "A text."]);
    assert.match(model.requests[1]?.prompt ?? "", /Finish tea\./);
    assert.ok(lines.some((line) => line.includes("continues with the files that it began with")));
    const next = await run({ topic: "tea" });
    assert.deepEqual(
      next.project.tasks.map(({ id }) => id),
      ["first", "last"],
    );
    assert.match(model.requests[3]?.prompt ?? "", /End tea soon\./);
    assert.equal(model.requests.length, 4);
    engine.close?.();
  });

  it("doesn't take what the crew writes for an edit", async () => {
    const { run, lines } = open({
      "crew.py": crewFile(
        'open("facts.json", "w").write("{}"); open("output/poem.py", "w").write("")',
      ),
      "facts.json": "[]",
      "output/poem.py": "0",
    });
    await run({ topic: "tea" });
    assert.ok(!lines.some((line) => line.includes("was edited")), lines.join("\n"));
  });

  it("runs all attempts of an execution in one process, and another one after a pause that is too long", async () => {
    for (const waiting of [60_000, 50]) {
      const { engine, run, folder } = open({ "crew.py": crewFile() }, { times: { waiting } });
      await run(
        { topic: "tea" },
        {
          onTask: async (name) => {
            if (name === "first") return;
            const workers = () => readFileSync(path.join(folder, "built-in"), "utf8").split(" ");
            engine.rest?.("execution-1", false);
            if (waiting === 50)
              await waitFor("the worker to leave", () => !isRunning(Number(workers()[0])));
          },
        },
      );
      const workers = readFileSync(path.join(folder, "built-in"), "utf8").trim().split(" ");
      assert.equal(new Set(workers).size, waiting === 50 ? 2 : 1, workers.join());
    }
  });

  it("keeps a copy of the project's files only until the execution ends", async () => {
    const data = temporaryFolder("crewai-data");
    const { run } = open(
      { "crew.py": crewFile(), ".venv/lib/large.py": "x", "notes.bin": "x" },
      { data },
    );
    const copies = () => readdirSync(path.join(data, "sources"), { recursive: true }).map(String);
    let seen: boolean[] = [];
    await run(
      { topic: "tea" },
      {
        onTask: () => {
          const files = ["crew.py", "config/tasks.yaml", ".venv", "notes.bin"];
          seen = files.map((file) => copies().some((copied) => copied.endsWith(file)));
        },
      },
    );
    assert.deepEqual(seen, [true, true, false, false]);
    await waitFor("the copy to be removed", () => copies().length === 0);
  });

  it("keeps the worker of each execution that waits for a person while there is room for it", async () => {
    const { engine, folder } = open({ "crew.py": crewFile() }, { processes: new Processes(2) });
    const { project: read } = await readProject(folder);
    for (const [index, id] of ["a", "b", "c"].entries()) {
      const before = workersNow();
      await engine.prepare?.(id, read);
      await waitFor(
        "as many as there is room for",
        () => workersNow().length === Math.min(2, index + 1),
      );
      // The one that has waited longest leaves.
      if (id === "c") assert.ok(!workersNow().includes(before[0] ?? 0));
      engine.rest?.(id, false);
    }
  });

  it("keeps a spare worker for the next execution while nothing runs, and ends it when the crew isn't used", async () => {
    const times = { idle: 1_000, spare: 6_000 };
    const { run } = open({ "crew.py": crewFile() }, { times });
    const workers = new Set<number>();
    const onTask = () => workersNow().forEach((pid) => workers.add(pid));
    const spare = () =>
      waitFor("a spare worker", () => {
        const [pid, ...more] = workersNow();
        return pid !== undefined && more.length === 0 && !workers.has(pid) && pid;
      });
    await run({ topic: "tea" }, { onTask });
    assert.equal([...workers].length, 1, "it starts only while nothing runs");
    const first = await spare();
    const begun = performance.now();
    await run({ topic: "tea" }, { onTask });
    assert.ok(workers.has(first) && workers.size === 2, "the next execution uses it");
    await spare();
    await waitFor("the spare worker to leave", () => workersNow().length === 0);
    assert.ok(performance.now() - begun > times.spare);
  });

  it("keeps an output whose steps can't be reported", async () => {
    const { run, lines } = open({ "crew.py": crewFile() });
    const onStep = () => Promise.reject(new Error("the disk is full"));
    assert.deepEqual((await run({ topic: "tea" }, { onStep })).outputs, ["A text.", "A text."]);
    assert.equal(model.requests.length, 2);
    assert.ok(lines.some((line) => /A step of .* isn't reported: the disk is full/.test(line)));
  });
});
