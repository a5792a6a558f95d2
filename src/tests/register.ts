import path from "node:path";
import * as vscode from "vscode";
import { Disposables } from "../base/events.ts";
import { logged } from "../editor/log.ts";
import { isRequestFile, requestFileEnding } from "../kickoff/request-files/name.ts";
import type { TestExplorer, TestExplorerOptions } from "./explorer.ts";

/** Shows the tests of crews in VS Code's Test Explorer. The code is loaded with the first request file. */
export function registerTests(options: Omit<TestExplorerOptions, "createController">) {
  const { createTestController: createController } = vscode.tests;
  const owned = new Disposables();
  let loading: Promise<TestExplorer> | undefined;
  const load = () =>
    (loading ??= import("./explorer.ts").then(({ TestExplorer }) =>
      owned.add(new TestExplorer({ ...options, createController })),
    ));
  const look = (found: boolean) => {
    if (found) load().catch(logged("Loading the tests of crews"));
  };
  owned.add(vscode.workspace.onDidOpenTextDocument(({ uri }) => look(isRequestFile(uri))));
  return {
    /** Once nothing else needs the processor. */
    begin() {
      const pattern = `**/*${requestFileEnding}`;
      vscode.workspace
        .findFiles(pattern, undefined, 1)
        .then(({ length }) => look(length > 0), logged("Looking for tests of crews"));
    },
    record: async (argument: unknown) => (await load()).record(argument),
    openAsExecution: async (argument: unknown) => (await load()).openAsExecution(argument),
    async cases(file: string, numbers: readonly number[] | undefined) {
      const { casesOf, programOf } = await import("./command.ts");
      const program = programOf(options.extension);
      return await casesOf({ program, cwd: path.dirname(file) }, file, numbers);
    },
    dispose: () => owned.dispose(),
  };
}
