import * as vscode from "vscode";
import { normaliseAddress } from "../api/address.ts";
import { CrewApiError } from "../api/errors.ts";
import type { TokenType } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { plainMessage, withProgress } from "../editor/messages.ts";
import type { AfterFailure, Left, Position } from "./conversation.ts";
import { describeTokenProblem, tokenIn } from "./pasted-token.ts";
import { tokenTypeName, tokenTypes } from "./token-format.ts";
import type { TokenState } from "./types.ts";

/** The vendor's dashboard (deployment guide). */
const dashboard = "https://app.crewai.com";

export interface Question {
  readonly title: string;
  readonly position?: Position;
}

interface TextQuestion extends Question {
  readonly prompt: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** An error keeps the input open, a note doesn't. */
  validate(text: string): string | { readonly note: string } | undefined;
  readonly dashboardUrl?: string;
}

interface Reply<T> {
  readonly left: Left;
  readonly value: T;
}

/** Shows an input box that stays open when it loses focus. */
export function askText(question: TextQuestion): Promise<Reply<string>> {
  return new Promise((resolve) => {
    const { dashboardUrl } = question;
    const box = vscode.window.createInputBox();
    const link: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon("link-external"),
      tooltip: vscode.l10n.t("Open the Dashboard"),
    };
    prepare(box, question, dashboardUrl === undefined ? [] : [link]);
    box.prompt = plainMessage(question.prompt);
    box.placeholder = question.placeholder;
    box.password = question.password ?? false;
    box.value = question.value;
    const check = (): boolean => {
      const found = question.validate(box.value);
      box.validationMessage =
        typeof found === "object"
          ? { message: plainMessage(found.note), severity: vscode.InputBoxValidationSeverity.Info }
          : found && plainMessage(found);
      return typeof found !== "string";
    };
    const leave = (left: Left) => {
      resolve({ left, value: box.value });
      box.dispose();
    };
    box.onDidChangeValue((text) => {
      if (text === "") box.validationMessage = undefined;
      else check();
    });
    box.onDidAccept(() => {
      if (check()) leave("next");
    });
    box.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) leave("back");
      else if (dashboardUrl !== undefined)
        void vscode.env.openExternal(vscode.Uri.parse(dashboardUrl));
    });
    box.onDidHide(() => leave("cancel"));
    if (box.value !== "") check();
    box.show();
  });
}

type Choice<T> = vscode.QuickPickItem & { readonly value: T };

export function askChoice<T>(
  question: Question & {
    readonly placeholder: string;
    readonly choices: readonly Choice<T>[];
    readonly active?: T;
  },
): Promise<Reply<T | undefined>> {
  return new Promise((resolve) => {
    const list = vscode.window.createQuickPick<Choice<T>>();
    prepare(list, question, []);
    list.placeholder = question.placeholder;
    list.items = question.choices;
    const active = question.choices.filter(({ value }) => value === question.active);
    if (active.length > 0) list.activeItems = active;
    const leave = (left: Left, value?: T) => {
      resolve({ left, value });
      list.dispose();
    };
    list.onDidAccept(() => {
      const [chosen] = list.selectedItems;
      if (chosen !== undefined) leave("next", chosen.value);
    });
    list.onDidTriggerButton(() => leave("back"));
    list.onDidHide(() => leave("cancel"));
    list.show();
  });
}

function prepare(
  input: vscode.QuickInput & { buttons: readonly vscode.QuickInputButton[] },
  { title, position }: Question,
  buttons: readonly vscode.QuickInputButton[],
): void {
  input.title = title;
  input.ignoreFocusOut = true;
  if (position !== undefined && position.total > 1) {
    input.step = position.step;
    input.totalSteps = position.total;
  }
  input.buttons =
    position?.canGoBack === true ? [vscode.QuickInputButtons.Back, ...buttons] : buttons;
}

/** The reply isn't normalised; it is valid only with `next`. */
export function askAddress(
  question: Question & { readonly value: string },
): Promise<Reply<string>> {
  return askText({
    ...question,
    prompt: vscode.l10n.t(
      "Address of the crew, from its page in the dashboard or from whoever runs its server. A pasted …/kickoff address also works.",
    ),
    placeholder: "https://my-travel-crew.crewai.com",
    validate(text) {
      const problem = problemOf(() => normaliseAddress(text));
      if (problem !== undefined) return problem;
      const address = normaliseAddress(text);
      return address === text.trim()
        ? undefined
        : { note: vscode.l10n.t("Connects to {0}", address) };
    },
    dashboardUrl: dashboard,
  });
}

