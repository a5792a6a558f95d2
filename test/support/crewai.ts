import { execFile } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { readProject } from "../../src/projects/read.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { crewaiEngine, type CrewaiOptions } from "../../src/service/crewai/engine.ts";
import { Processes } from "../../src/service/crewai/processes.ts";
import type { AgentStep } from "../../src/service/engine.ts";
import { Secrets } from "../../src/service/operations/redact.ts";
import { projectFolder, temporaryFolder } from "./folders.ts";
import { installOnce } from "./install-once.ts";
import { needs, problemOf } from "./needs.ts";
import { noReports } from "./reports.ts";

const run = promisify(execFile);

/** The crewAI of the tests. It is changed on purpose. */
export const newestCrewai = "1.15.30";
/** The oldest one that is supported. */
export const oldestCrewai = "1.0.0";
/** The versions of what is tried with each: all that the engine knows in `npm run test:long`, among them the oldest that reads declarative crews. */
export const crewaiVersions =
  process.env["CREWDECK_CREWAI_VERSIONS"] === "all"
    ? [oldestCrewai, "1.15.0", newestCrewai]
    : [newestCrewai];
/** The versions of what shows that the oldest one works. */
export const smokedVersions = new Set([oldestCrewai, ...crewaiVersions]);
/** Those that all these versions run on. */
const pythons = ">=3.10,<3.14";

/**
 * Installs all environments, which takes minutes on a fresh machine: call it outside of a test's timeout. Resolves to why there can
 * be none here.
 */
export const installCrewai = () =>
  problemOf("crewAI", async () => {
    for (const version of [...smokedVersions, undefined]) await pythonWith(version);
  });

/** Skips the tests of a suite where crewAI can't be installed. In CI, they fail. */
export function needsCrewai(): void {
  needs(installCrewai);
}

/** uv, from PyPI. @returns its program */
export async function uv(): Promise<string> {
  const folder = await installOnce("uv", async (target) => {
    await run("python3", ["-m", "pip", "install", "--quiet", "--target", target, "uv"]);
  });
  return path.join(folder, "bin", "uv");
}

/** The interpreter of an environment with a version of crewAI, or with no package at all. Installed once. */
export async function pythonWith(crewai: string | undefined): Promise<string> {
  const program = await uv();
  const folder = await installOnce(`crewai-${crewai ?? "none"}`, async (target) => {
    await run(program, ["venv", "--quiet", "--allow-existing", "--python", pythons, target]);
    if (crewai === undefined) return;
    const python = path.join(target, "bin", "python");
    // Where PYTHONDONTWRITEBYTECODE is set, every import would compile crewAI again, for seconds.
    const install = ["pip", "install", "--quiet", "--compile-bytecode", "--python", python];
    await run(program, [...install, `crewai==${crewai}`], { maxBuffer: 64 * 1024 * 1024 });
  });
  return path.join(folder, "bin", "python");
}

/** The same with packages that are added to the environment. */
export async function pythonWithPackages(
  crewai: string,
  ...packages: readonly string[]
): Promise<string> {
  const python = await pythonWith(crewai);
  await run(await uv(), ["pip", "install", "--quiet", "--python", python, ...packages]);
  return python;
}

/**
 * What `crewai create` does in an empty folder, without its questions unless `typed` answers them. @returns the project's folder
 */
export async function createdProject(
  name: string,
  kind: "classic" | "declarative" | "flow" = "classic",
  typed?: string,
): Promise<string> {
  const args =
    kind === "flow"
      ? ["flow", name]
      : ["crew", name, "--skip-provider", ...(kind === "classic" ? ["--classic"] : [])];
  const create = `
import sys
from crewai_cli.cli import crewai
sys.argv = ["crewai", "create", *${JSON.stringify(args)}]
crewai()
`;
  const cwd = temporaryFolder("created");
  const env = {
    ...process.env,
    CREWAI_DISABLE_TELEMETRY: "true",
    ...(kind === "declarative" && typed === undefined && { CREWAI_DMN: "true" }),
  };
  const running = run(await pythonWith(newestCrewai), ["-c", create], { cwd, env });
  running.child.stdin?.end(typed);
  await running;
  return path.join(cwd, name);
}

export interface ClassicCrew {
  /** Lines before the class. */
  readonly head?: string;
  /** Arguments for each task besides its YAML, in the order of the tasks. */
  readonly tasks?: Readonly<Record<string, string>>;
  readonly agent?: string;
  readonly crew?: string;
  readonly name?: string;
}

