import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { asObject, parseJson } from "../../../src/base/json.ts";
import { checkCrew, engineOf, plansOf, readCrew } from "../../../src/service/crews.ts";
import { Refusal } from "../../../src/service/errors.ts";
import { Processes } from "../../../src/service/crewai/processes.ts";
import { Secrets } from "../../../src/service/operations/redact.ts";
import { readOptions } from "../../../src/service/options.ts";
import { projectFolder, temporaryFolder } from "../../support/folders.ts";
import { crew } from "./support.ts";

/** A program that says as a crew's Python that it has opened a project, after it ran a line of shell. */
function writePython(folder: string, atStart: string, atCommand = ":"): string {
  const python = path.join(folder, "python");
  writeFileSync(
    python,
    `#!/bin/sh
${atStart}
echo '{"type":"ready"}'
while read -r command; do
  ${atCommand}; echo '{"type":"project","variables":[]}'
  read -r next; echo '{"type":"opened","crew":{"agents":[],"tasks":[]},"inputs":[],"remarks":[]}'
done
`,
  );
  chmodSync(python, 0o700);
  return python;
}

const plan = {
  ...{ name: "", folder: path.join(projectFolder, "media", "example-crew") },
  ...({ engine: "crewai", parallel: 1, dialect: "documented" } as const),
};

function needsShell(): void {
  before(function () {
    if (process.platform === "win32") this.skip();
  });
}

/** The engine of a crew with such a Python. */
const engineWith = (
  python: string,
  data: string,
  {
    environment = {},
    ...more
  }: Partial<Parameters<typeof engineOf>[2]> & { environment?: NodeJS.Dict<string> } = {},
) =>
  engineOf({ ...plan, environment, python }, data, {
    ...{ taskSeconds: 0, isServer: true, role: "both", database: undefined, forWindows: false },
    ...{ log: () => undefined, processes: new Processes(4), secrets: new Secrets(), ...more },
  });

