import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { readProject } from "../../src/projects/read.ts";
import { fill } from "../../src/service/engine.ts";
import { CrewApi } from "../support/crew-api.ts";
import { crewaiEnv, createdProject, needsCrewai } from "../support/crewai.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import type { Model } from "../support/crewai-service.ts";
import { endsOf } from "../support/ends.ts";
import { startModelServer } from "../support/model-server.ts";
import { addToken, startService, type RunningService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { warmPython } from "../support/warm-python.ts";

const run = promisify(execFile);
const shapes = path.join(projectFolder, "test", "fixtures", "shapes");

interface Shape {
  /** How a program of its own takes the crew. */
  readonly alone: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly crewClass?: string;
  /** The crew's folder in the fixture, if it isn't the whole. */
  readonly folder?: string;
  /** It can't be rehearsed: only Python knows it. */
  readonly onlyPython?: true;
}

const topic = { topic: "tides" };

/** Answers `crewai create crew`: an agent's role and goal, a task's description, and else Enter. */
const typed = "Writer\nWrite on {topic}\n\n\n\n\n\nWrite on {topic}\n\n\n\n";

/** What crewAI runs. */
const served: Readonly<Record<string, Shape>> = {
  braces: {
    alone: "braces.crew:Writing",
    inputs: { ...topic, reader: "Anna", day: "monday", "my-key_2": "x" },
  },
  "byte-order-mark": { alone: "byte_order_mark.crew:Writing", inputs: topic },
  "context-of-methods": { alone: "context_of_methods.crew:Writing", inputs: topic },
  created: { alone: "crew.jsonc", inputs: topic },
  created_classic: {
    alone: "created_classic.crew:CreatedClassic",
    inputs: { ...topic, current_year: "2026" },
  },
  "declarative-flow": {
    alone: "src/declarative_flow/flow.yaml",
    inputs: { topic: "tides", count: 2 },
    onlyPython: true,
  },
  "declarative-flow-of-defaults": {
    alone: "src/declarative_flow_of_defaults/flow.yaml",
    inputs: topic,
    onlyPython: true,
  },
  "doubled-key": { alone: "doubled_key.crew:Writing", inputs: topic },
  "empty-texts": { alone: "empty_texts.crew:Writing", inputs: topic },
  "json-empty-backstory": { alone: "crew.jsonc", inputs: topic },
  "made-in-python": {
    alone: "made_in_python.crew:Writing",
    inputs: { ...topic, reader: "Anna" },
    onlyPython: true,
  },
  "nested-crews": {
    alone: "news.crews.short.short:Short",
    inputs: topic,
    folder: "src/news/crews/short",
  },
  "no-class": {
    alone: "screenplay:crew",
    inputs: { ...topic, discussion: "Why?" },
    onlyPython: true,
  },
  "other-configs": { alone: "other_configs.crew:Writing", inputs: topic },
  "package-at-top": { alone: "letters.crew:crew", inputs: topic, onlyPython: true },
  "python-alone": { alone: "crew:crew", inputs: topic, onlyPython: true },
  "same-names": { alone: "same_names.crew:build", inputs: topic, onlyPython: true },
  "several-crews#DraftCrew": {
    alone: "several_crews.crew:DraftCrew",
    inputs: topic,
    crewClass: "DraftCrew",
  },
  "several-crews#EditCrew": {
    alone: "several_crews.crew:EditCrew",
    inputs: { reader: "Anna", text: "A text." },
    crewClass: "EditCrew",
  },
  "top-package": { alone: "stories.crew:Stories", inputs: topic, folder: "stories" },
  "unused-keys": { alone: "unused_keys.crew:Writing", inputs: topic },
};

/** A name that is part of an address. */
const addressOf = (name: string, engine: string) => `${name.replace("#", "-")}-${engine}`;

interface Run {
  readonly inputs: readonly string[];
  readonly prompts: readonly string[];
  readonly outputs: readonly string[];
  readonly output: string;
}

describe("what crewAI runs, Crewdeck runs in the same way", () => {
  needsCrewai();
  const atEnd = endsOf(after);
  /** Copies of the fixtures, as crews may write to them. */
  const [ours, theirs] = [temporaryFolder("shapes"), temporaryFolder("shapes-alone")];
  let model: Model;
  let python: string;
  let service: RunningService;
  let token: string;
  let env: Record<string, string>;

  before(async () => {
    model = await startModelServer(
      ({ prompt }) => `Answer ${createHash("sha256").update(prompt).digest("hex").slice(0, 8)}.`,
    );
    atEnd(() => model.stop());
    python = await warmPython();
    env = crewaiEnv(model);
    const created = [
      await createdProject("created", "declarative", typed),
      await createdProject("created_classic"),
    ];
    for (const source of [shapes, ...created.map((folder) => path.dirname(folder))])
      for (const folder of [ours, theirs]) cpSync(source, folder, { recursive: true });
    const crews = Object.entries(served).flatMap(([name, shape]) =>
      (shape.onlyPython ? ["crewai"] : ["crewai", "rehearsal"]).map((engine) => ({
        name: addressOf(name, engine),
        folder: folderOf(ours, name, shape),
        engine,
        python,
        ...(shape.crewClass !== undefined && { class: shape.crewClass }),
      })),
    );
    const file = path.join(ours, "crewdeck.server.jsonc");
    writeFileSync(file, JSON.stringify({ crews, port: 0 }));
    const place = ["--config", file, "--data", path.join(ours, "data")];
    token = await addToken(...place);
    service = await startService({ args: [...place, "--task-seconds", "0"], env });
    atEnd(() => service.stop());
  });

  const folderOf = (top: string, name: string, { folder = "" }: Pick<Shape, "folder">) =>
    path.join(top, name.replace(/#.*/, ""), folder);

  const known = new Map<string, Promise<Run>>();
  const alone = (name: string, shape: Shape) => {
    const run = known.get(name) ?? runAlone(name, shape);
    known.set(name, run);
    return run;
  };

  async function runAlone(name: string, shape: Shape): Promise<Run> {
    model.requests.splice(0);
    const program = path.join(projectFolder, "test", "support", "python", "alone.py");
    const running = run(python, [program, shape.alone, JSON.stringify(shape.inputs)], {
      cwd: folderOf(theirs, name, {}),
      // A store of its own: crewAI remembers by the name of the folder.
      env: { ...process.env, ...crewaiEnv(model) },
    });
    // Enter, for what waits for a person.
    running.child.stdin?.end("\n".repeat(5));
    const { stdout, stderr } = await running;
    const last = stdout.trim().split("\n").at(-1) ?? "";
    assert.ok(last.startsWith("{"), stdout + stderr);
    const { inputs, output, tasks } = JSON.parse(last) as Record<"output", string> &
      Record<"inputs" | "tasks", string[]>;
    return { inputs, output, outputs: tasks, prompts: prompts() };
  }

  const prompts = () => model.requests.splice(0).map(({ prompt }) => prompt);

  async function serve(name: string, shape: Shape, engine: string): Promise<Run> {
    model.requests.splice(0);
    const address = `${service.url}/${addressOf(name, engine)}`;
    const api = new CrewApi({ url: address, token });
    // Until Python has named those that the files don't say.
    const listed = await waitFor(
      "the inputs",
      async () => {
        const answer = await api.get("/inputs");
        return answer.status !== 503 && answer;
      },
      60_000,
    );
    assert.equal(listed.status, 200, JSON.stringify(listed.body));
    const id = await api.kickoff({ inputs: shape.inputs });
    const ended = await waitFor(
      "the end",
      async () => {
        const status = await api.status(id);
        const waiting = status.pending_human_input;
        if (waiting === undefined) return status.status !== "running" && status;
        await api.resume(id, waiting.task_id, true);
        return undefined;
      },
      120_000,
    );
    assert.equal(ended.status, "completed", JSON.stringify(ended));
    const { inputs } = listed.body as { inputs: string[] };
    const tasks = ended.result?.tasks.map(({ output }) => output) ?? [];
    const { output = "" } = ended.result ?? {};
    return { inputs: [...inputs].sort(), output, outputs: tasks, prompts: prompts() };
  }

  for (const [name, shape] of Object.entries(served)) {
    it(`${name}: the same inputs, prompts and outputs as by crewAI alone`, async () => {
      const expected = await alone(name, shape);
      const { outputs, ...rest } = await serve(name, shape, "crewai");
      assert.deepEqual(rest.inputs, expected.inputs);
      assert.deepEqual(rest.prompts, expected.prompts);
      assert.equal(rest.output, expected.output);
      // A flow has methods, whose outputs crewAI doesn't return.
      if (!shape.alone.endsWith(".yaml")) assert.deepEqual(outputs, expected.outputs);
    });
    if (shape.onlyPython) continue;
    it(`${name}: a rehearsal asks for the same inputs, and calls no model`, async () => {
      const expected = await alone(name, shape);
      const { inputs, outputs, prompts } = await serve(name, shape, "rehearsal");
      assert.deepEqual(inputs, expected.inputs);
      const { project } = await readProject(folderOf(ours, name, shape), shape.crewClass);
      assert.equal(outputs.length, expected.outputs.length);
      for (const [index, { description }] of project.tasks.entries()) {
        const task = `Task: ${fill(description, shape.inputs).trim()}`;
        assert.ok(outputs[index]?.includes(task), `${task} is not in ${outputs[index]}`);
      }
      assert.deepEqual(prompts, []);
    });
  }

  it("each of the fixtures is served", () => {
    const named = Object.keys(served).map((name) => name.replace(/#.*/, ""));
    assert.deepEqual(readdirSync(theirs).sort(), [...new Set(named)].sort());
  });
});
