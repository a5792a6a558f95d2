import assert from "node:assert/strict";
import * as vscode from "vscode";
import { waitFor } from "../support/wait.ts";

export interface ProviderRequest {
  readonly model: vscode.LanguageModelChatInformation;
  readonly messages: readonly vscode.LanguageModelChatRequestMessage[];
  readonly options: vscode.ProvideLanguageModelChatResponseOptions;
  readonly progress: vscode.Progress<vscode.LanguageModelResponsePart>;
  readonly token: vscode.CancellationToken;
}

interface Provider {
  answer: ((request: ProviderRequest) => Promise<void>) | undefined;
  offer(ids: readonly string[]): void;
}

export const vendor = "crewdeck-test";

/** Lets the test extension provide models to VS Code, which answer as `answer` says. */
export async function provideModels(
  ids: readonly string[],
  answer: (request: ProviderRequest) => Promise<void> | void,
): Promise<void> {
  const extension = vscode.extensions.getExtension<Provider>("crewdeck-test.model-provider");
  assert.ok(extension, "The test extension is not in this window.");
  const provider = await extension.activate();
  provider.answer = async (request) => answer(request);
  provider.offer(ids);
  await waitFor("VS Code to know the models", async () => {
    const known = await vscode.lm.selectChatModels({ vendor });
    return known.length === ids.length && known.every(({ id }) => ids.includes(id));
  });
}

export function textIn({
  content,
}: Pick<vscode.LanguageModelChatRequestMessage, "content">): string {
  return content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelToolCallPart)
        return `call ${part.callId} ${part.name} ${JSON.stringify(part.input)}`;
      if (part instanceof vscode.LanguageModelToolResultPart)
        return `result ${part.callId} ${textIn(part)}`;
      return "?";
    })
    .join(" | ");
}
