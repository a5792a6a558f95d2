import assert from "node:assert/strict";
import { AddressError } from "../../../src/api/address.ts";
import { CrewClient } from "../../../src/api/client.ts";
import type { KickoffRequest, ResumeRequest } from "../../../src/api/types.ts";
import type { Traffic } from "../../../src/api/transport.ts";
import { json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf, token } from "./support.ts";

describe("the client of a crew", () => {
  let server: MisbehavingServer;
  beforeEach(async () => (server = await MisbehavingServer.start()));
  afterEach(() => server.stop());

  const lastBody = (): unknown => JSON.parse(server.requests.at(-1)?.body ?? "");

  it("sends the token with each of the four requests, and a body only if the specification has one", async () => {
    server.otherwise = json(200, { inputs: [], kickoff_id: "k", status: "running" });
    const client = clientOf(`${server.url}/`, { userAgent: "crewdeck/1.2" });
    await client.inputs();
    await client.kickoff({ inputs: {} });
    await client.status("k");
    await client.resume({ executionId: "k", taskId: "t", humanFeedback: "", isApprove: true });
    assert.deepEqual(
      server.requests.map(({ method, path, headers, body }) => [
        `${method} ${path}`,
        headers["content-type"],
        body === "",
      ]),
      [
        ["GET /inputs", undefined, true],
        ["POST /kickoff", "application/json", false],
        ["GET /k/status", undefined, true],
        ["POST /resume", "application/json", false],
      ],
    );
    for (const { headers } of server.requests)
      assert.deepEqual(
        [headers["authorization"], headers["accept"], headers["user-agent"]],
        [`Bearer ${token}`, "application/json", "crewdeck/1.2"],
      );
  });

  it("requests the token for every request", async () => {
    const tokens = ["one", "two"];
    server.otherwise = json(200, { inputs: ["topic"] });
    const client = new CrewClient(server.url, () => Promise.resolve(tokens.shift() ?? ""));
    assert.deepEqual((await client.inputs()).fields, [{ name: "topic" }]);
    await client.inputs();
    const sent = server.requests.map((request) => request.headers["authorization"]);
    assert.deepEqual(sent, ["Bearer one", "Bearer two"]);
  });

  it("throws the error of the token source, and sends nothing", async () => {
    const locked = new Error("The keyring is locked");
    await assert.rejects(
      new CrewClient(server.url, () => Promise.reject(locked)).inputs(),
      (error) => error === locked,
    );
    assert.equal(server.requests.length, 0);
  });

  it("keeps a base path", async () => {
    server.next(json(200, { inputs: [] }));
    await clientOf(`${server.url}/crews/one/kickoff`).inputs();
    assert.equal(server.requests[0]?.path, "/crews/one/inputs");
  });

  it("refuses an address that must not get a token", () => {
    assert.throws(() => new CrewClient("http://crew.example", token), AddressError);
    const baseUrl = new CrewClient("https://crew.example/kickoff", token).baseUrl;
    assert.equal(baseUrl, "https://crew.example");
  });

  it("ignores the Content-Type of an answer", async () => {
    server.next(
      text(200, "\ufeff" + JSON.stringify({ inputs: ["ä"] }), { "content-type": "text/html" }),
    );
    assert.deepEqual((await clientOf(server.url).inputs()).fields, [{ name: "ä" }]);
  });

  describe("kickoff", () => {
    const callbacks = {
      taskWebhookUrl: "https://t.example",
      stepWebhookUrl: "https://s.example",
      crewWebhookUrl: "https://c.example",
      humanInputWebhookUrl: "https://h.example",
    };
    const secret = {
      humanInputWebhook: {
        url: "https://h.example",
        authentication: { strategy: "basic", username: "u", password: "p" },
      },
      webhooks: {
        events: ["crew_kickoff_started"],
        url: "https://e.example",
        realtime: false,
        authentication: { strategy: "bearer", token: "t" },
      },
    } as const;

    it("sends every field", async () => {
      const request: KickoffRequest = {
        inputs: { topic: "AI", n: 3, list: [null, { a: true }] },
        meta: { requestId: "r" },
        restoreFromStateId: "s-1",
        ...callbacks,
        ...secret,
      };
      const extra = { priority: "high" };
      server.next(json(200, { kickoff_id: "k-1", more: 1 }));
      assert.deepEqual(await clientOf(server.url).kickoff({ ...request, extra }), {
        kickoffId: "k-1",
      });
      assert.deepEqual(lastBody(), { ...request, ...extra });
    });

    it("omits undefined and blank callbacks", async () => {
      server.next(json(202, { kickoffId: "k-1" }));
      const { kickoffId } = await clientOf(server.url).kickoff({ inputs: {}, taskWebhookUrl: "" });
      assert.equal(kickoffId, "k-1");
      assert.deepEqual(lastBody(), { inputs: {} });
    });
  });

  describe("resume", () => {
    const request: ResumeRequest = {
      executionId: "k-1",
      taskId: "research",
      humanFeedback: "More.\nNumbers!",
      isApprove: false,
    };

    it("sends both casings of all four fields, and the callbacks again", async () => {
      server.next(json(200, { status: "retrying", message: "Again" }));
      await clientOf(server.url).resume({
        ...request,
        crewWebhookUrl: "https://c.example",
        stepWebhookUrl: "",
      });
      assert.equal(`${server.requests[0]?.method} ${server.requests[0]?.path}`, "POST /resume");
      assert.deepEqual(lastBody(), {
        execution_id: "k-1",
        executionId: "k-1",
        task_id: "research",
        taskId: "research",
        human_feedback: "More.\nNumbers!",
        humanFeedback: "More.\nNumbers!",
        is_approve: false,
        isApprove: false,
        crewWebhookUrl: "https://c.example",
      });
    });

    const done = { status: "completed", message: "Done" };
    const said = { status: "resumed", message: "On" };
    for (const [raw, read] of [
      [said, said],
      [{ status: "RETRYING" }, { status: "retrying" }],
      [done, done],
      [{ kickoff_id: "k-2" }, { kickoffId: "k-2" }],
      [{ status: "Queued for you" }, { message: "Queued for you" }],
      [{}, {}],
    ])
      it(`reads ${JSON.stringify(raw)}`, async () => {
        server.next(json(200, raw));
        assert.deepEqual(await clientOf(server.url).resume(request), read);
      });
  });

  it("returns the answer even if the log fails, as VS Code's does when the extension ends", async () => {
    server.next(json(200, { kickoff_id: "k" }), json(401, {}));
    const client = clientOf(server.url, {
      onTraffic: () => {
        throw new Error("Channel has been closed");
      },
    });
    assert.equal((await client.kickoff({ inputs: {} })).kickoffId, "k");
    assert.equal((await errorOf(client.kickoff({ inputs: {} }))).sent, "no");
  });

  it("reports each request to a log, without the token", async () => {
    const seen: Traffic[] = [];
    server.next(json(503, {}), json(200, { inputs: [] }), json(401, { detail: token }));
    const client = clientOf(server.url, { onTraffic: (traffic) => seen.push(traffic) });
    await client.inputs();
    await errorOf(client.kickoff({ inputs: { secret: token } }));
    const logged = seen.map((each) => ({ ...each, id: each.id - seen[0]!.id }));
    const get = { method: "GET", path: "/inputs" };
    const post = { id: 2, method: "POST", path: "/kickoff" };
    const end = { milliseconds: 0 };
    assert.deepEqual(logged, [
      { id: 0, ...get },
      { id: 0, ...end, ...get, status: 503, error: "gateway" },
      { id: 1, ...get },
      { id: 1, ...end, ...get, status: 200 },
      post,
      { ...end, ...post, status: 401, error: "unauthorized" },
    ]);
    assert(!JSON.stringify(seen).includes(token));
  });
});
