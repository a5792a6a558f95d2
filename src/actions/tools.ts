import * as vscode from "vscode";
import { type AnswerParts, giveFeedbackTool } from "./answer.ts";
import type { Senders } from "../sending/senders.ts";
import { kickoffTool } from "./kickoff.ts";
import { markdownOf } from "./question.ts";
import {
  getExecutionTool,
  listCrewsTool,
  listExecutionsTool,
  type ReadingParts,
} from "./reading-tools.ts";
import { type StopParts, stopTool } from "./stop.ts";
import type { Tool } from "./tool.ts";

export interface ToolParts extends ReadingParts {
  readonly crews: ReadingParts["crews"] &
    StopParts["crews"] &
    Parameters<typeof kickoffTool>[0]["crews"];
  readonly feedback: AnswerParts["feedback"];
  readonly sending: Pick<Senders, "send" | "stop">;
}

export class Tools {
  readonly #tools: Readonly<Record<string, Tool>>;

  constructor(parts: ToolParts) {
    this.#tools = {
      crewdeck_listCrews: listCrewsTool(parts),
      crewdeck_kickOff: kickoffTool(parts),
      crewdeck_listExecutions: listExecutionsTool(parts),
      crewdeck_getExecution: getExecutionTool(parts),
      crewdeck_giveFeedback: giveFeedbackTool(parts),
      crewdeck_stopExecution: stopTool(parts),
    };
  }

  async prepare(name: string, input: unknown, signal: AbortSignal) {
    const { progress, question } = await this.#get(name).prepare(input, signal);
    if (question === undefined) return { invocationMessage: progress };
    // The person may skip this confirmation in the chat; Crewdeck's dialog follows.
    const safe = vscode.l10n.t(
      "Crewdeck asks again in a dialog before anything is sent, so “Always Allow” is safe here.",
    );
    const message = new vscode.MarkdownString(`${safe}\n\n${markdownOf(question)}`);
    return {
      invocationMessage: progress,
      confirmationMessages: { title: question.title, message },
    };
  }

  async invoke(name: string, input: unknown, signal: AbortSignal) {
    const text = await this.#get(name).invoke(input, signal);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  #get(name: string): Tool {
    const tool = this.#tools[name];
    if (tool === undefined) throw new Error(`The manifest's tool ${name} has no code.`);
    return tool;
  }
}
