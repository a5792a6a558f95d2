import * as vscode from "vscode";
import { Crews } from "../../src/crews/crews.ts";
import { json, MisbehavingServer, text } from "../support/misbehaving-server.ts";
import { set } from "./extension.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";

/** A crew on this machine that responds to `GET /inputs` and refuses every kickoff as the live dialect does. */
export interface SmallCrew {
  readonly url: string;
  readonly tokens: readonly (string | undefined)[];
  /** If set, the response to every request. */
  answer?: { readonly type: string; readonly body: string };
  stop(): Promise<void>;
}

type Inputs = readonly (string | { readonly name: string })[];

/**
 * Starts a crew that accepts the token "right"; "forbidden" has no permission. It has two inputs, reports them missing in each
 * kickoff, knows no execution, and has only the status path of the vendor's OpenAPI file.
 */
export async function startSmallCrew(inputs: Inputs = ["topic", "audience"]): Promise<SmallCrew> {
  const tokens: (string | undefined)[] = [];
  const server = await MisbehavingServer.start();
  const crew: SmallCrew = { url: server.url, tokens, stop: () => server.stop() };
  server.otherwise = (response, request) => {
    const [token] = [request.headers["authorization"]].flat();
    tokens.push(token);
    const { status, body } = answerTo(request.path, token, inputs);
    if (crew.answer === undefined) json(status, body)(response, request);
    else text(200, crew.answer.body, { "content-type": crew.answer.type })(response, request);
  };
  return crew;
}

function answerTo(
  path: string,
  authorization: string | undefined,
  inputs: Inputs,
): { status: number; body: object } {
  const not = (status: number, detail: string) => ({ status, body: { detail } });
  if (authorization === "Bearer forbidden") return not(403, "Forbidden");
  const message = "Invalid or missing bearer token";
  if (authorization !== "Bearer right")
    return { status: 401, body: { error: "Unauthorized", message } };
  const names = inputs.map((input) => (typeof input === "string" ? input : input.name));
  if (path.endsWith("/kickoff")) return not(422, `Missing inputs: ${names.join(", ")}`);
  if (path.endsWith("/inputs")) return { status: 200, body: { inputs } };
  if (!path.startsWith("/status/")) return not(404, "Not Found");
  return { status: 404, body: { error: "Execution not found" } };
}

/** Gives each test two small crews, and `Crews` with empty settings and secrets; restores the settings afterwards. */
export function eachWithSmallCrews(
  take: (parts: {
    readonly crew: SmallCrew;
    readonly other: SmallCrew;
    readonly secrets: MemorySecrets;
    readonly crews: Crews;
  }) => void,
): void {
  const save = (value: unknown) => set("crews", value);
  let end: () => Promise<unknown>;

  beforeEach(async () => {
    const before = vscode.workspace.getConfiguration("crewdeck").inspect("crews")?.globalValue;
    await save(undefined);
    const [crew, other] = await Promise.all([startSmallCrew(), startSmallCrew()]);
    const secrets = new MemorySecrets();
    const crews = new Crews({ secrets, globalState: new MemoryMemento() });
    end = async () => {
      crews.dispose();
      await Promise.all([crew.stop(), other.stop()]);
      await save(before);
    };
    take({ crew, other, secrets, crews });
  });

  afterEach(() => end());
}
