import assert from "node:assert/strict";
import * as vscode from "vscode";
import { activeDocument } from "../../src/editor/execution-uri.ts";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import type { Execution } from "../../src/executions/model.ts";
import { commandsAt } from "../../src/project-files/project-files.ts";
import { temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution } from "../unit/views/executions.ts";
import {
  activated,
  closeEditors,
  closeTab,
  codeLensesIn,
  kickOff,
  polled,
  run,
} from "./extension.ts";
import { withPerson } from "./scripted-person.ts";

const agents = "writer:\n  role: Writer\n  goal: Write\n  backstory: You write.\n";
const tasks = `draft:
  description: Write on {topic}
  expected_output: A text
  agent: writer
  human_input: true
final:
  description: Improve it
  expected_output: A better text
  agent: writer
  context:
    - draft
`;
const crewPy = `@CrewBase
class Poem:
    @task
    def draft(self):
        return Task(config=self.tasks_config["draft"])

    @task
    def final(self):
        return Task(config=self.tasks_config["final"])

    @crew
    def crew(self):
        return Crew()
`;

const [agentsFile, tasksFile] = ["config/agents.yaml", "config/tasks.yaml"] as const;

describe("The files of a crew project", () => {
  const root = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, "lens project");
  const uriOf = (file: string) => vscode.Uri.joinPath(root, file);
  const write = (file: string, text: string, folder = root) =>
    vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, file), Buffer.from(text));
  /** As a person does: a document that an extension opens stays open for minutes after its tab is closed. */
  const open = async (file: string) => {
    await vscode.commands.executeCommand("vscode.open", uriOf(file), { preview: false });
    return await waitFor(file, () => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.path === uriOf(file).path ? document : undefined;
    });
  };
  const lensesOf = async (file: string) => {
    const lenses = await codeLensesIn(uriOf(file));
    return lenses.flatMap(({ range, command }) =>
      command?.command.startsWith("crewdeck.") === true
        ? [{ ...command, shown: `${range.start.line + 1} ${command.title}` }]
        : [],
    );
  };
  const shownIn = async (file: string) => (await lensesOf(file)).map(({ shown }) => shown);
  const runLens = async (file: string, shown: string) => {
    const lens = (await lensesOf(file)).find((each) => each.shown === shown);
    assert.ok(lens, shown);
    return vscode.commands.executeCommand(lens.command, ...(lens.arguments as unknown[]));
  };
  const problems = (file: string) =>
    vscode.languages
      .getDiagnostics(uriOf(file))
      .filter(({ source }) => source === "Crewdeck")
      .map(
        ({ range: { start }, message }) => `${start.line + 1}:${start.character + 1} ${message}`,
      );
  const becomes = (file: string, wanted: RegExp | undefined) =>
    waitFor(`${file} to have ${String(wanted)}`, () =>
      wanted === undefined
        ? problems(file).length === 0
        : problems(file).some((problem) => wanted.test(problem)),
    );
  let api: CrewdeckApi;

  before(async () => {
    api = await activated();
    const made = vscode.Uri.file(temporaryFolder("project"));
    const pyproject = '[project]\nname = "poems"\n\n[tool.crewai]\ntype = "crew"\n';
    await write("pyproject.toml", pyproject, made);
    await write(agentsFile, agents, made);
    await write(tasksFile, tasks, made);
    await write("crew.py", crewPy, made);
    // VS Code on Linux doesn't watch the folders in one that is moved.
    await vscode.workspace.fs.rename(made, root);
  });

  after(async () => {
    await closeEditors();
    for (const { crew, kickoffId } of api.executions())
      await run("untrackExecution", { crew, kickoffId });
    const local = api.crews().find(({ name }) => name === "poems");
    if (local !== undefined) {
      const remove = () => run("removeCrew", { crew: local.name });
      await withPerson([{ press: "Remove" }], remove);
    }
    for (const folder of [root, uriOf("../lone"), uriOf("../declared project")])
      await vscode.workspace.fs.delete(folder, { recursive: true });
  });

  afterEach(closeEditors);

  it("start the crew and open its form, lead to what waits and to the newest outputs", async () => {
    for (const file of ["crew.py", agentsFile, tasksFile]) await open(file);
    assert.deepEqual(await shownIn(tasksFile), ["1 Kick Off…"]);
    assert.deepEqual(await shownIn(agentsFile), ["1 Kick Off…"]);
    assert.deepEqual(await shownIn("crew.py"), ["11 Kick Off…"]);
    const asked = [uriOf(tasksFile), new vscode.Position(3, 11)] as const;
    const definition = "vscode.executeDefinitionProvider";
    const [found] = await vscode.commands.executeCommand<vscode.Location[]>(definition, ...asked);
    assert.equal(found?.uri.path, uriOf(agentsFile).path);
    const form = runLens(tasksFile, "1 Kick Off…");
    await closeTab(/poems/);
    await form;
    const kickoffId = await kickOff("poems", { topic: "tea" });
    await polled("the pause", kickoffId, ({ state }) => state === "waiting");
    const review = ["Waiting for You", "Approve", "Reject…"];
    const paused = [...review, "Kick Off…", "Last Output"].map((title) => `1 ${title}`);
    assert.deepEqual(await shownIn(tasksFile), paused);
    assert.deepEqual(await shownIn(agentsFile), paused);
    assert.deepEqual(await shownIn("crew.py"), [
      ...[...review, "Last Output"].map((title) => `3 ${title}`),
      "11 Kick Off…",
    ]);
    await runLens(tasksFile, "1 Reject…");
    await waitFor("the page", () => activeDocument()?.query === kickoffId);
    await open("crew.py");
    await runLens("crew.py", "3 Waiting for You");
    await waitFor("the execution", () => activeDocument()?.query === kickoffId);
    await runLens(tasksFile, "1 Last Output");
    await waitFor("the output", () => activeDocument()?.path.includes("draft"));

    // Then the output isn't on the screen: the page shows it first.
    await closeEditors();
    await open(tasksFile);
    await runLens(tasksFile, "1 Approve");
    await waitFor("the page", () => activeDocument()?.query === kickoffId);
    await run("approve", { crew: "poems", kickoffId, feedback: "", by: "person" });
    await polled("the end", kickoffId, ({ state }) => state === "completed");
    assert.deepEqual(await shownIn(tasksFile), [
      "1 Kick Off…",
      "1 Last Result",
      "1 Last Output",
      "6 Last Output",
    ]);
    await runLens(tasksFile, "1 Last Result");
    await waitFor("the result", () => activeDocument()?.path.includes("esult"));
  });

  it("lead to the execution that has waited longest, and to the newest output of an agent's tasks", () => {
    const at = (startedAt: string, change: Partial<Execution>) =>
      anExecution({ localId: startedAt, kickoffIds: [startedAt], startedAt, ...change });
    const waiting = (taskId: string, since: string): Partial<Execution> => ({
      state: "waiting",
      waiting: { taskId, attempt: 1, since, output: "o" },
      tasks: [{ taskId, state: "waiting", attempts: [{ number: 1, output: "o" }] }],
    });
    const [first, second, third, last] = ["1", "2", "3", "4"].map(
      (second) => `2026-01-01T00:00:0${second}.000Z`,
    );
    const shown = commandsAt(
      { at: { file: agentsFile, line: 1, column: 1 }, isCrew: false, tasks: ["draft", "final"] },
      root,
      [
        at(second!, waiting("final", third!)),
        at(first!, waiting("draft", last!)),
        at(third!, waiting("other", third!)),
        at(last!, { tasks: [{ taskId: "draft", state: "running", attempts: [{ number: 1 }] }] }),
      ],
    ).map(({ title, arguments: [argument] = [] }) => {
      const { kickoffId, taskId } = argument as { kickoffId: string; taskId: string };
      return [title, kickoffId, taskId];
    });
    assert.deepEqual(shown, [
      ["Last Output", second, "final"],
      ["2 Waiting for You", second, "final"],
    ]);
  });

  it("have the same in JSONC, where comments and trailing commas are no problem", async () => {
    const names = ["crew.jsonc", "agents/writer.jsonc"].map(
      (name) => `../declared project/${name}`,
    );
    const [crew, agent] = names as [string, string];
    await write("../declared project/pyproject.toml", '[tool.crewai]\ntype = "crew"\n');
    await write(
      crew,
      `{
  // A crew of one.
  "name": "letters",
  "agents": ["writer"],
  "tasks": [
    { "name": "draft", "description": "Write", "expected_output": "A text", "agent": "writer" },
    { "name": "final", "description": "Improve", "expected_output": "A text", "agent": "wirter" },
  ],
}
`,
    );
    await write(agent, '{ "role": "Writer", "goal": "Write", "backstory": "You write." }\n');
    await open(agent);
    await open(crew);
    await becomes(crew, /^7:88 There is no agent "wirter"/);
    assert.equal(problems(crew).length, 1);
    assert.deepEqual(problems(agent), []);
    assert.deepEqual(await shownIn(crew), ["1 Kick Off…"]);
    assert.deepEqual(await shownIn(agent), ["1 Kick Off…"]);
  });

  it("show their problems as you type, also those that another file causes, until the file is closed", async () => {
    const document = await open(tasksFile);
    assert.deepEqual(problems(tasksFile), []);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(3, 9, 3, 15), "wirter");
    await vscode.workspace.applyEdit(edit);
    await becomes(tasksFile, /^4:10 There is no agent "wirter", only writer\./);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await becomes(tasksFile, undefined);
    // On disk, not in an editor. VS Code doesn't report it, but another editor has it read again.
    await open("crew.py");
    await write(agentsFile, agents.replace("writer:", "author:"));
    await open(tasksFile);
    await becomes(tasksFile, /There is no agent "writer"/);
    await closeEditors();
    await becomes(tasksFile, undefined);
    await write(agentsFile, agents);
  });

  it("show nothing once the project is gone, or in a file outside of one", async () => {
    await write("../lone/agents/a.json", "{");
    await open("../lone/agents/a.json");
    await write(tasksFile, tasks.replace("- draft", "- darft"));
    await open(tasksFile);
    await becomes(tasksFile, /There is no earlier task "darft"/);
    assert.deepEqual(problems("../lone/agents/a.json"), []);
    assert.deepEqual(await shownIn("../lone/agents/a.json"), []);
    // A flow's own folder is no crew project.
    await write("pyproject.toml", '[tool.crewai]\ntype = "flow"\n');
    await becomes(tasksFile, undefined);
    assert.deepEqual(await shownIn(tasksFile), []);
  });
});