describe("crews of the command line", () => {
  const plans = (...folders: string[]) => plansOf(readOptions(folders, {}), "the example crew");

  it("have their folders' names, which are part of their addresses; the only one has none", async () => {
    const named = async (...folders: string[]) => (await plans(...folders)).map(({ name }) => name);
    assert.deepEqual(await named("crews/one", "crews/Two_2/"), ["one", "Two_2"]);
    assert.deepEqual(await named("crews/my crew"), [""]);
    for (const [folders, problem] of [
      [["my crew", "one"], /name "my crew" can't be part of an address/],
      [["one", "healthz"], /name "healthz" can't be part of an address/],
      [["a/one", "b/One"], /Two crews have the name "One"/],
    ] as const)
      await assert.rejects(
        plans(...folders),
        (error) =>
          error instanceof Refusal &&
          problem.test(error.message) &&
          error.message.endsWith(" Name the crews in a file, and give it with --config."),
      );
  });

  it("of one folder have the names of their classes", async () => {
    const folder = path.join(projectFolder, "test", "fixtures", "shapes", "several-crews");
    const named = async (...folders: string[]) =>
      (await plans(...folders)).map((plan) => [plan.name, plan.class]);
    assert.deepEqual(await named(folder), [
      ["DraftCrew", "DraftCrew"],
      ["EditCrew", "EditCrew"],
    ]);
    assert.deepEqual(await named("one", folder), [
      ["one", undefined],
      ["several-crews-DraftCrew", "DraftCrew"],
      ["several-crews-EditCrew", "EditCrew"],
    ]);
  });

  it("are those that can be rehearsed, and with crewAI all that Python might run", async () => {
    const shapes = path.join(projectFolder, "test", "fixtures", "shapes");
    const folder = temporaryFolder("unreadable");
    cpSync(path.join(shapes, "braces"), folder, { recursive: true });
    appendFileSync(path.join(folder, "src", "braces", "config", "tasks.yaml"), "a: [");
    const options = { database: undefined, data: undefined };
    const check = (engine: "rehearsal" | "crewai", changes = {}) =>
      checkCrew({ ...plan, environment: {}, folder, engine, ...changes }, options);
    await check("crewai");
    await assert.rejects(check("rehearsal"), /can't be served\. src\/braces\/config\/tasks\.yaml:/);
    for (const [name, why] of [
      ["declarative-flow", "It is a flow"],
      ["declarative-flow-of-defaults", "It is a flow"],
      ["made-in-python", "Only its Python knows all"],
      ["no-class", "Only its Python knows all"],
      ["package-at-top", "Only its Python knows all"],
      ["python-alone", "Only its Python knows all"],
      ["same-names", "Only its Python knows all"],
    ] as const) {
      const own = { folder: path.join(shapes, name) };
      await check("crewai", own);
      await assert.rejects(check("rehearsal", own), new RegExp(`can't be served\\. ${why}`));
    }
    const manager = temporaryFolder("manager");
    cpSync(path.join(shapes, "other-configs"), manager, { recursive: true });
    const python = path.join(manager, "src", "other_configs", "crew.py");
    const ownAgent = "    @agent\n    def manager(self):\n        return Agent(role='Manager')\n\n";
    writeFileSync(python, readFileSync(python, "utf8").replace("    @crew\n", `${ownAgent}$&`));
    const { lacks } = await readCrew({ ...plan, folder: manager });
    assert.equal(lacks, "agents");
    await check("rehearsal", { folder: manager });
    const ownTask = 'Task(description="d", expected_output="e")';
    const withTask = readFileSync(python, "utf8").replace(/\bself\.tasks\b/, `$& + [${ownTask}]`);
    writeFileSync(python, withTask);
    await check("crewai", { folder: manager });
    await assert.rejects(check("rehearsal", { folder: manager }), /Only its Python knows all/);
    const several = { folder: path.join(shapes, "several-crews") };
    await check("rehearsal", { ...several, class: "EditCrew" });
    await assert.rejects(check("crewai", several), /these crews: DraftCrew, EditCrew\./);
  });
});

describe("the environment of a crew's Python", () => {
  /** What a server receives. */
  const secrets = {
    CREWDECK_TOKEN: "a",
    CREWDECK_DATABASE: "postgres://crewdeck:secret@db/crewdeck",
    CREWDECK_METRICS_TOKEN: "b",
    CREWDECK_FEEDBACK_SECRET: "c",
    PGPASSWORD: "d",
    PGHOST: "db",
    OTEL_EXPORTER_OTLP_HEADERS: "key=e",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "key=f",
  };
  const others = { OPENAI_API_KEY: "g", PGP_KEY: "h", OTEL_EXPORTER_OTLP_ENDPOINT: "http://i" };

  needsShell();
  before(() => {
    Object.assign(process.env, secrets, others);
  });
  after(() => {
    for (const name of Object.keys({ ...secrets, ...others }))
      Reflect.deleteProperty(process.env, name);
  });

  /** The variables that the Python process has of those above. */
  async function variablesOf(isServer: boolean, environment = {}): Promise<object> {
    const folder = temporaryFolder("environment");
    const found = path.join(folder, "found");
    const python = writePython(folder, `env -0 > ${found}`);
    const engine = await engineWith(python, folder, { isServer, environment });
    await engine.prepare?.("an execution", crew);
    engine.close?.();
    const variables = readFileSync(found, "utf8").split("\0");
    const isMeant = (line: string) => /^[^=]*/.exec(line)![0] in { ...secrets, ...others };
    return parseEnv(variables.filter(isMeant).join("\n"));
  }

  it("has nothing that a server needs for itself, unless its environment file says so", async () => {
    assert.deepEqual(await variablesOf(true), others);
    const own = { PGHOST: "of the crew", PGPASSWORD: "of the crew" };
    assert.deepEqual(await variablesOf(true, own), { ...others, ...own });
  });

  it("has on one's own machine all but what is Crewdeck's", async () => {
    const kept = Object.entries(secrets).filter(([name]) => !name.startsWith("CREWDECK_"));
    assert.deepEqual(await variablesOf(false), { ...others, ...Object.fromEntries(kept) });
  });
});

describe("crewAI's storage", () => {
  needsShell();

  it("is an execution's own where several processes run a project, and else what its executions share", async () => {
    for (const [database, expected] of [
      [undefined, ["null", "null"]],
      ["postgres://db/crewdeck", ["/storage/one", "/storage/two"]],
    ] as const) {
      const folder = temporaryFolder("storage");
      const opened = path.join(folder, "opened");
      const python = writePython(folder, "", `echo "$command" >> ${opened}`);
      const engine = await engineWith(python, folder, { database });
      for (const id of ["one", "two"]) {
        await engine.prepare?.(id, crew);
        engine.rest?.(id, false);
      }
      engine.close?.();
      const storages = readFileSync(opened, "utf8").trim().split("\n");
      assert.deepEqual(
        storages.map((line) => String(asObject(parseJson(line))["storage"]).replace(folder, "")),
        expected,
      );
    }
  });
});

describe("the program that a crew's Python runs", () => {
  needsShell();

  it("is copied for windows with what it imports, so that an update of the extension can delete its folder", async () => {
    const folder = temporaryFolder("program");
    const copied = path.join(folder, "copied");
    const python = writePython(folder, `ls "$(dirname "$2")" > ${copied}`);
    const data = path.join(folder, "data");
    mkdirSync(data);
    const engine = await engineWith(python, data, { isServer: false, forWindows: true });
    await engine.prepare?.("an execution", crew);
    engine.close?.();
    const programs = readFileSync(copied, "utf8").split("\n");
    const sources = readdirSync(
      path.join(projectFolder, "src", "service", "crewai", "crewdeck_worker"),
    );
    assert.deepEqual(
      programs.filter((name) => name.endsWith(".py")),
      sources.filter((name) => name.endsWith(".py")),
    );
  });
});
