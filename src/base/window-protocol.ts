import { asObject, parseJson, textAt } from "./json.ts";
import { isLoopback } from "./loopback.ts";

/**
 * What a window and a local service have between them besides the Crew Execution API. A window that knows another number uses only
 * the API: raise it when the routes or their bodies change so that the other side would not understand them.
 */
export const windowProtocol = 1;

/** The routes are below it, for the organisation's token. */
export const windowPath = "/crewdeck";

/** In the service's data folder. */
export const serviceLog = "service.log";

export interface ModelReference {
  readonly vendor: string;
  readonly id: string;
  readonly name: string;
}

/** A header of a model call that a window answers: the model as JSON, encoded, since names may have characters that a header can't have. */
export const modelHeader = "crewdeck-model";

export function readModel(header: unknown): ModelReference | undefined {
  try {
    return modelIn(parseJson(decodeURIComponent(String(header))));
  } catch {
    // It isn't encoded.
    return undefined;
  }
}

export function modelIn(given: unknown): ModelReference | undefined {
  const found = asObject(given);
  const [vendor, id] = [textAt(found, "vendor"), textAt(found, "id")];
  return vendor === undefined || id === undefined
    ? undefined
    : { vendor, id, name: textAt(found, "name") ?? id };
}

/** Leads the Python of new executions to a model: by variables, or to one of VS Code's through the windows. */
export interface ModelRoute {
  readonly variables?: Readonly<Record<string, string>>;
  readonly model?: ModelReference;
}

/** A line of the connection that a window holds. */
export interface WindowMessage {
  /** All executions that a restart interrupted, and that a person has not decided about. */
  readonly held?: readonly string[];
  readonly engine?: string;
  /** Those of a folder with several crews, which are part of their addresses; none for one crew. */
  readonly classes?: readonly string[];
  /** Whether a run waits for one of VS Code's models. */
  readonly needsModels?: boolean;
  readonly line?: string;
}

export type HeldDecision = "continue" | "discard";

/** The variables that lead crewAI to a model. @param parent the environment of the process that sets them */
export function modelVariables(
  { url, key, model }: { readonly url: string; readonly key: string; readonly model: string },
  parent: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const direct = parent["no_proxy"] ?? parent["NO_PROXY"] ?? "";
  const { hostname } = new URL(url);
  return {
    OPENAI_BASE_URL: url,
    // Older versions of crewAI, and embedders.
    OPENAI_API_BASE: url,
    OPENAI_API_KEY: key,
    MODEL: `openai/${model}`,
    // A proxy must not see what stays on this machine.
    ...(isLoopback(hostname) && { no_proxy: direct === "" ? hostname : `${direct},${hostname}` }),
  };
}
