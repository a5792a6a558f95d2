import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import path from "node:path";
import type { CrewProject } from "../../../src/projects/types.ts";
import { documentedDialect, liveDialect } from "../../../src/service/dialects.ts";
import type { Engine } from "../../../src/service/engine.ts";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { openService, type Service } from "../../../src/service/service.ts";
import { answerProblems } from "../../support/answer-check.ts";
import { readAnswer, type ApiAnswer, type DocumentedStatus } from "../../support/crew-api.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { waitFor } from "../../support/wait.ts";

/** Three tasks; the second one waits for a person. */
export const crew: CrewProject = {
  kind: "classic",
  entry: "crew.py",
  name: "example",
  agents: [
    {
      name: "researcher",
      role: "Researcher of {topic}",
      goal: "Find facts",
      backstory: "Knows {topic}",
    },
    { name: "writer", role: "Writer", goal: "Write", backstory: "Writes" },
  ],
  tasks: [
    {
      id: "research",
      description: "Research {topic}",
      expectedOutput: "Notes for {audience}",
      agent: "researcher",
      humanInput: false,
    },
    {
      id: "draft",
      description: "Write a draft",
      expectedOutput: "A draft",
      agent: "writer",
      humanInput: true,
    },
    {
      id: "polish",
      description: "Polish the draft",
      expectedOutput: "A text",
      agent: "writer",
      humanInput: false,
    },
  ],
  inputs: ["topic", "audience"],
};

/** Valid inputs of `crew`. */
export const inputs = { topic: "tides", audience: "sailors" };

export interface HarnessOptions {
  readonly project?: CrewProject;
  readonly readProject?: () => Promise<CrewProject>;
  readonly engine?: Engine;
  readonly dialect?: "documented" | "live";
  /** The folder of an earlier service. */
  readonly folder?: string;
  readonly callbackBackoffMs?: number;
  readonly callbackTimeoutMs?: number;
}

/** The real service in this process, without a socket. */
export class Harness {
  readonly folder: string;
  readonly service: Service;
  readonly log: string[] = [];
  /** What was left each time a person decided about held executions. */
  readonly left: (readonly string[])[] = [];

  constructor(options: HarnessOptions = {}) {
    this.folder = options.folder ?? temporaryFolder("service");
    this.service = openService({
      file: path.join(this.folder, "crewdeck.sqlite"),
      engine: options.engine ?? rehearsalEngine(0),
      dialect: options.dialect === "live" ? liveDialect : documentedDialect,
      tokens: { token: "T", userToken: "U" },
      readProject: options.readProject ?? (() => Promise.resolve(options.project ?? crew)),
      callbackBackoffMs: options.callbackBackoffMs ?? 10,
      callbackTimeoutMs: options.callbackTimeoutMs ?? 1000,
      log: (line) => this.log.push(line),
      onHeld: (ids) => this.left.push(ids),
    });
  }

  async start(): Promise<this> {
    await this.service.work();
    return this;
  }

  /** Fails if the response does not match openapi.yaml. */
  async request(
    method: string,
    address: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const text =
      body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await readAnswer(
      await this.service.app.request(address, {
        method,
        headers: { Authorization: "Bearer T", ...headers },
        ...text,
      }),
    );
    if (method !== "HEAD")
      assert.deepEqual(
        answerProblems({
          method,
          path: new URL(address, "http://localhost").pathname,
          status: answer.status,
          contentType: (answer.headers.get("Content-Type") ?? "").split(";")[0] ?? "",
          body: answer.body,
        }),
        [],
      );
    return answer;
  }

  async kickoff(request: object = { inputs }, token = "T"): Promise<string> {
    const { status, body } = await this.request("POST", "/kickoff", request, {
      Authorization: `Bearer ${token}`,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { kickoff_id: string }).kickoff_id;
  }

  async status(id: string): Promise<DocumentedStatus> {
    return (await this.request("GET", `/${id}/status`)).body as DocumentedStatus;
  }

  /** Resolves when the attempt waits. */
  async untilWaiting(id: string, attempt = 1): Promise<DocumentedStatus> {
    return waitFor(`attempt ${attempt} to wait`, async () => {
      const status = await this.status(id);
      assert.equal(status.status, "running", JSON.stringify(status));
      return status.pending_human_input?.attempt === attempt && status;
    });
  }

  async untilEnded(id: string): Promise<DocumentedStatus> {
    return waitFor("the execution to end", async () => {
      const status = await this.status(id);
      return status.status !== "running" && status;
    });
  }

  async resume(
    id: string,
    isApprove: boolean,
    feedback: string,
    more: object = {},
  ): Promise<ApiAnswer> {
    return this.request("POST", "/resume", {
      execution_id: id,
      task_id: "draft",
      human_feedback: feedback,
      is_approve: isApprove,
      ...more,
    });
  }

  async close(): Promise<void> {
    await this.service.close();
  }

  /** Closes the service and removes its data. */
  async end(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
