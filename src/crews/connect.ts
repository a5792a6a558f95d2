import * as vscode from "vscode";
import { normaliseAddress, shortAddress } from "../api/address.ts";
import { CrewApiError } from "../api/errors.ts";
import type { TokenType } from "../api/types.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { asObject, defined } from "../base/json.ts";
import { filledText, oneOf, read } from "../editor/arguments.ts";
import { plainMessage, showStatus, withProgress } from "../editor/messages.ts";
import type { Crews } from "./crews.ts";
import { editCrewAction } from "./errors.ts";
import { isSameOrigin, suggestName, uniqueName } from "./identity.ts";
import { describeTokenProblem, tokenIn, tokenTypeName, tokenTypes } from "./token-format.ts";
import type { Crew, CrewChange, TokenState } from "./types.ts";

type Question = "url" | "token" | "tokenType" | "name" | "dashboardUrl";

interface Draft {
  url: string;
  name: string;
  dashboardUrl: string;
  token: string;
  tokenType?: TokenType | undefined;
  /** A person chose the stored token of the type: none is entered. */
  isStored?: boolean;
}

interface Conversation {
  readonly crews: Crews;
  readonly title: string;
  readonly draft: Draft;
  readonly crew?: Crew;
  readonly tokens?: Extract<TokenState, { kind: "stored" }> | undefined;
  /** In order; read again after each answer. */
  readonly questions: () => readonly Question[];
}

const tokenMembers = { token: filledText, tokenType: oneOf(tokenTypes) };

/** @param raw `{name?, url?, token?, tokenType?}`; with `by: "link"`, only suggestions */
export async function connectCrew(crews: Crews, raw?: unknown): Promise<Crew | undefined> {
  const values = read({ name: filledText, url: filledText, ...tokenMembers }, raw);
  const isLink = asObject(raw)["by"] === "link";
  const given = isLink ? {} : values;
  const { name, url, token, tokenType } = given;
  if (url !== undefined) crews.checkNew({ name: name ?? freeName(crews, url), url });
  if (name !== undefined && url !== undefined && token !== undefined)
    return crews.add({ name, url, token, tokenType });
  const suggested = isLink ? defined({ name: values.name, url: values.url }) : {};
  const draft: Draft = { url: "", name: "", dashboardUrl: "", ...suggested, token: "", ...given };
  const questions: Question[] = [];
  if (url === undefined) questions.push("url");
  if (token === undefined) questions.push("token");
  // With name and address from a program, ask only for the token.
  if (tokenType === undefined && (name === undefined || url === undefined))
    questions.push("tokenType");
  if (name === undefined) questions.push("name");
  const title = vscode.l10n.t("Connect a Crew");
  return await converse({ crews, draft, title, questions: () => questions }, (isTested) =>
    whileTesting(draft.url, (signal) =>
      crews.add({ ...draft, name: nameIn(crews, draft) }, { untested: !isTested, signal }),
    ),
  );
}

/**
 * Asks for the rest. False if the person cancels.
 * @param raw `{crew, tokenType?, token?}`, or `{crew, use}` to use a stored token of that type
 */
export async function setToken(crews: Crews, crew: Crew, raw?: unknown): Promise<boolean> {
  const members = { ...tokenMembers, use: oneOf(tokenTypes) };
  const { token, tokenType, use: stored } = read(members, raw);
  const said = (type: TokenType) => {
    showStatus(vscode.l10n.t("“{0}” now uses {1}.", crew.name, tokenTypeName(type)));
    return true;
  };
  if (stored !== undefined) {
    await crews.useToken(crew, stored);
    return said(stored);
  }
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t("“{0}” runs on this machine and creates its own token.", crew.name),
    );
  if (token !== undefined) {
    const typed = { token, type: tokenType ?? "bearer" };
    await crews.test(crew.url, typed);
    await crews.setToken(crew.id, typed);
    return said(typed.type);
  }
  const state = await crews.tokenState(crew.id);
  const tokens = state.kind === "stored" ? state : undefined;
  const draft: Draft = { ...draftOf(crew), tokenType: tokenType ?? tokens?.inUse };
  const title = vscode.l10n.t("Token of “{0}”", crew.name);
  const questions = (): Question[] => {
    if (tokenType !== undefined) return ["token"];
    return draft.isStored === true ? ["tokenType"] : ["tokenType", "token"];
  };
  const isSet = await converse(
    { crews, crew, draft, tokens, title, questions },
    async (isTested) => {
      const typed = { token: draft.token, type: draft.tokenType ?? "bearer" };
      if (draft.isStored === true) await crews.useToken(crew, typed.type);
      else {
        if (isTested)
          await whileTesting(`“${crew.name}”`, (signal) => crews.test(crew.url, typed, signal));
        await crews.setToken(crew.id, typed);
      }
      return said(typed.type);
    },
  );
  return isSet ?? false;
}

