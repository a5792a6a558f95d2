import * as vscode from "vscode";
import { messageOf, UserError } from "../base/errors.ts";
import { asObject, parseJson, textAt } from "../base/json.ts";
import { isLoopback } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import { modelVariables, type ModelReference, type ModelRoute } from "../base/window-protocol.ts";
import { StateByCrew } from "../crews/state-by-crew.ts";
import { logProblem } from "../editor/log.ts";
import type { ModelEndpoint } from "./endpoint.ts";

/** Which model a local crew uses. Its key is only in SecretStorage. */
export type ModelChoice =
  /** What the project's `.env` says. */
  | { readonly use: "project" }
  /** One of VS Code's models. The person has agreed to it. */
  | ({ readonly use: "vscode" } & ModelReference)
  | {
      readonly use: "endpoint";
      readonly baseUrl: string;
      /** As the endpoint names it. */
      readonly model: string;
      readonly hasKey: boolean;
      /** When it was chosen (ms), because a new key changes nothing else. */
      readonly at: number;
    };

export const projectChoice: ModelChoice = { use: "project" };

/** Reads a stored choice. */
function readChoice(stored: unknown): ModelChoice {
  const value = asObject(stored);
  const { use, hasKey, at } = value;
  const vendor = textAt(value, "vendor");
  const id = textAt(value, "id");
  const baseUrl = textAt(value, "baseUrl");
  const model = textAt(value, "model");
  if (use === "vscode" && vendor !== undefined && id !== undefined)
    return { use, vendor, id, name: textAt(value, "name") ?? id };
  if (use === "endpoint" && baseUrl !== undefined && model !== undefined)
    return { use, baseUrl, model, hasKey: hasKey === true, at: Number(at) };
  return projectChoice;
}

/** This window's connection to a local crew's service. */
interface Service {
  readonly closed: Promise<unknown>;
  setRoute(route: ModelRoute): Promise<void>;
  offerModels(endpoint: { readonly url: string; readonly token: string }): Promise<void>;
}

interface Served {
  readonly service: Service;
  /** The choice that it has, as JSON. */
  choice: string;
  /** Of this window's answers for VS Code's models. */
  offer?: "made" | "failed";
}

const keyPrefix = "crewdeck.modelKey.";
/** Another window may change the choice. */
const lookMs = 1_000;

/** OPENAI_API_KEY for an endpoint without one: clients demand one, and the project's own is for another host. */
const noKey = "no-key";

/**
 * The models of local crews: what was chosen for each, and what leads crewAI there. The endpoint for VS Code's models runs from the
 * first request of a service to this window until the service ends.
 */
export class Models implements vscode.Disposable {
  readonly #choices: StateByCrew<ModelChoice>;
  readonly #secrets: vscode.SecretStorage;
  #endpoint: Promise<ModelEndpoint> | undefined;
  readonly #served = new Map<string, Served>();
  #watch: NodeJS.Timeout | undefined;

  constructor({ globalState, secrets }: Pick<vscode.ExtensionContext, "globalState" | "secrets">) {
    this.#choices = new StateByCrew(globalState, "crewdeck.models", readChoice);
    this.#secrets = secrets;
  }

  choice(crewId: string): ModelChoice {
    return this.#choices.read(crewId);
  }

  /** For executions that begin from now on. */
  async choose(crewId: string, choice: ModelChoice, key = ""): Promise<void> {
    if (choice.use === "endpoint" && key !== "") {
      // With its host: a key is never sent to another one.
      const { origin } = new URL(choice.baseUrl);
      await this.#secrets.store(keyPrefix + crewId, JSON.stringify({ origin, key }));
    } else await this.#secrets.delete(keyPrefix + crewId);
    if (choice.use === "project") await this.#choices.delete(crewId);
    else await this.#choices.write(crewId, choice);
    await this.#follow(crewId);
  }

