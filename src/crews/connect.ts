import * as vscode from "vscode";
import { normaliseAddress } from "../api/address.ts";
import type { TokenType } from "../api/types.ts";
import { messageOf } from "../base/errors.ts";
import { readConnectArguments, readSuggestion, type ConnectArguments } from "./arguments.ts";
import { askChoice } from "./ask.ts";
import {
  converse,
  type AfterFailure,
  type Conversation,
  type Left,
  type Position,
} from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { suggestName, uniqueName } from "./identity.ts";
import {
  askAddress,
  askAfterFailure,
  askName,
  askToken,
  askTokenType,
  whileTesting,
} from "./questions.ts";
import type { Crew } from "./types.ts";

type Step = "address" | "token" | "tokenType" | "name";

interface Draft {
  url: string;
  token: string;
  tokenType: TokenType;
  name: string;
}

/** What was entered before a conversation was cancelled, without the token: the next one starts with it. */
const drafts = new WeakMap<Crews, Omit<Draft, "token">>();

/**
 * Connects a crew: asks for what the argument lacks, tests it and saves it. With a complete argument nothing is asked, and a
 * failure is thrown (CrewApiError, AddressError, UserError).
 * @param raw `{name?, url?, token?, tokenType?}`; with `kind: "link"` name and address are only suggestions
 */
export async function connectCrew(crews: Crews, raw?: unknown): Promise<Crew | undefined> {
  const suggestion = readSuggestion(raw);
  const given = suggestion === undefined ? readConnectArguments(raw) : {};
  const { name, url, token, tokenType } = given;
  if (url !== undefined) crews.checkNew({ name: name ?? freeName(crews, url), url });
  if (name !== undefined && url !== undefined && token !== undefined)
    return crews.add({ name, url, token, tokenType: tokenType ?? "bearer" });
  const begun = raw === undefined ? drafts.get(crews) : suggestion;
  const draft: Draft = { url: "", tokenType: "bearer", name: "", ...begun, token: "", ...given };
  const crew = await converse(new Connecting(crews, draft, given));
  if (raw !== undefined) return crew;
  if (crew === undefined)
    drafts.set(crews, { url: draft.url, tokenType: draft.tokenType, name: draft.name });
  else drafts.delete(crews);
  return crew;
}

/** A name that no connected crew has. */
function freeName(crews: Crews, url: string): string {
  return uniqueName(
    suggestName(normaliseAddress(url)),
    crews.list().map(({ name }) => name),
  );
}

class Connecting implements Conversation<Step, Crew> {
  readonly #crews: Crews;
  readonly #draft: Draft;
  readonly #given: ConnectArguments;
  /** The crew with the same address, if the person chose to set its token. */
  #connected: Crew | undefined;

  constructor(crews: Crews, draft: Draft, given: ConnectArguments) {
    this.#crews = crews;
    this.#draft = draft;
    this.#given = given;
  }

  steps(): readonly Step[] {
    const { name, url, token, tokenType } = this.#given;
    const steps: Step[] = [];
    if (url === undefined) steps.push("address");
    if (token === undefined) steps.push("token");
    // If a program gives name and address, ask only for the token.
    if (tokenType === undefined && (name === undefined || url === undefined))
      steps.push("tokenType");
    if (name === undefined && this.#connected === undefined) steps.push("name");
    return steps;
  }

  ask(step: Step, position: Position): Promise<Left> {
    const common = { title: vscode.l10n.t("Connect a Crew"), position };
    switch (step) {
      case "address":
        return this.#askAddress(common);
      case "token":
        return this.#askToken(common);
      case "tokenType":
        return this.#askTokenType(common);
      case "name":
        return this.#askName(common);
    }
  }

  finish({ untested }: { readonly untested: boolean }): Promise<Crew> {
    const { url, token, tokenType, name } = this.#draft;
    return whileTesting(url, async (signal) => {
      const connected = this.#connected;
      if (connected === undefined)
        return this.#crews.add({ url, token, tokenType, name }, { untested, signal });
      const stored = { token, type: tokenType };
      if (!untested) await this.#crews.test({ url: connected.url, token: stored }, signal);
      await this.#crews.setToken(connected.id, stored);
      return connected;
    });
  }

  failed(error: unknown): Promise<AfterFailure<Step>> {
    const title =
      this.#draft.name === ""
        ? vscode.l10n.t("{0} is not connected yet", this.#draft.url)
        : vscode.l10n.t("“{0}” is not connected yet", this.#draft.name);
    return askAfterFailure<Step>(error, title, {
      address: "address",
      token: "token",
      ...(this.#connected === undefined ? { name: "name" } : {}),
      last: this.steps().at(-1) ?? "name",
    });
  }

  async #askAddress(common: { title: string; position: Position }): Promise<Left> {
    for (;;) {
      const { left, value } = await askAddress({ ...common, value: this.#draft.url });
      this.#draft.url = value;
      if (left !== "next") return left;
      this.#draft.url = normaliseAddress(value);
      const twin = this.#crews.find(this.#draft.url);
      this.#connected = undefined;
      if (twin === undefined) return left;
      const choice = await this.#askAboutTwin(twin, common.title);
      if (choice === "token") {
        this.#connected = twin;
        return left;
      }
      if (choice === undefined) return "cancel";
    }
  }

  async #askAboutTwin(twin: Crew, title: string): Promise<"token" | "address" | undefined> {
    const { value } = await askChoice<"token" | "address">({
      title,
      placeholder: vscode.l10n.t("{0} is already connected, as “{1}”.", twin.url, twin.name),
      choices: [
        ...(twin.local === undefined
          ? [{ value: "token" as const, label: vscode.l10n.t("Set a token of “{0}”", twin.name) }]
          : []),
        { value: "address", label: vscode.l10n.t("Enter another address") },
      ],
    });
    return value;
  }

  async #askToken(common: { title: string; position: Position }): Promise<Left> {
    const name = this.#connected?.name ?? this.#draft.name;
    const crew = name === "" ? new URL(normaliseAddress(this.#draft.url)).host : `“${name}”`;
    const { left, value } = await askToken({
      ...common,
      crew,
      value: this.#draft.token,
      dashboardUrl: this.#connected?.dashboardUrl,
    });
    this.#draft.token = value;
    return left;
  }

  async #askTokenType(common: { title: string; position: Position }): Promise<Left> {
    const { left, value } = await askTokenType({ ...common, active: this.#draft.tokenType });
    if (value !== undefined) this.#draft.tokenType = value;
    return left;
  }

  async #askName(common: { title: string; position: Position }): Promise<Left> {
    const { left, value } = await askName({
      ...common,
      value: this.#draft.name === "" ? freeName(this.#crews, this.#draft.url) : this.#draft.name,
      problem: (name) => this.#problemOf(name),
    });
    this.#draft.name = value;
    return left;
  }

  #problemOf(name: string): string | undefined {
    try {
      this.#crews.checkNew({ name, url: this.#draft.url });
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
