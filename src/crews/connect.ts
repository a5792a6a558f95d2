import * as vscode from "vscode";
import { normaliseAddress, shortAddress } from "../api/address.ts";
import type { TokenType } from "../api/types.ts";
import { asObject, defined } from "../base/json.ts";
import { filledText, oneOf, read } from "../editor/arguments.ts";
import { converse, type Left } from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { suggestName, uniqueName } from "./identity.ts";
import {
  askAddress,
  askAfterFailure,
  askChoice,
  askName,
  askToken,
  askTokenType,
  whileTesting,
  type Question,
} from "./questions.ts";
import { tokenTypes } from "./token-format.ts";
import type { Crew, NewCrew } from "./types.ts";

type Step = "address" | "token" | "tokenType" | "name";

interface Draft {
  url: string;
  token: string;
  tokenType: TokenType;
  name: string;
  /** The name that was suggested last. */
  suggested: string;
}

/** What was entered before the person cancelled, without the token. */
const drafts = new WeakMap<Crews, Draft>();

/** A token that a program gives. */
export const tokenMembers = { token: filledText, tokenType: oneOf(tokenTypes) };

/** @param raw `{name?, url?, token?, tokenType?}`; with `kind: "link"`, only suggestions */
export async function connectCrew(crews: Crews, raw?: unknown): Promise<Crew | undefined> {
  const values = read({ name: filledText, url: filledText, ...tokenMembers }, raw);
  const isLink = asObject(raw)["kind"] === "link";
  const given = isLink ? {} : values;
  const { name, url, token, tokenType } = given;
  if (url !== undefined) crews.checkNew({ name: name ?? freeName(crews, url), url });
  if (name !== undefined && url !== undefined && token !== undefined)
    return crews.add({ name, url, token, tokenType: tokenType ?? "bearer" });
  const suggested = isLink ? defined({ name: values.name, url: values.url }) : {};
  const begun = raw === undefined ? drafts.get(crews) : suggested;
  const draft: Draft = {
    url: "",
    tokenType: "bearer",
    name: "",
    suggested: "",
    ...begun,
    token: "",
    ...given,
  };
  const crew = await ask(crews, draft, given);
  if (raw === undefined && crew === undefined) drafts.set(crews, { ...draft, token: "" });
  else if (raw === undefined) drafts.delete(crews);
  return crew;
}

function freeName(crews: Crews, url: string): string {
  return uniqueName(
    suggestName(normaliseAddress(url)),
    crews.list().map(({ name }) => name),
  );
}

function ask(crews: Crews, draft: Draft, given: Partial<NewCrew>): Promise<Crew | undefined> {
  /** The crew with the same address, if the person chose to set its token. */
  let connected: Crew | undefined;
  const steps = () => {
    const { name, url, token, tokenType } = given;
    const needed: Step[] = [];
    if (url === undefined) needed.push("address");
    if (token === undefined) needed.push("token");
    // With name and address from a program, ask only for the token.
    if (tokenType === undefined && (name === undefined || url === undefined))
      needed.push("tokenType");
    if (name === undefined && connected === undefined) needed.push("name");
    return needed;
  };
  /** The address that was tested last. */
  let tested = "";
  const testAddress = async (url: string): Promise<"next" | "edit" | "cancel"> => {
    for (;;) {
      if (tested === url) return "next";
      try {
        await whileTesting(url, (signal) => crews.testAddress(url, signal));
        tested = url;
      } catch (error) {
        const edits = { address: "address", last: "address", canSkip: true } as const;
        const next = await askAfterFailure(error, notConnectedYet(url, ""), edits);
        if (next === "cancel") return next;
        if (typeof next === "object") return "edit";
        if (next === "untested") tested = url;
      }
    }
  };
  const askForAddress = async (question: Question): Promise<Left> => {
    for (;;) {
      const { left, value } = await askAddress({ ...question, value: draft.url });
      const before = draft.url;
      draft.url = value;
      if (left !== "next") return left;
      draft.url = normaliseAddress(value);
      // A name that was suggested for another address doesn't stay.
      if (draft.url !== before && draft.name === draft.suggested) draft.name = "";
      connected = undefined;
      const twin = crews.find(draft.url);
      if (twin === undefined) {
        const next = await testAddress(draft.url);
        if (next === "edit") continue;
        return next;
      }
      const setToken = vscode.l10n.t("Set a token of “{0}”", twin.name);
      const { value: choice } = await askChoice<"token" | "address">({
        title: question.title,
        placeholder: vscode.l10n.t("It is already connected, as “{0}”.", twin.name),
        choices: [
          ...(twin.local === undefined ? [{ value: "token" as const, label: setToken }] : []),
          { value: "address", label: vscode.l10n.t("Enter another address") },
        ],
      });
      if (choice === undefined) return "cancel";
      if (choice === "address") continue;
      connected = twin;
      return left;
    }
  };
  return converse<Step, Crew>({
    steps,
    async ask(step, position) {
      const question = { title: vscode.l10n.t("Connect a Crew"), position };
      switch (step) {
        case "address":
          return askForAddress(question);
        case "token": {
          const name = connected?.name ?? draft.name;
          const { left, value } = await askToken({
            ...question,
            crew: name === "" ? shortAddress(normaliseAddress(draft.url)) : `“${name}”`,
            value: draft.token,
            dashboardUrl: connected?.dashboardUrl,
          });
          draft.token = value;
          return left;
        }
        case "tokenType": {
          const { left, value } = await askTokenType({ ...question, active: draft.tokenType });
          draft.tokenType = value ?? draft.tokenType;
          return left;
        }
        case "name": {
          const { url } = draft;
          draft.suggested = freeName(crews, url);
          const shown = draft.name === "" ? draft.suggested : draft.name;
          const { left, value } = await askName({ ...question, value: shown }, (name) =>
            crews.checkNew({ name, url }),
          );
          draft.name = value;
          return left;
        }
      }
    },
    finish({ untested }) {
      const { url, token, tokenType } = draft;
      const name = draft.name === "" ? freeName(crews, url) : draft.name;
      return whileTesting(url, async (signal) => {
        if (connected === undefined)
          return crews.add({ url, token, tokenType, name }, { untested, signal });
        const stored = { token, type: tokenType };
        if (!untested) await crews.test({ url: connected.url, token: stored }, signal);
        await crews.setToken(connected.id, stored);
        return connected;
      });
    },
    failed(error) {
      return askAfterFailure<Step>(error, notConnectedYet(draft.url, draft.name), {
        address: "address",
        token: "token",
        ...(connected === undefined ? { name: "name" } : {}),
        last: steps().at(-1) ?? "name",
      });
    },
  });
}

function notConnectedYet(url: string, name: string): string {
  return name === ""
    ? vscode.l10n.t("{0} is not connected yet", url)
    : vscode.l10n.t("“{0}” is not connected yet", name);
}
