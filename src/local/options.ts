import type * as vscode from "vscode";
import type { ModelRoute } from "../base/window-protocol.ts";
import type { Crews } from "../crews/crews.ts";
import type { LocalEngine } from "../crews/types.ts";
import type { Database } from "../store/database.ts";
import type { Connection } from "./connection.ts";

/** Leads a crew's Python to the model that was chosen for the crew. */
interface CrewModels {
  choice(crewId: string): { readonly use: "project" | "vscode" | "endpoint" };
  route(crewId: string): Promise<ModelRoute>;
  follow(crewId: string, connection: Connection): void;
  offer(crewId: string): Promise<void>;
  forget(crewId: string): Promise<void>;
}

export interface LocalCrewsOptions {
  readonly crews: Crews;
  readonly database: Database;
  /** For the services' data; shared by all windows. */
  readonly storage: vscode.Uri;
  /** The extension's folder, with the service's program and the example crew. */
  readonly extension: vscode.Uri;
  /** Whether the crew's service is needed. */
  readonly hasOpenExecutions: (crewId: string) => boolean;
  /** Of a tracked execution. */
  readonly titleOf: (kickoffId: string) => string | undefined;
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
