import * as vscode from "vscode";
import { normaliseAddress } from "../api/address.ts";
import type { TokenType } from "../api/types.ts";
import { askChoice, askText, type Reply } from "./ask.ts";
import type { Position } from "./conversation.ts";
import { tokenIn } from "./token-text.ts";
import { tokenTypeName } from "./token-words.ts";
import { describeTokenProblem } from "./tokens.ts";
import type { TokenState } from "./types.ts";

/** Where deployed crews are looked after (vendor's deployment guide), opened where a crew has no dashboard address of its own. */
const dashboard = "https://app.crewai.com";

/** What every question here needs. */
interface Base {
  readonly title: string;
  readonly position?: Position;
}

/** Asks for a crew's address; the reply is as typed, and can be normalised when it was left by "next". */
export function askAddress(question: Base & { readonly value: string }): Promise<Reply<string>> {
  return askText({
    ...question,
    prompt: vscode.l10n.t(
      "Address of the crew. It is shown on the crew's page in the dashboard; a pasted …/kickoff is fine.",
    ),
    placeholder: "https://my-travel-crew.crewai.com",
    validate: checkAddress,
    link: { tooltip: vscode.l10n.t("Open the Dashboard"), address: dashboard },
  });
}

/** Asks for a token, hidden while typed; the reply is the token alone. `crew` is its name in quotation marks, or its host while it has none. */
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
  const where = `${what} ${vscode.l10n.t("It is in the Status tab of the crew's page in the dashboard, and is kept in this machine's secret storage only.")}`;
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

/** Asks which of the two kinds a token is (specification, Authentication). */
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
    placeholder: vscode.l10n.t("Which kind of token is it? The dashboard names it."),
    choices: [
      {
        value: "bearer",
        label: tokenTypeName("bearer"),
        ...stored("bearer"),
        detail: vscode.l10n.t("The organisation's token: everything the crew can do."),
      },
      {
        value: "userBearer",
        label: tokenTypeName("userBearer"),
        ...stored("userBearer"),
        detail: vscode.l10n.t("One user's token, with fewer rights."),
      },
    ],
  });
}

/** Asks for a crew's name; `problem` says what is wrong with one. */
export function askName(
  question: Base & { readonly value: string; problem(name: string): string | undefined },
): Promise<Reply<string>> {
  return askText({
    ...question,
    prompt: vscode.l10n.t("Name of the crew, as you want to see it here."),
    validate: (text) =>
      text.trim() === "" ? vscode.l10n.t("The crew needs a name.") : question.problem(text.trim()),
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
