import * as vscode from "vscode";
import { messageOf, UserError } from "../base/errors.ts";
import { asObject, parseJson, textAt } from "../base/json.ts";
import { isLoopback } from "../base/loopback.ts";
import { CrewValues } from "../crews/crew-values.ts";
import { logProblem } from "../editor/log.ts";
import { projectChoice, readChoice, type ModelChoice } from "./choice.ts";
import type { ModelEndpoint } from "./endpoint.ts";

type Variables = Readonly<Record<string, string>>;

/** A local crew's service. */
interface Service {
  readonly exited: Promise<unknown>;
  setWorkerEnvironment(environment: Variables): void;
}

interface Served {
  readonly service: Service;
  /** The choice that it has, as JSON. */
  choice: string;
}

const keyPrefix = "crewdeck.modelKey.";
/** Another window may change the choice. */
const lookMs = 1_000;

/** OPENAI_API_KEY for an endpoint without one: clients demand one, and the project's own is for another host. */
const noKey = "no-key";

/**
 * The models of local crews: what was chosen for each, and the environment that leads crewAI there. The endpoint for VS Code's models
 * runs while the service of a crew that uses it runs in this window.
 */
export class Models implements vscode.Disposable {
  readonly #choices: CrewValues<ModelChoice>;
  readonly #secrets: vscode.SecretStorage;
  #endpoint: Promise<ModelEndpoint> | undefined;
  readonly #served = new Map<string, Served>();
  #watch: NodeJS.Timeout | undefined;

  constructor({ globalState, secrets }: Pick<vscode.ExtensionContext, "globalState" | "secrets">) {
    this.#choices = new CrewValues(globalState, "crewdeck.models", readChoice);
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

  /**
   * Starts a crew's service with the environment for its Python, and keeps it up to date until the service ends.
   * @throws UserError if the key is missing, and what `start` throws
   */
  async serve<T extends Service>(
    crewId: string,
    start: (environment: Variables) => Promise<T>,
  ): Promise<T> {
    const choice = this.choice(crewId);
    try {
      const service = await start(await this.#environment(crewId, choice));
      const served = { service, choice: JSON.stringify(choice) };
      this.#served.set(crewId, served);
      this.#watch ??= setInterval(() => this.#look(), lookMs).unref();
      void service.exited.then(() => {
        if (this.#served.get(crewId) === served) this.#release(crewId);
      });
      return service;
    } catch (error) {
      this.#release(crewId);
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
    for (const crewId of this.#served.keys())
      this.#follow(crewId).catch((error: unknown) =>
        logProblem("Changing the model of a local crew", error),
      );
  }

  /** Executions that run keep the model that they began with. */
  async #follow(crewId: string): Promise<void> {
    const served = this.#served.get(crewId);
    const choice = this.choice(crewId);
    const text = JSON.stringify(choice);
    if (served === undefined || served.choice === text) return;
    served.choice = text;
    const environment = await this.#environment(crewId, choice);
    // Another choice may have been made meanwhile.
    if (served.choice === text) served.service.setWorkerEnvironment(environment);
  }

  async #environment(crewId: string, choice: ModelChoice): Promise<Variables> {
    if (choice.use === "project") return {};
    if (choice.use === "vscode") {
      this.#endpoint ??= import("./endpoint.ts").then((module) => new module.ModelEndpoint());
      const { url, token } = await (await this.#endpoint).open(crewId, choice);
      // crewAI 1.15.0 sends only names that begin like OpenAI's to OPENAI_BASE_URL.
      return variables(url, token, `gpt-vscode-${choice.id}`);
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
    return variables(baseUrl, key ?? noKey, model);
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
    arguments: [{ kind: "crew", crew }],
  };
}

function variables(url: string, key: string, model: string): Variables {
  const { hostname } = new URL(url);
  const { env } = process;
  const direct = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return {
    OPENAI_BASE_URL: url,
    // Older versions of crewAI, and embedders.
    OPENAI_API_BASE: url,
    OPENAI_API_KEY: key,
    MODEL: `openai/${model}`,
    // A proxy must not see what stays on this machine.
    ...(isLoopback(hostname) && {
      no_proxy: direct === "" ? hostname : `${direct},${hostname}`,
    }),
  };
}