function draftOf({ name, url, dashboardUrl = "" }: Crew): Draft {
  return { name, url, dashboardUrl, token: "" };
}

export async function editCrew(crews: Crews, crew: Crew): Promise<Crew | undefined> {
  crews.checkChange(crew, {});
  const title = vscode.l10n.t("Edit “{0}”", crew.name);
  const draft = draftOf(crew);
  // A token is kept for the same origin only.
  const isElsewhere = () => !isSameOrigin(draft.url, crew.url);
  const questions = (): Question[] => [
    "url",
    ...(isElsewhere() ? (["tokenType", "token"] as const) : []),
    "name",
    "dashboardUrl",
  ];
  return converse({ crews, crew, draft, title, questions }, async (isTested) => {
    const { url, dashboardUrl, tokenType = "bearer" } = draft;
    const typed = isElsewhere() ? { token: draft.token, type: tokenType } : undefined;
    const token = typed ?? (await crews.token(crew.id));
    if (isTested && url !== crew.url && token !== undefined)
      await whileTesting(url, (signal) => crews.test(url, token, signal));
    const name = draft.name.trim() === "" ? crew.name : draft.name;
    return crews.change(crew, { name, url, dashboardUrl, ...defined({ token: typed }) });
  });
}

/** Undefined if the person cancels. An error keeps what was entered. */
async function converse<Result>(
  { crews, title, draft, crew, tokens, questions }: Conversation,
  save: (isTested: boolean) => Promise<Result>,
): Promise<Result | undefined> {
  const answered = new Set<Question>();
  let isTested = true;
  for (;;) {
    const question = questions().find((each) => !answered.has(each));
    if (question === undefined)
      try {
        return await save(isTested);
      } catch (error) {
        const next = await askAfterFailure(error);
        if (next === undefined) return undefined;
        isTested = next !== "untested";
        if (next !== "again" && next !== "untested") answered.delete(next);
        continue;
      }
    const { url } = draft;
    if (!(await ask(question))) return undefined;
    answered.add(question);
    if (answered.has("token") && !isSameOrigin(url, draft.url)) {
      // It is never sent to another host.
      draft.token = "";
      answered.delete("token");
    }
  }

  /** What to do after a failure: something is edited, or it is tried again. Undefined if the person gives up. */
  async function askAfterFailure(
    error: unknown,
  ): Promise<Question | "again" | "untested" | undefined> {
    const kind = error instanceof CrewApiError ? error.kind : "";
    if (kind === "aborted") return undefined;
    const asked = questions();
    // A stored token that can't be used is chosen again.
    const token = (["token", "tokenType"] as const).find((each) => asked.includes(each));
    const address = asked.includes("url") ? "url" : undefined;
    const edits = [
      [vscode.l10n.t("Edit Token"), token],
      [vscode.l10n.t("Edit Address"), address],
    ] as const;
    const again = [vscode.l10n.t("Try Again"), "again"] as const;
    const isRefused = kind === "unauthorized" || kind === "forbidden";
    const buttons = new Map([
      ...(isRefused ? [...edits, again] : [again, ...edits.toReversed()]),
      // The address may be right.
      ...(["unreachable", "timeout", "gateway"].includes(kind)
        ? [[vscode.l10n.t("Save Anyway"), "untested"] as const]
        : []),
    ]);
    const failure =
      crew !== undefined
        ? vscode.l10n.t("“{0}” is not changed yet", crew.name)
        : vscode.l10n.t("“{0}” is not connected yet", draft.name === "" ? draft.url : draft.name);
    const labels = [...buttons].flatMap(([label, next]) => (next === undefined ? [] : [label]));
    const options = { modal: true, detail: messageOf(error) };
    return buttons.get((await vscode.window.showErrorMessage(failure, options, ...labels)) ?? "");
  }

  function problemWith(part: CrewChange): string | undefined {
    try {
      const { url = draft.url } = part;
      const name = questions().includes("name") ? freeName(crews, url) : draft.name;
      if (crew === undefined) crews.checkNew({ url, name, ...part });
      else crews.checkChange(crew, part);
      return undefined;
    } catch (error) {
      return plainMessage(messageOf(error));
    }
  }

  /** Puts the answer into the draft. False if the person cancels. */
  async function ask(question: Question): Promise<boolean> {
    if (question === "tokenType") return await askTokenType();
    const box = { title, ignoreFocusOut: true, value: draft[question] };
    if (question === "url") {
      const url = await vscode.window.showInputBox({
        ...box,
        prompt: vscode.l10n.t(
          "Address of the crew, from its page in the dashboard or from whoever runs its server. A pasted …/kickoff address also works.",
        ),
        placeHolder: "https://my-travel-crew.crewai.com",
        validateInput(text) {
          const problem = text === "" ? undefined : problemWith({ url: text });
          if (problem !== undefined || text === "" || normaliseAddress(text) === text.trim())
            return problem;
          const message = vscode.l10n.t("Connects to {0}", normaliseAddress(text));
          return { message, severity: vscode.InputBoxValidationSeverity.Info };
        },
      });
      if (url === undefined || url === "") return false;
      draft.url = normaliseAddress(url);
      return true;
    }
    if (question === "token") {
      const token = await askToken(box);
      if (token === undefined || token === "") return false;
      [draft.token, draft.isStored] = [tokenIn(token), false];
      return true;
    }
    const prompt =
      question === "name"
        ? vscode.l10n.t("Name of the crew in Crewdeck.")
        : vscode.l10n.t(
            "Address of the crew's page in the dashboard, for “Open Dashboard”. Leave it empty for none.",
          );
    const suggested = question === "name" ? nameIn(crews, draft) : draft.dashboardUrl;
    const value = await vscode.window.showInputBox({
      ...{ ...box, prompt, value: suggested },
      validateInput: (text) =>
        text.trim() === "" ? undefined : problemWith({ [question]: text.trim() }),
    });
    if (value === undefined) return false;
    // A name that was suggested for one address doesn't stay for another.
    const isSuggested = question === "name" && crew === undefined && value === suggested;
    draft[question] = isSuggested ? "" : value.trim();
    return true;
  }

  function askToken(box: vscode.InputBoxOptions) {
    const { tokenType, name, url } = draft;
    const isElsewhere = crew !== undefined && !isSameOrigin(url, crew.url);
    const type = tokenType === undefined ? vscode.l10n.t("Token") : tokenTypeName(tokenType);
    const prompt = vscode.l10n.t(
      "{0} for {1}. It is in the Status tab of the crew's page in the dashboard, or comes from whoever runs its server. It is stored only in this machine's secret storage.",
      type,
      // A name may be a link's: the host says where the token goes.
      crew === undefined || isElsewhere ? shortAddress(normaliseAddress(url)) : `“${name}”`,
    );
    const why = isElsewhere
      ? `${vscode.l10n.t("The token for {0} is never sent to another host.", new URL(crew.url).host)} `
      : "";
    return vscode.window.showInputBox({
      ...{ ...box, password: true, prompt: plainMessage(`${why}${prompt}`) },
      validateInput: (text) => (text === "" ? undefined : describeTokenProblem(tokenIn(text))),
    });
  }

  /** Offers the stored token of the type that isn't in use, too. */
  async function askTokenType(): Promise<boolean> {
    const details = {
      bearer: vscode.l10n.t("The organization's token, with all rights."),
      userBearer: vscode.l10n.t("A user's token, with fewer rights."),
    };
    const items = tokenTypes.map((type) => ({
      ...{ type, isStored: false, label: tokenTypeName(type), detail: details[type] },
    }));
    // The first one is chosen by Enter.
    if (draft.tokenType === "userBearer") items.reverse();
    const others = tokens?.types.filter((type) => type !== tokens.inUse) ?? [];
    const stored = others.map((type) => ({
      ...{ type, isStored: true, label: vscode.l10n.t("Use {0}", tokenTypeName(type)) },
    }));
    const placeHolder = vscode.l10n.t("Which type of token is it? The dashboard shows it.");
    const options = { title, placeHolder, ignoreFocusOut: true };
    const chosen = await vscode.window.showQuickPick([...stored, ...items], options);
    if (chosen === undefined) return false;
    [draft.tokenType, draft.isStored] = [chosen.type, chosen.isStored];
    return true;
  }
}

function freeName(crews: Crews, url: string): string {
  const taken = crews.list().map(({ name }) => name);
  return uniqueName(suggestName(normaliseAddress(url)), taken);
}

function nameIn(crews: Crews, { name, url }: Draft): string {
  return name.trim() === "" ? freeName(crews, url) : name;
}

function whileTesting<T>(what: string, action: (signal: AbortSignal) => Promise<T>) {
  return withProgress(vscode.l10n.t("Testing {0}", what), action);
}

export async function openDashboard(crew: Crew): Promise<string> {
  const { dashboardUrl } = crew;
  if (dashboardUrl === undefined)
    throw new UserError(
      vscode.l10n.t(
        "The dashboard's address of “{0}” is not known. Add it to the crew first.",
        crew.name,
      ),
      crew.local === undefined ? [editCrewAction(crew)] : [],
    );
  await vscode.env.openExternal(vscode.Uri.parse(dashboardUrl, true));
  return dashboardUrl;
}
