import * as vscode from "vscode";
import { markdownOf, type Confirmation } from "./confirmation.ts";
import { getExecutionTool } from "./get-execution.ts";
import { giveFeedbackTool } from "./give-feedback.ts";
import { kickOffTool } from "./kick-off.ts";
import { listCrewsTool } from "./list-crews.ts";
import { listExecutionsTool } from "./list-executions.ts";
import type { ToolParts } from "./parts.ts";
import type { Tool } from "./tool.ts";

/** The tools of the manifest, by name. The module is loaded when one of them is used first. */
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

  /** What VS Code shows before and while a tool runs. Throws as {@link Tool.prepare}. */
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

  /** Does it, and returns what the model reads. Throws as {@link Tool.invoke}. */
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
      throw new Error(`The manifest has a tool that the code has not: ${name}.`);
    return tool;
  }
}

/** VS Code's own question in the chat. It is the person's to skip: the dialog that decides comes after it. */
function inChat(confirmation: Confirmation): string {
  return `${vscode.l10n.t("Crewdeck asks once more in a dialog before anything is sent, so allowing this here always is safe.")}\n\n${markdownOf(confirmation)}`;
}
