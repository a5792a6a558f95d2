import * as vscode from "vscode";
import { plainMessage } from "../editor/messages.ts";
import { LostSecretsError } from "../sending/errors.ts";
import type { FeedbackResult, FeedbackSender, FeedbackToSend } from "../sending/feedback.ts";

/** Sends feedback, and asks first where the secrets of its callbacks are lost. Rejects with {@link LostSecretsError} where the person then does not want it sent. */
export async function sendAskingAboutSecrets(
  sender: Pick<FeedbackSender, "send">,
  feedback: FeedbackToSend,
): Promise<FeedbackResult> {
  try {
    return await sender.send(feedback);
  } catch (error) {
    if (!(error instanceof LostSecretsError) || !(await askWithout(error.addresses))) throw error;
    return await sender.send({ ...feedback, withoutSecrets: true });
  }
}

async function askWithout(addresses: readonly string[]): Promise<boolean> {
  const without = vscode.l10n.t("Send Without It");
  const hosts = [
    ...new Set(
      addresses.map((address) => (URL.canParse(address) ? new URL(address).host : address)),
    ),
  ].join(", ");
  const detail = plainMessage(
    vscode.l10n.t(
      "The execution was started with a callback to {0} that needs a secret, which this machine's secret storage does not give back. Without it the callback is called without authentication, and its receiver may refuse it.",
      hosts,
    ),
  );
  return (
    (await vscode.window.showWarningMessage(
      vscode.l10n.t("Send the feedback without the callback's secret?"),
      { modal: true, detail },
      without,
    )) === without
  );
}
