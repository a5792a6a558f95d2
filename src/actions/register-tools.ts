import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import { hasApi } from "../editor/missing-api.ts";
import type { ToolParts, Tools } from "./tools.ts";

const needed = ["lm.registerTool", "LanguageModelToolResult", "LanguageModelTextPart"];

/** Code is loaded with the first use. Errors are returned to the model as text. */
export function registerTools(
  parts: ToolParts & { readonly context: Pick<vscode.ExtensionContext, "extension"> },
): vscode.Disposable {
  if (!hasApi("Tools for language models", needed)) return new vscode.Disposable(() => undefined);
  const { contributes } = parts.context.extension.packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  let loading: Promise<Tools> | undefined;
  const load = () => (loading ??= import("./tools.ts").then((module) => new module.Tools(parts)));
  return vscode.Disposable.from(
    ...contributes.languageModelTools.map(({ name }) =>
      vscode.lm.registerTool<unknown>(name, {
        prepareInvocation: ({ input }, token) =>
          reported(name, token, async (signal) => (await load()).prepare(name, input, signal)),
        invoke: ({ input }, token) =>
          reported(name, token, async (signal) => (await load()).invoke(name, input, signal)),
      }),
    ),
  );
}

async function reported<Made>(
  name: string,
  token: vscode.CancellationToken,
  action: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const controller = new AbortController();
  const abort = () => controller.abort(new vscode.CancellationError());
  if (token.isCancellationRequested) abort();
  const subscription = token.onCancellationRequested(abort);
  try {
    return await action(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new vscode.CancellationError();
    logProblem(name, error);
    throw new Error(messageOf(error), { cause: error });
  } finally {
    subscription.dispose();
  }
}
