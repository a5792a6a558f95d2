import * as vscode from "vscode";
import type { Crews } from "../../crews/crews.ts";
import { RequestFileCompletion } from "./completion.ts";
import { RequestFileDiagnostics } from "./diagnostics.ts";
import { RequestFiles, type RequestFilesOptions } from "./request-files.ts";

/** What is loaded with the first request file that somebody looks at or uses. */
export interface RequestFilesRoom {
  readonly files: RequestFiles;
  readonly completion: RequestFileCompletion;
  /** Ends all of it. */
  dispose(): void;
}

/** Opens the room: what is wrong with request files is marked from now on. */
export function openRoom(
  crews: Crews,
  options: Omit<RequestFilesOptions, "crews" | "onLearnt" | "isTrusted">,
): RequestFilesRoom {
  const diagnostics = new RequestFileDiagnostics(crews);
  const onLearnt = () => diagnostics.refresh();
  return {
    files: new RequestFiles({
      ...options,
      crews,
      onLearnt,
      isTrusted: () => vscode.workspace.isTrusted,
    }),
    completion: new RequestFileCompletion({ crews, onLearnt }),
    dispose: () => diagnostics.dispose(),
  };
}
