import * as vscode from "vscode";
import { action, messageOf, UserError } from "../base/errors.ts";
import { asObject, parseJson, textAt } from "../base/json.ts";
import { safeUrl } from "../base/loopback.ts";
import { withoutEndSlashes } from "../base/text.ts";
import {
  modelIn,
  modelVariables,
  type ModelReference,
  type ModelRoute,
} from "../base/window-protocol.ts";
import { stateByCrew } from "../crews/state-by-crew.ts";
import { logged } from "../editor/log.ts";
import type { modelEndpoint } from "./endpoint.ts";

export type ModelChoice =
  | { readonly use: "project" }
  | ({ readonly use: "vscode" } & ModelReference)
  | {
      readonly use: "endpoint";
      readonly baseUrl: string;
      readonly model: string;
      readonly hasKey: boolean;
      /** When it was chosen (ms), because a new key changes nothing else. */
      readonly at: number;
    };

export const projectChoice: ModelChoice = { use: "project" };

function readChoice(stored: unknown): ModelChoice {
  const value = asObject(stored);
  const { use, hasKey, at } = value;
  const [ours, baseUrl, model] = [modelIn(value), textAt(value, "baseUrl"), textAt(value, "model")];
  if (use === "vscode" && ours !== undefined) return { use, ...ours };
  if (use === "endpoint" && baseUrl !== undefined && model !== undefined)
    return { use, baseUrl, model, hasKey: hasKey === true, at: Number(at) };
  return projectChoice;
}

interface Service {
  readonly closed: Promise<unknown>;
  readonly needsModels: boolean;
  setRoute(route: ModelRoute): Promise<void>;
  offerModels(endpoint: { readonly url: string; readonly token: string }): Promise<void>;
}

const keyPrefix = "crewdeck.modelKey.";
const lookMs = 500;

export type Models = ReturnType<typeof modelsOf>;

/** VS Code's endpoint runs from a service's first request to this window until its end. */
export function modelsOf({
  globalState,
  secrets,
}: Pick<vscode.ExtensionContext, "globalState" | "secrets">) {
  const choices = stateByCrew(globalState, "crewdeck.models", readChoice);
  let endpoint: Promise<ReturnType<typeof modelEndpoint>> | undefined;
  const looks = new Map<string, { look: () => Promise<void>; watch: NodeJS.Timeout }>();

  const choose = async (crewId: string, choice: ModelChoice, key = ""): Promise<void> => {
    if (choice.use === "endpoint" && key !== "") {
      // With its host: a key is never sent to another one.
      const { origin } = new URL(choice.baseUrl);
      await secrets.store(keyPrefix + crewId, JSON.stringify({ origin, key }));
    } else await secrets.delete(keyPrefix + crewId);
    if (choice.use === "project") await choices.delete(crewId);
    else await choices.write(crewId, choice);
    await looks.get(crewId)?.look();
  };

  const keyFor = async (crewId: string, baseUrl: string): Promise<string | undefined> => {
    const stored = asObject(parseJson((await secrets.get(keyPrefix + crewId)) ?? ""));
    return textAt(stored, "origin") === new URL(baseUrl).origin ? textAt(stored, "key") : undefined;
  };

  const route = async (crewId: string): Promise<ModelRoute> => {
    const choice = choices.read(crewId);
    if (choice.use === "project") return {};
    if (choice.use === "vscode") {
      const { vendor, id, name } = choice;
      return { model: { vendor, id, name } };
    }
    const { baseUrl, model, hasKey } = choice;
    const key = await keyFor(crewId, baseUrl).catch((cause: unknown) => {
      const text = vscode.l10n.t("The secret storage can't be read: {0}", messageOf(cause));
      throw new UserError(text, [], { cause });
    });
    // Clients demand a key, and the project's own is for another host.
    if (!hasKey || key !== undefined)
      return {
        variables: modelVariables({ url: baseUrl, key: key ?? "no-key", model }, process.env),
      };
    throw new UserError(
      vscode.l10n.t(
        "The key for {0} is missing on this machine. Choose the crew's model again.",
        new URL(baseUrl).host,
      ),
      [action(vscode.l10n.t("Choose Model…"), "crewdeck.chooseModel", { crew: crewId })],
    );
  };

  return {
    choice: choices.read,
    choose,
    forget: (crewId: string) => choose(crewId, projectChoice),
    key: keyFor,
    route,
    /** Until it ends, tells a service of each new choice, and answers its calls to VS Code's models. */
    follow(crewId: string, service: Service): void {
      let known = JSON.stringify(choices.read(crewId));
      let hasOffer = false;
      /** Executions that run keep the model that they began with. What fails is tried again at the next look. */
      const look = async () => {
        const choice = JSON.stringify(choices.read(crewId));
        const before = known;
        if (choice !== before) {
          known = choice;
          const now = await route(crewId);
          // Another choice may have been made meanwhile.
          if (known === choice)
            await service.setRoute(now).catch((error: unknown) => {
              known = before;
              throw error;
            });
        }
        if (hasOffer || !service.needsModels) return;
        hasOffer = true;
        try {
          endpoint ??= import("./endpoint.ts").then((module) => module.modelEndpoint());
          await service.offerModels(await (await endpoint).open(crewId));
        } catch (error) {
          hasOffer = false;
          throw error;
        }
      };
      const watch = setInterval(() => {
        look().catch(logged("Leading a local crew to its model"));
      }, lookMs).unref();
      looks.set(crewId, { look, watch });
      void service.closed.then(() => {
        clearInterval(watch);
        if (looks.get(crewId)?.look !== look) return;
        looks.delete(crewId);
        void endpoint?.then((running) => running.close(crewId));
      });
    },
    dispose(): void {
      for (const { watch } of looks.values()) clearInterval(watch);
      void endpoint?.then((running) => running.dispose());
    },
  };
}

/** Without a slash at the end. @throws UserError, which doesn't quote the address */
export function readBaseUrl(text: string): string {
  const url = safeUrl(text);
  if (url === undefined || url.search + url.hash !== "")
    throw new UserError(
      vscode.l10n.t(
        "Enter the endpoint's whole address, without a user name, a password, a query or a fragment, such as https://models.example.com/v1. Prompts and a key are sent there, so http:// is only for this computer (localhost, 127.0.0.1).",
      ),
    );
  const address = withoutEndSlashes(url.origin + url.pathname);
  return withoutEndSlashes(address.replace(/\/chat\/completions$/, ""));
}

/** @throws UserError, which doesn't quote the key */
export function readKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new UserError(vscode.l10n.t("A key can't have spaces or characters that aren't ASCII."));
}
