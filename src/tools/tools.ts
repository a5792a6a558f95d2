import * as vscode from "vscode";
import { markdownOf } from "./confirmation.ts";
import { giveFeedbackTool } from "./give-feedback.ts";
import { kickOffTool } from "./kick-off.ts";
import { getExecutionTool, listCrewsTool, listExecutionsTool } from "./reading.ts";
import { stopTool } from "./stop.ts";
import type { Tool, ToolParts } from "./tool.ts";

export class Tools {
  readonly #tools: Readonly<Record<string, Tool>>;

  constructor(parts: ToolParts) {
    this.#tools = {
      crewdeck_listCrews: listCrewsTool(parts),
      crewdeck_kickOff: kickOffTool(parts),
      crewdeck_listExecutions: listExecutionsTool(parts),
      crewdeck_getExecution: getExecutionTool(parts),
      crewdeck_giveFeedback: giveFeedbackTool(parts),
      crewdeck_stopExecution: stopTool(parts),
    };
  }

  async prepare(name: string, input: unknown, signal: AbortSignal) {
    const { progress, confirmation } = await this.#get(name).prepare(input, signal);
    if (confirmation === undefined) return { invocationMessage: progress };
    // The person may skip this confirmation in the chat; Crewdeck's dialog follows.
    const safe = vscode.l10n.t(
      "Crewdeck asks again in a dialog before anything is sent, so “Always Allow” is safe here.",
    );
    const message = new vscode.MarkdownString(`${safe}\n\n${markdownOf(confirmation)}`);
    return {
      invocationMessage: progress,
      confirmationMessages: { title: confirmation.title, message },
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
