import * as vscode from "vscode";
import { messageOf } from "../base/errors.ts";
import { logProblem } from "../editor/log.ts";
import type { Tools } from "./all.ts";
import type { ToolParts } from "./tool.ts";

/**
 * Registers the manifest's tools for language models. Their code is loaded with the first use. Errors are returned to the
 * model as text.
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
          reported(name, token, async (signal) => (await load()).prepare(name, input, signal)),
        invoke: ({ input }, token) =>
          reported(name, token, async (signal) => (await load()).invoke(name, input, signal)),
      }),
    ),
  );
}

/** Logs an error and rethrows its message only. */
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

function contributedBy({ packageJSON }: vscode.Extension<unknown>): readonly string[] {
  // A host test compares the manifest with the tools.
  const manifest = packageJSON as {
    readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
  };
  return manifest.contributes.languageModelTools.map(({ name }) => name);
}
