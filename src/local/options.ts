import type * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import type { LocalEngine } from "../crews/types.ts";
import type { Database } from "../store/database.ts";
import type { CrewModels } from "./kept-crew.ts";

export interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  /** For the services' data; shared by all windows. */
  readonly storage: vscode.Uri;
  /** The extension's folder, with the service's program and the example crew. */
  readonly extension: vscode.Uri;
  /** Whether the crew's service is needed. */
  readonly hasOpenExecutions: (crewId: string) => boolean;
  readonly models: () => Promise<CrewModels>;
}

export interface StartLocalCrew {
  /** Path or URI; otherwise the person chooses. */
  readonly folder?: string;
  /** One of several crews there. */
  readonly crewClass?: string;
  readonly engine?: LocalEngine;
  /** Called when the crew is known, before it starts. */
  readonly onChosen?: () => void;
  /** Starts the workspace's only crew project without a question. */
  readonly here?: boolean;
}