  /** The key for an address of the same host. */
  async key(crewId: string, baseUrl: string): Promise<string | undefined> {
    const stored = asObject(parseJson((await this.#secrets.get(keyPrefix + crewId)) ?? ""));
    return textAt(stored, "origin") === new URL(baseUrl).origin ? textAt(stored, "key") : undefined;
  }

  /** For a crew that was removed. */
  async forget(crewId: string): Promise<void> {
    await this.choose(crewId, projectChoice);
  }

  /** What a crew's service is to start with. @throws UserError if the key is missing */
  async route(crewId: string): Promise<ModelRoute> {
    return await this.#routeFor(crewId, this.choice(crewId));
  }

  /** Tells a service of each new choice, until it ends. */
  follow(crewId: string, service: Service): void {
    const served: Served = { service, choice: JSON.stringify(this.choice(crewId)) };
    this.#served.set(crewId, served);
    this.#watch ??= setInterval(() => this.#look(), lookMs).unref();
    void service.closed.then(() => {
      if (this.#served.get(crewId) === served) this.#release(crewId);
    });
  }

  /** Lets a service that is followed ask this window for VS Code's models. */
  async offer(crewId: string): Promise<void> {
    const served = this.#served.get(crewId);
    if (served === undefined || served.offer === "made") return;
    served.offer = "made";
    try {
      this.#endpoint ??= import("./endpoint.ts").then((module) => new module.ModelEndpoint());
      await served.service.offerModels(await (await this.#endpoint).open(crewId));
    } catch (error) {
      // The next look tries again.
      served.offer = "failed";
      throw error;
    }
  }

  dispose(): void {
    clearInterval(this.#watch);
    this.#served.clear();
    void this.#endpoint?.then((endpoint) => endpoint.dispose());
  }

  #release(crewId: string): void {
    this.#served.delete(crewId);
    void this.#endpoint?.then((endpoint) => endpoint.close(crewId));
    if (this.#served.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #look(): void {
    for (const [crewId, { offer }] of this.#served) {
      this.#follow(crewId).catch((error: unknown) =>
        logProblem("Changing the model of a local crew", error),
      );
      if (offer === "failed")
        this.offer(crewId).catch((error: unknown) =>
          logProblem("Answering a crew's call to a model", error),
        );
    }
  }

  /** Executions that run keep the model that they began with. */
  async #follow(crewId: string): Promise<void> {
    const served = this.#served.get(crewId);
    const choice = this.choice(crewId);
    const text = JSON.stringify(choice);
    if (served === undefined || served.choice === text) return;
    const before = served.choice;
    served.choice = text;
    const route = await this.#routeFor(crewId, choice);
    // Another choice may have been made meanwhile.
    if (served.choice !== text) return;
    await served.service.setRoute(route).catch((error: unknown) => {
      // The next look tries again.
      served.choice = before;
      throw error;
    });
  }

  async #routeFor(crewId: string, choice: ModelChoice): Promise<ModelRoute> {
    if (choice.use === "project") return {};
    if (choice.use === "vscode") {
      const { vendor, id, name } = choice;
      return { model: { vendor, id, name } };
    }
    const { baseUrl, model, hasKey } = choice;
    const key = await this.#storedKey(crewId, baseUrl);
    if (hasKey && key === undefined)
      throw new UserError(
        vscode.l10n.t(
          "The key for {0} is missing on this machine. Choose the crew's model again.",
          new URL(baseUrl).host,
        ),
        [chooseModelAction(crewId)],
      );
    const variables = modelVariables({ url: baseUrl, key: key ?? noKey, model }, process.env);
    return { variables };
  }

  async #storedKey(crewId: string, baseUrl: string): Promise<string | undefined> {
    try {
      return await this.key(crewId, baseUrl);
    } catch (error) {
      throw new UserError(
        vscode.l10n.t("The secret storage can't be read: {0}", messageOf(error)),
        [],
        { cause: error },
      );
    }
  }
}

function chooseModelAction(crew: string) {
  return {
    title: vscode.l10n.t("Choose Model…"),
    command: "crewdeck.chooseModel",
    arguments: [{ crew }],
  };
}

/** Without a slash at the end. @throws UserError, which doesn't quote the address */
export function readBaseUrl(text: string): string {
  const address = text.trim();
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address))
    throw new UserError(
      vscode.l10n.t("Enter the endpoint's whole address, such as https://models.example.com/v1."),
    );
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    throw new UserError(
      vscode.l10n.t(
        "The address has a user name or password. Remove it: the key is stored separately.",
      ),
    );
  if (url.search !== "" || url.hash !== "")
    throw new UserError(vscode.l10n.t("The address can't have a query or a fragment (? or #)."));
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw new UserError(
      vscode.l10n.t(
        "The address must start with https://, because prompts and a key are sent there. Use http:// only for this computer (localhost, 127.0.0.1).",
      ),
    );
  return withoutEndSlashes(
    withoutEndSlashes(`${url.origin}${url.pathname}`).replace(/\/chat\/completions$/, ""),
  );
}

/** @throws UserError, which doesn't quote the key */
export function readKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new UserError(vscode.l10n.t("A key can't have spaces or characters that aren't ASCII."));
}
