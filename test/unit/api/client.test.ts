import assert from "node:assert/strict";
import { AddressError } from "../../../src/api/address.ts";
import { CrewClient } from "../../../src/api/client.ts";
import type { KickoffRequest, ResumeRequest } from "../../../src/api/types.ts";
import { parseRetryAfter, type Traffic } from "../../../src/api/transport.ts";
import { type Behaviour, json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf, HastyClock, token } from "./support.ts";

describe("the client of a crew", () => {
  let server: MisbehavingServer;
  beforeEach(async () => (server = await MisbehavingServer.start()));

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
    const asked = new CrewClient(server.url, () => Promise.reject(locked)).inputs();
    await assert.rejects(asked, (error) => error === locked);
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

  describe("the two status paths", () => {
    const asked = (): string[] => server.requests.map((request) => request.path);
    const client = () => clientOf(server.url, {});
    const routed =
      (
        pattern: RegExp,
        there: Behaviour,
        elsewhere: Behaviour = json(404, { detail: "Not Found" }),
      ): Behaviour =>
      (response, request) =>
        (pattern.test(request.path) ? there : elsewhere)(response, request);
    const running = json(200, { status: "running" });

    it("requests the specification's path first, and only that if it works", async () => {
      server.otherwise = running;
      const one = client();
      assert.equal((await one.status("a b/c")).state, "running");
      await one.status("k");
      assert.deepEqual(asked(), ["/a%20b%2Fc/status", "/k/status"]);
    });

    for (const [what, missing] of [
      ["FastAPI's 404", json(404, { detail: "Not Found" })],
      ["a page", text(404, "<h1>Cannot GET /k/status</h1>", { "content-type": "text/html" })],
      ["an empty 404", text(404, "")],
      [
        "a named route",
        json(404, { error: "Not Found", message: "No route for /k/status", detail: "Not Found" }),
      ],
      ["405", json(405, { detail: "Method Not Allowed" })],
    ] as const)
      it(`requests the other path after ${what}, and remembers it`, async () => {
        server.otherwise = routed(/^\/status\//, running, missing);
        const one = client();
        await one.status("k");
        await one.status("k");
        assert.deepEqual(asked(), ["/k/status", "/status/k", "/status/k"]);
      });

    it("requests the other path if the known one has gone", async () => {
      server.otherwise = routed(/^\/status\//, running);
      const one = client();
      await one.status("k");
      server.otherwise = routed(/\/status$/, running);
      await one.status("k");
      assert.deepEqual(asked().slice(2), ["/status/k", "/k/status"]);
    });

    const noRoute = json(404, { detail: "Not Found" });
    const unknown = { error: "Execution not found", message: "No execution found with ID: k" };
    for (const [what, answer, kind, paths, isKnown] of [
      ["an unknown execution", json(404, unknown), "notFound", 1, true],
      ["its ID", json(404, { message: "Execution ID not found" }), "notFound", 1, true],
      ["no route at either path", noRoute, "notFound", 2, false],
      ["another failure", json(401, {}), "unauthorized", 1, false],
    ] as const)
      it(`distinguishes an unknown execution from an unknown route: ${what}`, async () => {
        server.otherwise = answer;
        const one = client();
        const error = await errorOf(one.status("k"));
        assert.equal(error.kind, kind);
        assert.deepEqual(asked(), ["/k/status", "/status/k"].slice(0, paths));
        await errorOf(one.status("k"));
        assert.equal(asked().length, paths + (isKnown ? 1 : paths), "a known path is remembered");
      });

    it("ignores the route's text in an ID, and accepts NOT FOUND of the live dialect as an answer", async () => {
      const named = json(404, { message: "No route for /task-7/status" });
      const there = json(200, { state: "NOT FOUND", status: "Task not found" });
      server.otherwise = routed(/^\/status\//, there, named);
      assert.equal((await client().status("task-7")).state, "unknown");
    });

    it("refuses an ID that a path can't hold before it sends anything", async () => {
      for (const id of ["", " ", ".", ".."])
        assert.equal((await errorOf(client().status(id))).kind, "badRequest");
      assert.equal(server.requests.length, 0);
    });
  });

  describe("retries", () => {
    let clock: HastyClock;
    beforeEach(() => void (clock = new HastyClock()));

    const good = json(200, { inputs: ["a"] });

    for (const status of [429, 500, 502, 503, 504]) {
      it(`a GET is retried after ${status}, three times in all, with growing waits`, async () => {
        server.next(text(status, ""), text(status, ""), good);
        assert.deepEqual(
          (await clientOf(server.url, { clock, random: () => 0.5 }).inputs()).fields,
          [{ name: "a" }],
        );
        assert.deepEqual(clock.waits, [250, 500]);
        server.otherwise = text(status, "");
        assert.equal((await errorOf(clientOf(server.url, { clock }).inputs())).status, status);
        assert.equal(server.requests.length, 6);
      });

      it(`a POST is not retried after ${status}`, async () => {
        server.otherwise = text(status, "", { "retry-after": "0" });
        await errorOf(clientOf(server.url, { clock }).kickoff({ inputs: {} }));
        const approval = { executionId: "k", taskId: "t", humanFeedback: "", isApprove: true };
        await errorOf(clientOf(server.url, { clock }).resume(approval));
        assert.equal(server.requests.length, 2);
        assert.deepEqual(clock.waits, []);
      });
    }

    for (const status of [400, 401, 403, 404, 422])
      it(`nothing is retried after ${status}, which is permanent`, async () => {
        server.otherwise = text(status, "");
        await errorOf(clientOf(server.url, { clock }).inputs());
        assert.equal(server.requests.length, 1);
      });

    it("Retry-After is added, in seconds or as a date", async () => {
      const start = clock.now();
      server.next(
        text(429, "", { "retry-after": "7" }),
        good,
        text(503, "", { "retry-after": new Date(start + 10_000).toUTCString() }),
        good,
      );
      const client = clientOf(server.url, { clock, random: () => 0.25 });
      await client.inputs();
      assert.deepEqual(clock.waits, [7125]);
      await client.inputs();
      assert.equal(clock.waits[1], 10_000 - 7125 + 125);
    });

    for (const [status, kind] of [
      [429, "rateLimited"],
      [503, "gateway"],
    ] as const)
      it(`a long Retry-After of ${status} is left to the caller`, async () => {
        server.otherwise = text(status, "", { "retry-after": "11" });
        const error = await errorOf(clientOf(server.url, { clock }).inputs());
        assert.equal(error.kind, kind);
        assert.equal(error.retryAfterMs, 11_000);
        assert.equal(server.requests.length, 1);
        assert.deepEqual(clock.waits, []);
      });

    it("an abort during the wait ends it", async () => {
      const controller = new AbortController();
      const after = (milliseconds: number) => {
        if (milliseconds < 20_000) controller.abort();
        return () => undefined;
      };
      server.next(text(503, ""));
      const client = clientOf(server.url, { clock: { now: () => 0, after } });
      const error = await errorOf(client.inputs({ signal: controller.signal }));
      assert.equal(error.kind, "aborted");
      assert.equal(server.requests.length, 1);
    });

    describe("Retry-After", () => {
      const now = Date.parse("2026-01-02T03:04:05Z");
      for (const [header, milliseconds] of [
        [null, undefined],
        ["", undefined],
        ["soon", undefined],
        ["0", 0],
        [" 12 ", 12_000],
        ["1.5", 1500],
        ["-5", 0],
        ["9".repeat(400), 86_400_000],
        ["Fri, 02 Jan 2026 03:04:35 GMT", 30_000],
        ["Fri, 02 Jan 2026 03:00:00 GMT", 0],
        ["Fri, 02 Jan 2099 03:00:00 GMT", 86_400_000],
      ] as const)
        it(`${JSON.stringify(header?.slice(0, 40) ?? null)} is ${String(milliseconds)}`, () => {
          assert.equal(parseRetryAfter(header, now), milliseconds);
        });
    });
  });

  describe("asking a crew to stop an execution", () => {
    let missing: number;
    beforeEach(() => void (missing = 0));

    const client = () => clientOf(server.url, { onNoStop: () => (missing += 1) });
    const sent = () => server.requests.map(({ method, path, body }) => [method, path, body]);

    it("is a POST without a body", async () => {
      server.otherwise = json(200, { status: "stopped", kickoffId: "a b" });
      assert.equal((await client().stop("a b")).status, "stopped");
      assert.deepEqual(sent(), [["POST", "/stop/a%20b", ""]]);
    });

    it("takes any object for an answer, and shows what the crew says", async () => {
      server.otherwise = json(200, {});
      assert.equal((await client().stop("k")).status, "stopped");
      server.otherwise = json(200, { status: "Stop requested\n" });
      assert.equal((await client().stop("k")).status, "Stop requested");
    });

    for (const [what, answer] of [
      ["FastAPI's 404", json(404, { detail: "Not Found" })],
      ["a page", text(404, "<h1>Cannot POST /stop/k</h1>", { "content-type": "text/html" })],
      ["405", json(405, { detail: "Method Not Allowed" })],
    ] as const)
      it(`reports a crew without the route: ${what}`, async () => {
        server.otherwise = answer;
        const error = await errorOf(client().stop("k"));
        assert.match(error.message, /^The crew does not offer to stop an execution \(40[45]\)\.$/);
        assert.deepEqual([error.sent, missing, server.requests.length], ["no", 1, 1]);
      });

    it("keeps apart an execution that the crew doesn't know, or that has ended", async () => {
      server.otherwise = json(404, { error: "Execution not found" });
      assert.equal((await errorOf(client().stop("k"))).kind, "notFound");
      server.otherwise = json(400, { detail: "Cannot stop execution. Current state: SUCCESS" });
      assert.match((await errorOf(client().stop("k"))).message, /Current state: SUCCESS/);
      assert.equal(missing, 0);
    });
  });
});
