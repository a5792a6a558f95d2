import type * as vscode from "vscode";
import type { ExecutionSummary } from "../executions/model.ts";

/** A place in an execution's document where a person is asked for feedback. */
export interface FeedbackPlace {
  readonly execution: ExecutionSummary;
  /** The task that waits; absent where the crew does not tell which. */
  readonly taskId?: string;
  /** Counts from 0. */
  readonly line: number;
}

/** Finds the place in an open document. The documents belong to the views; feedback only asks. */
export type FindPlace = (document: vscode.TextDocument) => FeedbackPlace | undefined;

/** The execution whose own document this is, also where nothing waits in it; not that of one of its outputs. */
export type FindExecution = (document: vscode.TextDocument) => ExecutionSummary | undefined;
