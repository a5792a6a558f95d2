import * as vscode from "vscode";
import type { TokenType } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { asObject, defined } from "../base/json.ts";
import { filledText, oneOf, read } from "../editor/arguments.ts";
import { showStatus } from "../editor/messages.ts";
import type { Crews } from "./crews.ts";
import { isWebAddress } from "./entries.ts";
import { editCrewAction } from "./errors.ts";
import { isSameOrigin } from "./identity.ts";
import { askChoice } from "./ask.ts";
import { converse, freeName, whileTesting, type Draft, type Question } from "./questions.ts";
import { describeTokenType, tokenTypes } from "./token-format.ts";
import type { Crew } from "./types.ts";

/** What was entered before the person cancelled, without the token. */
const drafts = new WeakMap<Crews, Draft>();

const tokenMembers = { token: filledText, tokenType: oneOf(tokenTypes) };

/** @param raw `{name?, url?, token?, tokenType?}`; with `by: "link"`, only suggestions */
export async function connectCrew(crews: Crews, raw?: unknown): Promise<Crew | undefined> {
  const values = read({ name: filledText, url: filledText, ...tokenMembers }, raw);
  const isLink = asObject(raw)["by"] === "link";
  const given = isLink ? {} : values;
  const { name, url, token, tokenType } = given;
  if (url !== undefined) crews.checkNew({ name: name ?? freeName(crews, url), url });
  if (name !== undefined && url !== undefined && token !== undefined)
    return crews.add({ name, url, token, tokenType: tokenType ?? "bearer" });
  const suggested = isLink ? defined({ name: values.name, url: values.url }) : {};
  const begun = raw === undefined ? drafts.get(crews) : suggested;
  const empty = { url: "", name: "", dashboardUrl: "" };
  const draft: Draft = { ...empty, ...begun, token: "", ...given };
  const questions: Question[] = [];
  if (url === undefined) questions.push("url");
  if (token === undefined) questions.push("token");
  // With name and address from a program, ask only for the token.
  if (tokenType === undefined && (name === undefined || url === undefined))
    questions.push("tokenType");
  if (name === undefined) questions.push("name");
  const title = vscode.l10n.t("Connect a Crew");
  const crew = await converse({ crews, draft, title, questions: () => questions }, (isTested) =>
    whileTesting(draft.url, (signal) => {
      const { tokenType: type = "bearer" } = draft;
      const chosen = draft.name === "" ? freeName(crews, draft.url) : draft.name;
      const whole = { url: draft.url, name: chosen, token: draft.token, tokenType: type };
      return crews.add(whole, { untested: !isTested, signal });
    }),
  );
  if (raw === undefined && crew === undefined) drafts.set(crews, { ...draft, token: "" });
  else if (raw === undefined) drafts.delete(crews);
  return crew;
}

/**
 * Asks for the rest. False if the person cancels.
 * @param raw `{crew, tokenType?, token?}`, or `{crew, use}` to use a stored token of that type
 */
export async function setToken(crews: Crews, crew: Crew, raw?: unknown): Promise<boolean> {
  const members = { ...tokenMembers, use: oneOf(tokenTypes) };
  const { token, tokenType, use: stored } = read(members, raw);
  const said = (type: TokenType) => {
    showStatus(vscode.l10n.t("“{0}” now uses {1}.", crew.name, describeTokenType(type)));
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
  const tokens = await crews.tokenState(crew.id);
  const inUse = tokens.kind === "stored" ? tokens.inUse : undefined;
  const draft: Draft = { ...draftOf(crew), tokenType: tokenType ?? inUse };
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

/** Undefined if the person cancels. @throws UserError for a local crew */
export async function editCrew(crews: Crews, crew: Crew): Promise<Crew | undefined> {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” runs on this machine: its name and address come from its folder.",
        crew.name,
      ),
    );
  const title = vscode.l10n.t("Edit “{0}”", crew.name);
  const { value: part } = await askChoice<"name" | "url" | "dashboardUrl">({
    title,
    placeholder: vscode.l10n.t("What do you want to change?"),
    choices: [
      { value: "name", label: vscode.l10n.t("Name"), description: crew.name },
      { value: "url", label: vscode.l10n.t("Address"), description: crew.url },
      {
        value: "dashboardUrl",
        label: vscode.l10n.t("Dashboard address"),
        description: crew.dashboardUrl ?? vscode.l10n.t("none"),
      },
    ],
  });
  if (part === undefined) return undefined;
  const draft = draftOf(crew);
  // A token is kept for the same origin only.
  const isElsewhere = () => part === "url" && !isSameOrigin(draft.url, crew.url);
  const questions = (): Question[] => (isElsewhere() ? ["url", "tokenType", "token"] : [part]);
  return converse({ crews, crew, draft, title, questions }, async (isTested) => {
    const { url, name, dashboardUrl, tokenType = "bearer" } = draft;
    const typed = isElsewhere() ? { token: draft.token, type: tokenType } : undefined;
    const token = typed ?? (await crews.token(crew.id));
    if (isTested && part === "url" && token !== undefined)
      await whileTesting(url, (signal) => crews.test(url, token, signal));
    return crews.change(crew, { name, url, dashboardUrl, ...defined({ token: typed }) });
  });
}

export function hasDashboard({ dashboardUrl = "" }: Crew): boolean {
  return isWebAddress(dashboardUrl);
}

export async function openDashboard(crew: Crew): Promise<string> {
  const { dashboardUrl = "" } = crew;
  if (!isWebAddress(dashboardUrl))
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
