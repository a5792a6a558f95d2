import * as vscode from "vscode";
import { markdownOf, type Confirmation } from "./confirmation.ts";
import { getExecutionTool } from "./get-execution.ts";
import { giveFeedbackTool } from "./give-feedback.ts";
import { kickOffTool } from "./kick-off.ts";
import { listCrewsTool } from "./list-crews.ts";
import { listExecutionsTool } from "./list-executions.ts";
import type { Tool, ToolParts } from "./tool.ts";

/** The manifest's tools, by name. Loaded with the first use of one. */
export class Tools {
  readonly #byName: ReadonlyMap<string, Tool>;

  constructor(parts: ToolParts) {
    this.#byName = new Map([
      ["crewdeck_listCrews", listCrewsTool(parts)],
      ["crewdeck_kickOff", kickOffTool(parts)],
      ["crewdeck_listExecutions", listExecutionsTool(parts)],
      ["crewdeck_getExecution", getExecutionTool(parts)],
      ["crewdeck_giveFeedback", giveFeedbackTool(parts)],
    ]);
  }

  /** Throws like {@link Tool.prepare}. */
  async prepare(
    name: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<vscode.PreparedToolInvocation> {
    const { progress: invocationMessage, confirmation } = await this.#get(name).prepare(
      input,
      signal,
    );
    if (confirmation === undefined) return { invocationMessage };
    return {
      invocationMessage,
      confirmationMessages: {
        title: confirmation.title,
        message: new vscode.MarkdownString(inChat(confirmation)),
      },
    };
  }

  /** Throws like {@link Tool.invoke}. */
  async invoke(
    name: string,
    input: unknown,
    signal: AbortSignal,
  ): Promise<vscode.LanguageModelToolResult> {
    return new vscode.LanguageModelToolResult([
      new vscode.LanguageModelTextPart(await this.#get(name).invoke(input, signal)),
    ]);
  }

  #get(name: string): Tool {
    const tool = this.#byName.get(name);
    if (tool === undefined)
      throw new Error(`The manifest has a tool that the code doesn't have: ${name}.`);
    return tool;
  }
}

/** VS Code's own confirmation in the chat, which the person may skip. Crewdeck's dialog follows. */
function inChat(confirmation: Confirmation): string {
  return `${vscode.l10n.t("Crewdeck asks again in a dialog before anything is sent, so “Always Allow” is safe here.")}\n\n${markdownOf(confirmation)}`;
}
