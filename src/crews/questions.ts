import * as vscode from "vscode";
import { normaliseAddress, shortAddress } from "../api/address.ts";
import { CrewApiError } from "../api/errors.ts";
import type { TokenType } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { withProgress } from "../editor/messages.ts";
import { askChoice, askText, type Box, type Choice, type Reply } from "./ask.ts";
import type { Crews } from "./crews.ts";
import { isSameOrigin, suggestName, uniqueName } from "./identity.ts";
import {
  describeTokenProblem,
  otherType,
  tokenIn,
  tokenTypeName,
  tokenTypes,
} from "./token-format.ts";
import type { Crew, CrewChange, TokenState } from "./types.ts";

/** The vendor's dashboard (deployment guide). */
const dashboard = "https://app.crewai.com";

export type Question = "url" | "token" | "tokenType" | "name" | "dashboardUrl";

export interface Draft {
  url: string;
  name: string;
  dashboardUrl: string;
  token: string;
  tokenType?: TokenType | undefined;
  /** A person chose the stored token of the type: none is entered. */
  isStored?: boolean;
}

/** Connecting a crew, changing it or giving it a token. */
interface Conversation {
  readonly crews: Crews;
  readonly title: string;
  readonly draft: Draft;
  readonly crew?: Crew;
  /** Its tokens, if one of them can be chosen. */
  readonly tokens?: TokenState;
  /** In order; read again after each answer. */
  readonly questions: () => readonly Question[];
}

type Left = Reply<unknown>["left"];

/** Undefined if the person cancels. An error keeps what was entered. */
export async function converse<Result>(
  conversation: Conversation,
  save: (isTested: boolean) => Promise<Result>,
): Promise<Result | undefined> {
  const { draft } = conversation;
  const answered = new Set<Question>();
  /** The address for which the token in the draft was typed. */
  let tokenUrl: string | undefined;
  for (;;) {
    const questions = conversation.questions();
    const index = questions.findIndex((question) => !answered.has(question));
    const question = questions[index];
    if (question === undefined) {
      const end = await insist(save, (error) => askAfterFailure(conversation, error, questions));
      if (end === "cancel") return undefined;
      if ("result" in end) return end.result;
      answered.delete(end.edit);
      continue;
    }
    const left = await ask(conversation, question, {
      ...{ step: index + 1, total: questions.length },
    });
    if (left === "cancel") return undefined;
    if (question === "token") tokenUrl = draft.url;
    if (question === "url" && tokenUrl !== undefined && !isSameOrigin(tokenUrl, draft.url)) {
      // It is never sent to another host.
      [draft.token, tokenUrl] = ["", undefined];
      answered.delete("token");
    }
    if (left === "next") answered.add(question);
    for (const before of left === "back" ? questions.slice(index - 1, index) : [])
      answered.delete(before);
  }
}

/** Until it succeeds, or the person edits something or gives up. */
async function insist<Result>(
  action: (isTested: boolean) => Promise<Result>,
  failed: (error: unknown) => Promise<AfterFailure>,
): Promise<{ readonly result: Result } | "cancel" | { readonly edit: Question }> {
  for (let next: AfterFailure = "again"; ;) {
    if (next === "cancel" || typeof next === "object") return next;
    try {
      return { result: await action(next !== "untested") };
    } catch (error) {
      next = await failed(error);
    }
  }
}

/** The crew with a changed part. @throws what is wrong with it */
function check({ crews, crew, draft, questions }: Conversation, part: CrewChange): Crew {
  if (crew !== undefined) return crews.checkChange(crew, part);
  const { url = draft.url } = part;
  const name = questions().includes("name") ? freeName(crews, url) : draft.name;
  return crews.checkNew({ url, name, ...part });
}

export function freeName(crews: Crews, url: string): string {
  const taken = crews.list().map(({ name }) => name);
  return uniqueName(suggestName(normaliseAddress(url)), taken);
}

