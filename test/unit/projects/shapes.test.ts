import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { inspectProject } from "../../../src/projects/inspect.ts";
import { crewClasses, readProject } from "../../../src/projects/read.ts";
import { projectFolder } from "../../support/folders.ts";

const shapes = path.join(projectFolder, "test", "fixtures", "shapes");

/** What crewAI runs, as the reader describes it: `<task>: <agent's role> < <context>`, inputs, and what else is said of it. */
const expected: Readonly<Record<string, readonly unknown[]>> = {
  braces: [
    ["draft: Writer"],
    [
      ...["{topic", "topic", '"about": "{topic', '"count": 1', "month of travel", "größe"],
      ...["user.name", "my-key_2", "2", "} { ", "{reader", "reader", "day"],
    ],
  ],
  "byte-order-mark": [["draft: Writer"], ["topic"]],
  "context-of-methods": [["draft: Writer", "final: Writer < draft"], ["topic"]],
  "declarative-flow": [
    ["begin", "finish"],
    ["topic", "count"],
  ],
  "declarative-flow-of-defaults": [["start"], ["topic"]],
  "doubled-key": [["draft: Writer"], ["topic"]],
  "empty-texts": [["draft: Writer"], ["topic"]],
  "json-empty-backstory": [["draft: Writer"], ["topic"]],
  "made-in-python": [["draft: Writer", "check: Writer (asks)"], ["topic"], "lacks tasks"],
  "nested-crews/src/news/crews/short": [["draft: Writer"], ["topic"]],
  "no-class": [["task0"], ["topic", "{discussion", "discussion"], "lacks tasks"],
  "other-configs": [["draft: Writer"], ["topic"]],
  "package-at-top": [[], [], "lacks tasks"],
  "python-alone": [[], [], "lacks tasks"],
  "same-names": [["draft: Writer"], ["topic"], "lacks tasks"],
  "several-crews#DraftCrew": [["draft: Writer"], ["topic"]],
  "several-crews#EditCrew": [["edit: Editor for {reader} (asks)"], ["reader", "text"]],
  "top-package/stories": [["draft: Writer"], ["topic"]],
  "unused-keys": [["draft: Writer"], ["topic"]],
};

async function described(folder: string, crewClass?: string): Promise<unknown[]> {
  const { project, problems } = await readProject(folder, crewClass);
  const { tasks, agents, inputs, lacks } = project;
  return [
    tasks.map(({ id, agent, context, humanInput }) => {
      const role = agents.find(({ name }) => name === agent)?.role;
      return [
        role === undefined ? id : `${id}: ${role}`,
        ...(context ? [`< ${context.join(", ")}`] : []),
        ...(humanInput ? ["(asks)"] : []),
      ].join(" ");
    }),
    inputs,
    ...(lacks ? [`lacks ${lacks}`] : []),
    ...problems.map(({ text }) => text),
  ];
}

describe("a project that crewAI runs is read as crewAI runs it", () => {
  for (const [name, shape] of Object.entries(expected))
    it(name, async () => {
      const [folder = "", crewClass] = name.split("#");
      assert.deepEqual(await described(path.join(shapes, folder), crewClass), shape);
    });

  it("with each of the fixtures", () => {
    const named = new Set(Object.keys(expected).map((name) => name.split(/[#/]/)[0]));
    assert.deepEqual(readdirSync(shapes).sort(), [...named].sort());
  });
});

describe("a file with several crews", () => {
  const folder = path.join(shapes, "several-crews");

  it("names their classes, and others name none", async () => {
    assert.deepEqual(await crewClasses(folder), ["DraftCrew", "EditCrew"]);
    for (const one of [
      "context-of-methods",
      "json-empty-backstory",
      "declarative-flow",
      "no-class",
    ])
      assert.deepEqual(await crewClasses(path.join(shapes, one)), []);
  });

  it("is read for one of them, which the project names", async () => {
    const { project } = await readProject(folder, "EditCrew");
    assert.deepEqual([project.crewClass, project.entry], ["EditCrew", "src/several_crews/crew.py"]);
    assert.equal((await readProject(path.join(shapes, "braces"))).project.crewClass, undefined);
    for (const named of [undefined, "Both"])
      await assert.rejects(readProject(folder, named), /these crews: DraftCrew, EditCrew\./);
  });

  it("has the places and the problems of all of them", async () => {
    const { problems, spots } = await inspectProject(folder);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      spots.map(
        ({ at, crewClass, isCrew, tasks }) =>
          `${path.posix.basename(at.file)}:${at.line} ${crewClass} ${isCrew ? "crew" : tasks.join()}`,
      ),
      [
        "crew.py:16 DraftCrew draft",
        "crew.py:20 DraftCrew crew",
        "tasks.yaml:1 DraftCrew crew",
        "agents.yaml:1 DraftCrew crew",
        "agents.yaml:1 DraftCrew draft",
        "tasks.yaml:1 DraftCrew draft",
        "crew.py:31 EditCrew edit",
        "crew.py:35 EditCrew crew",
        "tasks.yaml:1 EditCrew crew",
        "agents.yaml:1 EditCrew crew",
        "agents.yaml:6 EditCrew edit",
        "tasks.yaml:5 EditCrew edit",
      ],
    );
  });
});
