import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import type { Tools } from "./all.ts";
import type { ToolParts } from "./parts.ts";

/**
 * Registers the tools for language models that the manifest names. What they need is loaded when the first of them is used. What
 * is wrong is handed back to the model in words.
 */
export function registerTools(
  { extension }: Pick<vscode.ExtensionContext, "extension">,
  parts: ToolParts,
): vscode.Disposable {
  let loading: Promise<Tools> | undefined;
  const load = () =>
    (loading ??= import("./all.ts").then(({ Tools: Loaded }) => new Loaded(parts)));
  return vscode.Disposable.from(
    ...contributedBy(extension).map((name) =>
      vscode.lm.registerTool<unknown>(name, {
        prepareInvocation: ({ input }, token) =>
          told(name, token, async (signal) => (await load()).prepare(name, input, signal)),
        invoke: ({ input }, token) =>
          told(name, token, async (signal) => (await load()).invoke(name, input, signal)),
      }),
    ),
  );
}

/** Does something for a model; what it throws is logged, and handed on as words alone. */
async function told<Made>(
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

function contributedBy({ packageJSON }: vscode.Extension<unknown>): readonly string[] {
  // The extension's own manifest, which VS Code has read and a host test compares with the tools.
  const manifest = packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  return manifest.contributes.languageModelTools.map(({ name }) => name);
}