/** `crew`: its name in quotation marks, or its host; `why` explains the question. */
export async function askToken({
  crew: whose,
  type,
  why,
  dashboardUrl = dashboard,
  ...question
}: Question & {
  readonly crew: string;
  readonly type?: TokenType;
  readonly value: string;
  readonly dashboardUrl?: string | undefined;
  readonly why?: string | undefined;
}): Promise<Reply<string>> {
  const what =
    type === undefined
      ? vscode.l10n.t("Token for {0}.", whose)
      : vscode.l10n.t("{0} for {1}.", tokenTypeName(type), whose);
  const where = vscode.l10n.t(
    "It is in the Status tab of the crew's page in the dashboard, or comes from whoever runs its server. It is stored only in this machine's secret storage.",
  );
  const reply = await askText({
    ...question,
    prompt: [...(why === undefined ? [] : [why]), what, where].join(" "),
    placeholder:
      type === undefined ? vscode.l10n.t("Bearer Token or User Bearer Token") : tokenTypeName(type),
    password: true,
    validate: (text) => describeTokenProblem(tokenIn(text)),
    dashboardUrl,
  });
  return { ...reply, value: tokenIn(reply.value) };
}

/** @param question `more`: what else can be chosen, above the types */
export function askTokenType<More extends string = never>({
  more = [],
  ...question
}: Question & {
  readonly active: TokenType;
  readonly state?: TokenState | undefined;
  readonly more?: readonly Choice<More>[];
}): Promise<Reply<TokenType | More | undefined>> {
  const { state } = question;
  const details = {
    bearer: vscode.l10n.t("The organisation's token, with all rights."),
    userBearer: vscode.l10n.t("A user's token, with fewer rights."),
  };
  const storedOf = (type: TokenType) => {
    if (state?.kind !== "stored") return "";
    if (type === state.inUse) return vscode.l10n.t("stored, in use");
    return state.types.includes(type) ? vscode.l10n.t("stored") : vscode.l10n.t("none stored");
  };
  const types = tokenTypes.map((value) => ({
    value,
    label: tokenTypeName(value),
    description: storedOf(value),
    detail: details[value],
  }));
  return askChoice<TokenType | More>({
    ...question,
    placeholder: vscode.l10n.t("Which type of token is it? The dashboard shows it."),
    choices: [...more, ...types],
  });
}

export function askName(
  question: Question & { readonly value: string },
  check: (name: string) => unknown,
): Promise<Reply<string>> {
  const prompt = vscode.l10n.t("Name of the crew in Crewdeck.");
  return askText({ ...question, prompt, validate: (text) => problemOf(() => check(text.trim())) });
}

export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

interface Edits<Step> {
  readonly address?: Step;
  readonly token?: Step;
  /** Offered if saving failed: the name may exist by now. */
  readonly name?: Step;
  /** Asked again when the person cancels the test. */
  readonly last: Step;
  /** Continues without the test, whatever failed. */
  readonly canSkip?: true;
}

export async function askAfterFailure<Step>(
  error: unknown,
  title: string,
  edits: Edits<Step>,
): Promise<AfterFailure<Step>> {
  const kind = error instanceof CrewApiError ? error.kind : undefined;
  if (kind === "aborted") return { edit: edits.last };
  // A label that is added again keeps its place; the first is the default.
  const buttons = new Map<string, AfterFailure<Step>>();
  const add = (label: string, step: Step | undefined) =>
    step !== undefined && buttons.set(label, { edit: step });
  const addToken = () => add(vscode.l10n.t("Edit Token"), edits.token);
  const addAgain = () => buttons.set(vscode.l10n.t("Try Again"), "again");
  if (kind === "unauthorized" || kind === "forbidden") addToken();
  else if (!mayBeAddress(error)) addAgain();
  add(vscode.l10n.t("Edit Address"), edits.address);
  addToken();
  addAgain();
  if (error instanceof UserError) add(vscode.l10n.t("Edit Name"), edits.name);
  // The address may be right.
  if (edits.canSkip) buttons.set(vscode.l10n.t("Continue Anyway"), "untested");
  else if (kind === "unreachable" || kind === "timeout" || kind === "gateway")
    buttons.set(vscode.l10n.t("Save Anyway"), "untested");
  const chosen = await vscode.window.showErrorMessage(
    title,
    { modal: true, detail: messageOf(error) },
    ...buttons.keys(),
  );
  return (chosen === undefined ? undefined : buttons.get(chosen)) ?? "cancel";
}

function mayBeAddress(error: unknown): boolean {
  return (
    error instanceof CrewApiError &&
    (["notFound", "badAnswer", "badRequest", "redirected"].includes(error.kind) ||
      error.reason === "dns")
  );
}

export function whileTesting<T>(what: string, action: (signal: AbortSignal) => Promise<T>) {
  return withProgress(vscode.l10n.t("Testing {0}", what), action);
}
