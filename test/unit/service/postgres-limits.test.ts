import assert from "node:assert/strict";
import { documentedDialect } from "../../../src/service/dialects.ts";
import { rehearsalEngine } from "../../../src/service/engine.ts";
import { openService } from "../../../src/service/service.ts";
import { openStorage } from "../../../src/service/storage.ts";
import { type TestPostgres, withPostgres } from "../../support/postgres.ts";
import { ask, crew, frontOf, inputs, secretKey } from "./support.ts";

describe("The limit of kickoffs of several processes", () => {
  let server: TestPostgres;
  withPostgres((given) => (server = given));

  const limit = 25;

  /** An API process that serves two crews. */
  async function open(url: string) {
    const storage = await openStorage({ url, connections: 5 }, secretKey, () => undefined);
    const crews = ["one", "two"].map((name) => ({
      ...{ name, engine: rehearsalEngine(0), dialect: documentedDialect },
      ...{ readProject: () => Promise.resolve(crew), feedbackWebhook: undefined },
    }));
    const service = openService({
      ...{ storage, role: "api", crews, log: () => undefined },
      ...{ callbackBackoffMs: 10, callbackTimeoutMs: 1000, maxProcesses: 4 },
    });
    const app = frontOf(
      crews.map((each) => ({ ...each, fetch: service.appOf(each, limit).fetch })),
    );
    const post = async (of: "one" | "two", path: string, body: object) =>
      await ask(app, `/${of}${path}`, body);
    return {
      post,
      kickoff: () => post("one", "/kickoff", { inputs }),
      close: () => service.close(),
    };
  }

  it("holds for kickoffs that are stored together: each is accepted or refused by itself", async () => {
    const { kickoff, close } = await open(await server.createDatabase());
    try {
      const answers = await Promise.all(Array.from({ length: limit + 5 }, kickoff));
      const codes = answers.map(({ status }) => status);
      assert.deepEqual(codes, [...Array<number>(limit).fill(200), ...Array<number>(5).fill(429)]);
      const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body] : []));
      assert.equal(new Set(ids.map((body) => JSON.stringify(body))).size, limit);
    } finally {
      await close();
    }
  });

  it("holds over all of them, and for each crew", async () => {
    const url = await server.createDatabase();
    const processes = await Promise.all([1, 2].map(() => open(url)));
    const [first, second] = processes;
    assert.ok(first && second);
    try {
      const accepted = await Promise.all(Array.from({ length: limit }, first.kickoff));
      const { status, headers, body } = await second.kickoff();
      assert.deepEqual([status, headers.get("Retry-After")], [429, "10"]);
      assert.match(JSON.stringify(body), /already has 25 executions that are queued or running/);
      assert.equal((await second.post("two", "/kickoff", { inputs })).status, 200);
      const { kickoff_id: id } = accepted[0]!.body as { kickoff_id: string };
      assert.equal((await first.post("one", `/stop/${id}`, {})).status, 200);
      assert.equal((await second.kickoff()).status, 200);
      assert.equal((await first.kickoff()).status, 429);
    } finally {
      for (const { close } of processes) await close();
    }
  });
});
