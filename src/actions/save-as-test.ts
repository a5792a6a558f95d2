import path from "node:path";
import * as vscode from "vscode";
import { UserError } from "../base/errors.ts";
import { defined, laidOutJson } from "../base/json.ts";
import type { Crews } from "../crews/crews.ts";
import type { Execution } from "../executions/model.ts";
import { freeUri } from "../kickoff/request-files/files.ts";
import { requestFileEnding, suggestFileName } from "../kickoff/request-files/name.ts";
import { projectRoot } from "../projects/pyproject.ts";
import type { Asker } from "./asker.ts";
import { firstTest } from "./execution-data.ts";
import type { Targets } from "./targets.ts";

export interface TestParts {
  readonly targets: Targets;
  readonly crews: Pick<Crews, "client" | "ready">;
}

/** Writes a test with its recording into the folder `tests` of the crew's project, and returns its URI. A person gets it opened. */
export function saveAsTestVerb({ targets, crews }: TestParts) {
  return targets.onExecution(
    async (execution, _argument, { isPerson }: Asker) => {
      const { local } = await crews.ready(execution.crew);
      const folder = vscode.Uri.parse(local?.folder ?? "");
      if (folder.scheme !== "file")
        throw new UserError(
          vscode.l10n.t(
            "Nothing is saved for “{0}”, because each update of Crewdeck replaces its folder. Serve a project of your own.",
            execution.crew.name,
          ),
        );
      const client = await crews.client(execution.crew);
      const recording = await client.recording(execution.kickoffIds.at(-1) ?? "");
      const tests = path.join(await projectRoot(folder.fsPath), "tests");
      const crew = crewIn(tests, folder.fsPath, local?.crewClass);
      const text = laidOutJson(defined({ crew, ...firstTest(execution, recording) }));
      const test = await freeUri(vscode.Uri.file(tests), nameFor(execution));
      const write = (ending: string, content: string) =>
        vscode.workspace.fs.writeFile(
          test.with({ path: test.path.replace(requestFileEnding, ending) }),
          new TextEncoder().encode(content),
        );
      await write(".recording.jsonl", recording);
      await write(requestFileEnding, `${text}\n`);
      if (isPerson) await vscode.window.showTextDocument(test, { preview: false });
      return test.toString();
    },
    ["saveAsTest"],
  );
}

/** Undefined if it is the only crew of the project. */
function crewIn(tests: string, folder: string, crewClass: string | undefined): string | undefined {
  const steps = path.relative(tests, folder).replaceAll(path.sep, "/");
  if (crewClass !== undefined) return `${steps}#${crewClass}`;
  return steps === ".." ? undefined : steps;
}

function nameFor({ crew, label, request }: Execution): string {
  const named = label === undefined ? (request?.inputs ?? {}) : { label };
  return suggestFileName(Object.keys(named).length > 0 ? "" : crew.name, named);
}
