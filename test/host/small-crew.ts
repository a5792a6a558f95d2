import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as vscode from "vscode";
import { Crews } from "../../src/crews/crews.ts";
import { set } from "./extension.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";

/** A crew on this machine that responds to `GET /inputs` and refuses every kickoff as the live dialect does. */
export interface SmallCrew {
  readonly url: string;
  /** The Authorization header of each request, in order. */
  readonly tokens: readonly (string | undefined)[];
  /** If set, the response to every request. */
  answer?: { readonly type: string; readonly body: string };
  stop(): Promise<void>;
}

/** Names of inputs, or descriptions with a name. */
type Inputs = readonly (string | { readonly name: string })[];

/**
 * Starts a crew that accepts the token "right"; "forbidden" has no permission. It has two inputs, reports them missing in each
 * kickoff, knows no execution, and has only the status path of the vendor's OpenAPI file.
 */
export async function startSmallCrew(inputs: Inputs = ["topic", "audience"]): Promise<SmallCrew> {
  const tokens: (string | undefined)[] = [];
  const server = createServer(({ headers, url = "" }, response) => {
    tokens.push(headers.authorization);
    const {
      status,
      type = "application/json",
      body,
    } = crew.answer === undefined
      ? answerTo(url, headers.authorization, inputs)
      : { status: 200, ...crew.answer };
    response
      .writeHead(status, { "content-type": type })
      .end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const crew: SmallCrew = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return crew;
}

function answerTo(
  path: string,
  authorization: string | undefined,
  inputs: Inputs,
): { status: number; type?: string; body: object } {
  if (authorization === "Bearer forbidden") return { status: 403, body: { detail: "Forbidden" } };
  if (authorization !== "Bearer right")
    return {
      status: 401,
      body: { error: "Unauthorized", message: "Invalid or missing bearer token" },
    };
  if (path.endsWith("/kickoff"))
    return {
      status: 422,
      body: {
        detail: `Missing inputs: ${inputs.map((input) => (typeof input === "string" ? input : input.name)).join(", ")}`,
      },
    };
  if (path.endsWith("/inputs")) return { status: 200, body: { inputs } };
  return {
    status: 404,
    body: path.startsWith("/status/") ? { error: "Execution not found" } : { detail: "Not Found" },
  };
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
