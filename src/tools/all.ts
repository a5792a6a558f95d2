import * as vscode from "vscode";
import { Asked } from "./asked.ts";
import { markdownOf, plainOf, type Confirmation } from "./confirmation.ts";
import { getExecutionTool } from "./get-execution.ts";
import { giveFeedbackTool } from "./give-feedback.ts";
import { kickOffTool } from "./kick-off.ts";
import { listCrewsTool } from "./list-crews.ts";
import { listExecutionsTool } from "./list-executions.ts";
import type { ToolParts } from "./parts.ts";
import type { Tool } from "./tool.ts";

/** The tools of the manifest, by name, and what sees to it that a person is asked. The module is loaded when one of them is used first. */
export class Tools {
  readonly #asked: Asked;
  readonly #byName: ReadonlyMap<string, Tool>;

  /** @param isUnattended Whether the window runs tests: VS Code then confirms its own questions without showing them (observed). */
  constructor(parts: ToolParts, isUnattended = false) {
    const allowsByItself = () => isUnattended || vscode.workspace.getConfiguration("chat").get<unknown>("tools.global.autoApprove") === true;
    this.#asked = new Asked({ clock: parts.clock, allowsByItself, ask });
    this.#byName = new Map([
      ["crewdeck_listCrews", listCrewsTool(parts)],
      ["crewdeck_kickOff", kickOffTool(parts, this.#asked)],
      ["crewdeck_listExecutions", listExecutionsTool(parts)],
      ["crewdeck_getExecution", getExecutionTool(parts)],
      ["crewdeck_giveFeedback", giveFeedbackTool(parts, this.#asked)],
    ]);
  }

  /** What VS Code shows before and while a tool runs. Throws as {@link Tool.prepare}. */
  async prepare(name: string, input: unknown, signal: AbortSignal): Promise<vscode.PreparedToolInvocation> {
    const { progress: invocationMessage, confirmation } = await this.#get(name).prepare(input, signal);
    if (confirmation === undefined) return { invocationMessage };
    this.#asked.willShow(confirmation);
    return { invocationMessage, confirmationMessages: { title: confirmation.title, message: new vscode.MarkdownString(markdownOf(confirmation)) } };
  }

  /** Does it, and returns what the model reads. Throws as {@link Tool.invoke}. */
  async invoke(name: string, input: unknown, signal: AbortSignal): Promise<vscode.LanguageModelToolResult> {
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await this.#get(name).invoke(input, signal))]);
  }

  #get(name: string): Tool {
    const tool = this.#byName.get(name);
    if (tool === undefined) throw new Error(`The manifest has a tool that the code has not: ${name}.`);
    return tool;
  }
}

async function ask(confirmation: Confirmation): Promise<boolean> {
  const detail = `${vscode.l10n.t("A language model asks for this, and VS Code may have allowed it by itself.")}\n\n${plainOf(confirmation)}`;
  return (await vscode.window.showWarningMessage(confirmation.title, { modal: true, detail }, confirmation.allow)) === confirmation.allow;
}
