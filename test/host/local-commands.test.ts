import assert from "node:assert/strict";
import * as vscode from "vscode";
import { crewVerbs } from "../../src/actions/crews.ts";
import type { Crews } from "../../src/crews/crews.ts";
import { log } from "../../src/editor/log.ts";
import { runIn, targetsIn } from "./execution-parts.ts";
import { withPerson } from "./scripted-person.ts";
import { eachWithSmallCrews } from "./small-crew.ts";

describe("Commands of local crews", () => {
  let crews: Crews;
  eachWithSmallCrews((fresh) => ({ crews } = fresh));

  const local = {
    id: "local:file:///poems",
    name: "poems",
    url: "http://127.0.0.1:9",
    local: { folder: "file:///poems", engine: "rehearsal" as const, running: true },
  };
  let done: unknown[];
  const real = Object.getOwnPropertyDescriptor(log, "show") ?? {};

  beforeEach(() => {
    done = [];
    Object.assign(log, { show: () => done.push("show the log") });
  });
  afterEach(() => void Object.defineProperty(log, "show", real));

  const run = async (id: string, argument: unknown) => {
    crews.setLocal([local]);
    const does =
      (what: string) =>
      (...given: unknown[]) =>
        Promise.resolve(void done.push([what, ...given]));
    const other = () => assert.fail("another action");
    const commands = crewVerbs({
      crews,
      locals: {
        changeEngine: does("change the engine"),
        setUp: does("set up"),
        showLog: () => done.push("show the local crews' log"),
        ...{ decideInterrupted: other, remove: other },
        start: async (given) => {
          await does("start")(given);
          return local;
        },
        stop: other,
      },
      models: other,
      kickoff: (argument) => does("kick off")(argument),
      targets: targetsIn({ find: other, list: other, refresh: other }, crews),
    });
    await runIn(commands, id, argument);
    return done.splice(0);
  };

  it("set a project up, or change its engine", async () => {
    const crew = local.id;
    assert.deepEqual(await run("changeEngine", { crew, setUp: true, by: "person" }), [
      ["set up", crew],
    ]);
    for (const [given, engine] of [
      [{ setUp: false }, undefined],
      [{ engine: "crewai" }, "crewai"],
    ] as const)
      assert.deepEqual(await run("changeEngine", { crew, ...given }), [
        ["change the engine", crew, engine],
      ]);
  });

  it("serve a project of the workspace that “+” offers first, and open its form", async () => {
    const root = vscode.workspace.workspaceFolders![0]!.uri;
    const project = vscode.Uri.joinPath(root, "offered");
    const file = vscode.Uri.joinPath(project, "crew.py");
    await vscode.workspace.fs.writeFile(file, new TextEncoder().encode("@CrewBase\nclass A:\n"));
    try {
      const row = { kind: "crew", crew: local.id };
      const { result, shown } = await withPerson([{ pick: "$(folder) offered" }], () =>
        run("addCrew", row),
      );
      assert.deepEqual(shown[0]?.choices, [
        "$(folder) offered",
        "$(organization) A deployed crew…",
      ]);
      assert.deepEqual(result, [
        ["start", { folder: project.toString(), here: true }],
        ["kick off", { crew: local.id, form: true }],
      ]);
      const { shown: asked } = await withPerson(
        [{ pick: "$(organization) A deployed crew…" }, "escape"],
        () => run("addCrew", undefined),
      );
      assert.match(asked[1]?.text ?? "", /^Address of the crew/);
      const connect = () => run("addCrew", { deployed: true });
      const { shown: only } = await withPerson(["escape"], connect);
      assert.match(only[0]?.text ?? "", /^Address of the crew/);
    } finally {
      await vscode.workspace.fs.delete(project, { recursive: true });
    }
  });

  it("ask which crew to serve in the view's title, whatever row has focus", async () => {
    await crews.add({ name: "Travel", url: "https://travel.test", token: "x" }, { untested: true });
    for (const crew of [local.id, "Travel"])
      assert.deepEqual(await run("startLocalCrew", { kind: "crew", crew }), [
        ["start", {}],
        ["kick off", { crew: local.id, form: true }],
      ]);
  });

  it("show the log of local crews, or of Crewdeck", async () => {
    for (const given of [{ local: true }, { crew: local.id }])
      assert.deepEqual(await run("showLog", given), ["show the local crews' log"]);
    await crews.add({ name: "Travel", url: "https://travel.test", token: "x" }, { untested: true });
    for (const given of [undefined, { local: false }, { crew: "Travel" }])
      assert.deepEqual(await run("showLog", given), ["show the log"]);
  });
});
