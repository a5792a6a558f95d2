import {
  asArray,
  asObject,
  defined,
  numberAt,
  parseJson,
  textAt,
  type JsonObject,
} from "./json.ts";
import { isLoopback } from "./loopback.ts";

/**
 * What a window and a local service have between them besides the Crew Execution API. A window that knows another number uses only
 * the API: raise it when the routes or their bodies change so that the other side would not understand them.
 */
export const windowProtocol = 1;

/** The routes are below it, for the organisation's token. */
export const windowPath = "/crewdeck";

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

/** Of a test of a crew. Line counts from 1. */
export interface TestPlace {
  readonly file: string;
  readonly line: number;
}

export interface TestFailure {
  readonly message: string;
  /** For a comparison, where there are texts to compare. */
  readonly expected?: string;
  readonly actual?: string;
  /** Which one isn't met, from 0. */
  readonly expectation?: number;
  /** The recording lacks what the crew asks for now. */
  readonly isUnrecorded?: true;
}

export interface NamedTest {
  readonly file: string;
  /** Of a case, from 1; 0 for a file without cases. */
  readonly number: number;
  /** Empty for a file without cases. */
  readonly name: string;
  readonly model?: string;
  readonly folder: string;
  /** Which of several crews in it. */
  readonly crewClass?: string | undefined;
  readonly at: TestPlace;
}

export interface Grade {
  readonly task: string;
  readonly question: string;
  /** From 0 to 10. */
  readonly grade: number;
  readonly reason: string;
}

/** What the status of an execution with a test says in `test`. */
export interface TestResult {
  readonly state: "passed" | "failed";
  /** US dollars, if the prices of all models that were called are known. */
  readonly dollars?: number;
  readonly grades: readonly Grade[];
  readonly failures: readonly TestFailure[];
}

export function readTestResult(given: unknown): TestResult | undefined {
  const result = asObject(given);
  const state = textAt(result, "state");
  if (state !== "passed" && state !== "failed") return undefined;
  return {
    state,
    ...defined({ dollars: numberAt(result, "dollars") }),
    grades: asArray(result["grades"]).map((each) => {
      const grade = asObject(each);
      const text = (name: string) => textAt(grade, name) ?? "";
      const [task, question, reason] = [text("task"), text("question"), text("reason")];
      return { task, question, grade: numberAt(grade, "grade") ?? 0, reason };
    }),
    failures: asArray(result["failures"]).map((each) => {
      const failure = asObject(each);
      return {
        message: textAt(failure, "message") ?? "",
        ...defined({
          expected: textAt(failure, "expected"),
          actual: textAt(failure, "actual"),
          expectation: numberAt(failure, "expectation"),
        }),
        ...(failure["is_unrecorded"] === true && { isUnrecorded: true }),
      };
    }),
  };
}

export interface TestOutcome extends Omit<TestResult, "state" | "failures"> {
  /** `error`: it could not run. */
  readonly state: TestResult["state"] | "error";
  readonly seconds: number;
  readonly tokens: number;
  readonly failures: readonly (Omit<TestFailure, "expectation"> & { readonly at?: TestPlace })[];
}

type TestAnswer = { readonly approve: string } | { readonly reject: string };

/** What a test sends, as a request file has it. */
export interface TestKickoff {
  readonly inputs: JsonObject;
  readonly meta?: JsonObject;
  readonly approveTools?: readonly string[];
  readonly limits?: JsonObject;
  readonly expect: readonly JsonObject[];
  /** By task, in the order of the attempts. Other outputs are approved. */
  readonly answers: Readonly<Record<string, readonly TestAnswer[]>>;
  /** In the shape of the API. */
  readonly replay: JsonObject;
}

/** What `crewdeck test --json` prints. */
export type TestLine =
  | (NamedTest & TestKickoff & { readonly type: "case" })
  | (NamedTest & { readonly type: "started" })
  | (NamedTest & TestOutcome & { readonly type: "test"; readonly text: string })
  | { readonly type: "problem"; readonly message: string; readonly file?: string };