/** A crew.py as `crewai create` writes it. */
export function crewFile({
  head = "",
  tasks = { first: "", second: "" },
  agent = "",
  crew = "",
  name = "Project",
}: ClassicCrew = {}): string {
  const methods = Object.entries(tasks).map(
    ([task, more]) => `    @task
    def ${task}(self) -> Task:
        return Task(config=self.tasks_config["${task}"], ${more})
`,
  );
  return `from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, crew, task
${head}

@CrewBase
class ${name}:
    @agent
    def worker(self) -> Agent:
        return Agent(config=self.agents_config["worker"], ${agent})
    @agent
    def helper(self) -> Agent:
        return Agent(config=self.agents_config["helper"])
${methods.join("")}    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, ${crew})
`;
}

/** A classic project in an empty folder, with tasks `first` and `second` unless `files` replace its YAML. */
export function writeProject(files: Readonly<Record<string, string>>): string {
  const folder = path.join(temporaryFolder("crewai"), "project");
  const agent = (name: string) =>
    `${name}:\n  role: ${name} role\n  goal: ${name} goal\n  backstory: ${name} story\n`;
  const task = (name: string) =>
    `${name}:\n  description: Do the ${name} thing about {topic}.\n  expected_output: Text.\n  agent: worker\n`;
  const all = {
    "config/agents.yaml": agent("worker") + agent("helper"),
    "config/tasks.yaml": task("first") + task("second"),
    "pyproject.toml": '[project]\nname = "project"\n\n[tool.crewai]\ntype = "crew"\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

/** The environment of a service or engine whose crews ask this model, and keep what crewAI stores in an empty folder. */
export function crewaiEnv(model: { readonly url: string }): Record<string, string> {
  return {
    OPENAI_BASE_URL: model.url,
    OPENAI_API_BASE: model.url,
    OPENAI_API_KEY: "key",
    MODEL: "gpt-4o-mini",
    XDG_DATA_HOME: temporaryFolder("crewai-storage"),
  };
}

export const workerProgram = path.join(
  projectFolder,
  "src/service/crewai/crewdeck_worker/__main__.py",
);

/** An engine of the product, without the service, with what it logs. */
export function openEngine(
  options: Pick<CrewaiOptions, "folder" | "python" | "env"> & Partial<CrewaiOptions>,
) {
  const lines: string[] = [];
  const engine = crewaiEngine({
    data: temporaryFolder("crewai-data"),
    program: workerProgram,
    parallel: 1,
    log: (line) => lines.push(line),
    secrets: new Secrets(),
    processes: new Processes(4),
    ...options,
    env: { ...process.env, ...options.env },
  });
  let count = 0;
  return {
    engine,
    lines,
    /** Runs all tasks of the project, as the service would without a person. `onTask` is called before each attempt. */
    run: async (
      inputs: JsonObject = {},
      more: { onTask?: (name: string) => unknown; onStep?: () => Promise<void> } = {},
    ) => {
      const executionId = `execution-${(count += 1)}`;
      try {
        const { project: read } = await readProject(options.folder);
        const project = (await engine.prepare?.(executionId, read)) ?? read;
        const outputs: { taskId: string; output: string }[] = [];
        const steps: AgentStep[] = [];
        for (const [taskIndex, task] of project.tasks.entries()) {
          await more.onTask?.(task.id);
          const result = await engine.run(
            {
              ...{ executionId, project, taskIndex, task, inputs, notes: [], agent: undefined },
              ...{ earlier: outputs, attempt: 1, isFirst: taskIndex === 0 },
            },
            {
              ...noReports,
              step: (step) => {
                steps.push(step);
                return more.onStep?.() ?? Promise.resolve();
              },
            },
          );
          inputs = result.inputs ?? inputs;
          outputs.push({ taskId: task.id, output: result.output });
        }
        return { project, outputs: outputs.map(({ output }) => output), steps };
      } finally {
        engine.rest?.(executionId, true);
      }
    },
  };
}

/** A copy of a project in `test/fixtures/crewai`, which a crew may write to. */
export function crewaiProject(name: string): string {
  const folder = path.join(temporaryFolder("crewai"), name);
  cpSync(path.join(projectFolder, "test", "fixtures", "crewai", name), folder, { recursive: true });
  return folder;
}