async function ask(
  conversation: Conversation,
  question: Question,
  position: NonNullable<Box["position"]>,
): Promise<Left> {
  const { title, draft, crew } = conversation;
  const box = { title, position };
  const problemWith = (part: CrewChange) => {
    try {
      check(conversation, part);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  };
  const askPart = (part: "name" | "dashboardUrl", prompt: string, value: string) =>
    askText({
      ...{ ...box, prompt, value },
      validate: (text) => problemWith({ [part]: text.trim() }),
    });
  switch (question) {
    case "url":
      return askAddress(conversation, box, problemWith);
    case "name": {
      const suggested = check(conversation, {}).name;
      const prompt = vscode.l10n.t("Name of the crew in Crewdeck.");
      const shown = draft.name === "" ? suggested : draft.name;
      const { left, value } = await askPart(question, prompt, shown);
      // A name that was suggested for one address doesn't stay for another.
      draft.name = crew === undefined && value === suggested ? "" : value;
      return left;
    }
    case "dashboardUrl": {
      const prompt = vscode.l10n.t(
        "Address of the crew's page in the dashboard, for “Open Dashboard”. Leave it empty for none.",
      );
      const { left, value } = await askPart(question, prompt, draft.dashboardUrl);
      draft.dashboardUrl = value.trim();
      return left;
    }
    case "token": {
      const { left, value } = await askToken(conversation, box);
      draft.token = tokenIn(value);
      draft.isStored = false;
      return left;
    }
    case "tokenType":
      return askTokenType(conversation, box);
  }
}

/** Tests it at once, without a token, if a token is to be entered for it. */
async function askAddress(
  conversation: Conversation,
  box: Box,
  problemWith: (part: CrewChange) => string | undefined,
): Promise<Left> {
  const { crews, draft } = conversation;
  for (;;) {
    const { left, value } = await askText({
      ...box,
      prompt: vscode.l10n.t(
        "Address of the crew, from its page in the dashboard or from whoever runs its server. A pasted …/kickoff address also works.",
      ),
      placeholder: "https://my-travel-crew.crewai.com",
      value: draft.url,
      validate(text) {
        const problem = problemWith({ url: text });
        if (problem !== undefined) return problem;
        const url = normaliseAddress(text);
        return url === text.trim() ? undefined : { note: vscode.l10n.t("Connects to {0}", url) };
      },
      dashboardUrl: dashboard,
    });
    draft.url = value;
    if (left !== "next") return left;
    const url = (draft.url = normaliseAddress(value));
    if (!conversation.questions().includes("token")) return left;
    const end = await insist(
      async (isTested) => {
        if (isTested) await whileTesting(url, (signal) => crews.testAddress(url, signal));
      },
      (error) => askAfterFailure(conversation, error, ["url"], true),
    );
    if (end === "cancel") return end;
    if ("result" in end) return left;
  }
}

function askToken({ draft, crew }: Conversation, box: Box): Promise<Reply<string>> {
  const { tokenType: type, name, url } = draft;
  const whose = name === "" ? shortAddress(normaliseAddress(url)) : `“${name}”`;
  const what =
    type === undefined
      ? vscode.l10n.t("Token for {0}.", whose)
      : vscode.l10n.t("{0} for {1}.", tokenTypeName(type), whose);
  const where = vscode.l10n.t(
    "It is in the Status tab of the crew's page in the dashboard, or comes from whoever runs its server. It is stored only in this machine's secret storage.",
  );
  const why =
    crew === undefined || isSameOrigin(url, crew.url)
      ? []
      : vscode.l10n.t("The token for {0} is never sent to another host.", new URL(crew.url).host);
  return askText({
    ...box,
    prompt: [why, what, where].flat().join(" "),
    placeholder:
      type === undefined ? vscode.l10n.t("Bearer Token or User Bearer Token") : tokenTypeName(type),
    value: draft.token,
    password: true,
    validate: (text) => describeTokenProblem(tokenIn(text)),
    dashboardUrl: crew?.dashboardUrl ?? dashboard,
  });
}

/** Offers the stored token of the type that isn't in use, too. */
async function askTokenType({ draft, tokens }: Conversation, box: Box): Promise<Left> {
  const details = {
    bearer: vscode.l10n.t("The organisation's token, with all rights."),
    userBearer: vscode.l10n.t("A user's token, with fewer rights."),
  };
  const stored = tokens?.kind === "stored" ? tokens : undefined;
  const storedOf = (type: TokenType) => {
    if (stored === undefined) return "";
    if (type === stored.inUse) return vscode.l10n.t("stored, in use");
    return stored.types.includes(type) ? vscode.l10n.t("stored") : vscode.l10n.t("none stored");
  };
  const choices: Choice<{ type: TokenType; isStored: boolean }>[] = tokenTypes.map((type) => ({
    value: { type, isStored: false },
    label: tokenTypeName(type),
    description: storedOf(type),
    detail: details[type],
  }));
  const active = choices[draft.tokenType === "userBearer" ? 1 : 0]?.value;
  const other = stored && otherType(stored.inUse);
  if (other !== undefined && stored?.types.includes(other))
    choices.unshift({
      value: { type: other, isStored: true },
      label: vscode.l10n.t("Use {0}", tokenTypeName(other)),
      description: vscode.l10n.t("stored"),
    });
  const { left, value } = await askChoice({
    ...box,
    placeholder: vscode.l10n.t("Which type of token is it? The dashboard shows it."),
    choices,
    ...(active && { active }),
  });
  if (value !== undefined) [draft.tokenType, draft.isStored] = [value.type, value.isStored];
  return left;
}

type AfterFailure = "again" | "untested" | "cancel" | { readonly edit: Question };

/** @param asked what can be edited @param canSkip continues without the test, whatever failed */
async function askAfterFailure(
  { crew, draft: { url, name } }: Conversation,
  error: unknown,
  asked: readonly Question[],
  canSkip = false,
): Promise<AfterFailure> {
  const kind = error instanceof CrewApiError ? error.kind : undefined;
  const last = asked.at(-1);
  // The person cancelled the test.
  if (kind === "aborted" && last !== undefined) return { edit: last };
  // A label that is added again keeps its place; the first is the default.
  const buttons = new Map<string, AfterFailure>();
  const add = (label: string, question: Question) =>
    asked.includes(question) && buttons.set(label, { edit: question });
  // A stored token that can't be used is chosen again.
  const token = asked.includes("token") ? "token" : "tokenType";
  const addToken = () => add(vscode.l10n.t("Edit Token"), token);
  const addAgain = () => buttons.set(vscode.l10n.t("Try Again"), "again");
  if (kind === "unauthorized" || kind === "forbidden") addToken();
  else if (!mayBeAddress(error)) addAgain();
  add(vscode.l10n.t("Edit Address"), "url");
  addToken();
  addAgain();
  // The name may exist by now.
  if (error instanceof UserError) add(vscode.l10n.t("Edit Name"), "name");
  // The address may be right.
  if (canSkip) buttons.set(vscode.l10n.t("Continue Anyway"), "untested");
  else if (kind === "unreachable" || kind === "timeout" || kind === "gateway")
    buttons.set(vscode.l10n.t("Save Anyway"), "untested");
  const title =
    crew !== undefined
      ? vscode.l10n.t("“{0}” is not changed yet", crew.name)
      : name === ""
        ? vscode.l10n.t("{0} is not connected yet", url)
        : vscode.l10n.t("“{0}” is not connected yet", name);
  const options = { modal: true, detail: messageOf(error) };
  const chosen = await vscode.window.showErrorMessage(title, options, ...buttons.keys());
  return buttons.get(chosen ?? "") ?? "cancel";
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
