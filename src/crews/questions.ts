import * as vscode from "vscode";
import { normaliseAddress } from "../api/address.ts";
import { CrewApiError } from "../api/errors.ts";
import type { TokenType } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { withProgress } from "../editor/messages.ts";
import { askChoice, askText, type Reply } from "./ask.ts";
import type { AfterFailure, Position } from "./conversation.ts";
import { describeTokenProblem, tokenIn, tokenTypeName } from "./token-format.ts";
import type { TokenState } from "./types.ts";

/** The vendor's dashboard (deployment guide), for a crew without a dashboard address. */
const dashboard = "https://app.crewai.com";

interface Base {
  readonly title: string;
  readonly position?: Position;
}

/** The reply isn't normalised; it is valid unless the person went back or cancelled. */
export function askAddress(question: Base & { readonly value: string }): Promise<Reply<string>> {
  return askText({
    ...question,
    prompt: vscode.l10n.t(
      "Address of the crew, shown on the crew's page in the dashboard. A pasted …/kickoff address also works.",
    ),
    placeholder: "https://my-travel-crew.crewai.com",
    validate: checkAddress,
    link: { tooltip: vscode.l10n.t("Open the Dashboard"), address: dashboard },
  });
}

/** @param question `crew` is its name in quotation marks, or its host */
export async function askToken(
  question: Base & {
    readonly crew: string;
    readonly type?: TokenType | undefined;
    readonly value: string;
    readonly dashboardUrl?: string | undefined;
    readonly why?: string;
  },
): Promise<Reply<string>> {
  const what =
    question.type === undefined
      ? vscode.l10n.t("Token for {0}.", question.crew)
      : vscode.l10n.t("{0} for {1}.", tokenTypeName(question.type), question.crew);
  const where = `${what} ${vscode.l10n.t("It is in the Status tab of the crew's page in the dashboard, and is stored only in this machine's secret storage.")}`;
  const reply = await askText({
    ...question,
    prompt: question.why === undefined ? where : `${question.why} ${where}`,
    placeholder:
      question.type === undefined
        ? vscode.l10n.t("Bearer Token or User Bearer Token")
        : tokenTypeName(question.type),
    password: true,
    validate: (text) => describeTokenProblem(tokenIn(text)),
    link: {
      tooltip: vscode.l10n.t("Open the Dashboard"),
      address: question.dashboardUrl ?? dashboard,
    },
  });
  return { ...reply, value: tokenIn(reply.value) };
}

export function askTokenType(
  question: Base & { readonly active: TokenType; readonly state?: TokenState },
): Promise<Reply<TokenType | undefined>> {
  const { state } = question;
  const stored = (type: TokenType) => {
    if (state?.kind !== "stored") return {};
    return {
      description:
        type === state.inUse
          ? vscode.l10n.t("stored, in use")
          : state.types.includes(type)
            ? vscode.l10n.t("stored")
            : vscode.l10n.t("none stored"),
    };
  };
  return askChoice<TokenType>({
    ...question,
    placeholder: vscode.l10n.t("Which type of token is it? The dashboard shows it."),
    choices: [
      {
        value: "bearer",
        label: tokenTypeName("bearer"),
        ...stored("bearer"),
        detail: vscode.l10n.t("The organisation's token, with all rights."),
      },
      {
        value: "userBearer",
        label: tokenTypeName("userBearer"),
        ...stored("userBearer"),
        detail: vscode.l10n.t("A user's token, with fewer rights."),
      },
    ],
  });
}

export function askName(
  question: Base & { readonly value: string; problem(name: string): string | undefined },
): Promise<Reply<string>> {
  return askText({
    ...question,
    prompt: vscode.l10n.t("Name of the crew in Crewdeck."),
    validate: (text) =>
      text.trim() === ""
        ? vscode.l10n.t("Enter a name for the crew.")
        : question.problem(text.trim()),
  });
}

function checkAddress(text: string): string | { readonly note: string } | undefined {
  try {
    const address = normaliseAddress(text);
    return address === text.trim()
      ? undefined
      : { note: vscode.l10n.t("Connects to {0}", address) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The crew may be right but unreachable for now, so saving it without a test is offered. */
const outOfReach: readonly string[] = ["unreachable", "timeout", "gateway"];

/** The questions that can be asked again after a failed test. */
export interface Edits<Step> {
  readonly address?: Step;
  readonly token?: Step;
  /** Offered if saving failed, since the name may be taken by now. */
  readonly name?: Step;
  /** Asked again when the person cancelled the test. */
  readonly last: Step;
}

/** Shows why a crew could not be tested or saved, and asks what to do; the most helpful button is first. */
export async function askAfterFailure<Step>(
  error: unknown,
  title: string,
  edits: Edits<Step>,
): Promise<AfterFailure<Step>> {
  if (error instanceof CrewApiError && error.kind === "aborted") return { edit: edits.last };
  const edit = (label: string, step: Step | undefined): readonly Remedy<Step>[] =>
    step === undefined ? [] : [{ title: label, then: { edit: step } }];
  const again: readonly Remedy<Step>[] = [{ title: vscode.l10n.t("Try Again"), then: "again" }];
  const address = edit(vscode.l10n.t("Edit Address"), edits.address);
  const token = edit(vscode.l10n.t("Edit Token"), edits.token);
  const name = error instanceof UserError ? edit(vscode.l10n.t("Edit Name"), edits.name) : [];
  const untested: readonly Remedy<Step>[] =
    error instanceof CrewApiError && outOfReach.includes(error.kind)
      ? [{ title: vscode.l10n.t("Save Anyway"), then: "untested" }]
      : [];
  const choices = {
    token: [...token, ...address, ...again, ...name, ...untested],
    address: [...address, ...token, ...again, ...name, ...untested],
    passing: [...again, ...address, ...token, ...name, ...untested],
  }[helpedBy(error)];
  const chosen = await vscode.window.showErrorMessage(
    title,
    { modal: true, detail: messageOf(error) },
    ...choices.map((choice) => choice.title),
  );
  return choices.find((choice) => choice.title === chosen)?.then ?? "cancel";
}

interface Remedy<Step> {
  readonly title: string;
  readonly then: AfterFailure<Step>;
}

function helpedBy(error: unknown): "token" | "address" | "passing" {
  if (!(error instanceof CrewApiError)) return "passing";
  if (error.kind === "unauthorized" || error.kind === "forbidden") return "token";
  return ["notFound", "badAnswer", "badRequest", "redirected"].includes(error.kind) ||
    error.reason === "dns"
    ? "address"
    : "passing";
}

/** Shows a notification with a Cancel button during a test. */
export function whileTesting<T>(
  what: string,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withProgress(vscode.l10n.t("Testing {0}", what), ({ signal }) => action(signal));
}
