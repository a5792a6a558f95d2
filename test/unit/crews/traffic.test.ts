import assert from "node:assert/strict";
import { CrewClient } from "../../../src/api/client.ts";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { Traffic } from "../../../src/api/traffic.ts";
import { logTraffic } from "../../../src/crews/traffic.ts";
import { json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { errorOf, HastyClock, token } from "../api/support.ts";

/** VS Code's log levels. */
const levels = { trace: 1, debug: 2, info: 3 };

/** Collects lines with their level first, and drops those below its own level as VS Code's channel does. */
function listLog(level: number) {
  const lines: string[] = [];
  const keep = (name: string, at: number) => (text: string) => {
    if (at >= level) lines.push(`${name} ${text}`);
  };
  return {
    ...{ lines, isTracing: level === levels.trace },
    ...{ trace: keep("trace", 1), debug: keep("debug", 2), info: keep("info", 3) },
    ...{ warn: keep("warn", 4), error: keep("error", 5) },
  };
}
type ListLog = ReturnType<typeof listLog>;

describe("the log of exchanges", () => {
  let server: MisbehavingServer;

  beforeEach(async () => {
    server = await MisbehavingServer.start();
  });
  afterEach(() => server.stop());

  const clientFor = (log: ListLog) =>
    new CrewClient(server.url, token, {
      clock: new HastyClock(),
      random: () => 0.5,
      onTraffic: (traffic) => logTraffic(log, log.isTracing, "Travel", traffic),
    });
  /** The lines, with exchanges numbered from 1. */
  const counted = (log: ListLog) => {
    const ids = [...new Set(log.lines.map((line) => /\[(\d+) /.exec(line)?.[1]))];
    return log.lines.map((line) =>
      line.replace(/\[(\d+) /, (_all, id: string) => `[${ids.indexOf(id) + 1} `),
    );
  };

  it("reports a request before it is sent, and its end with the same number", async () => {
    const log = listLog(levels.debug);
    let atServer: readonly string[] = [];
    server.next(
      (response, request) => {
        atServer = [...counted(log)];
        json(200, { kickoff_id: "k-1" })(response, request);
      },
      json(200, { inputs: [] }),
    );
    await clientFor(log).kickoff({ inputs: {} });
    await clientFor(log).inputs();
    assert.deepEqual(atServer, ["info [1 Travel] → POST /kickoff"]);
    assert.deepEqual(counted(log), [
      "info [1 Travel] → POST /kickoff",
      "info [1 Travel] ← 200 in 0 ms",
      "debug [2 Travel] → GET /inputs",
      "debug [2 Travel] ← 200 in 0 ms",
    ]);
  });

  it("warns of a failed GET, and reports a failed POST as an error", async () => {
    const log = listLog(levels.info);
    server.next(json(503, {}), json(200, { inputs: [] }), json(500, {}));
    await clientFor(log).inputs();
    await errorOf(clientFor(log).kickoff({ inputs: {} }));
    assert.deepEqual(counted(log), [
      "warn [1 Travel] ← 503 gateway in 0 ms",
      "info [2 Travel] → POST /kickoff",
      "error [2 Travel] ← 500 server in 0 ms",
    ]);
  });

  it("does not warn about an unknown ID, which may be a pause", async () => {
    const log = listLog(levels.info);
    server.next(json(404, { detail: "Kickoff k-1 not found" }));
    server.otherwise = json(404, { detail: "Kickoff k-1 not found" });
    await errorOf(clientFor(log).status("k-1"));
    assert.deepEqual(log.lines, []);
  });

  it("shows bodies at trace level only, truncated", async () => {
    const [traced, debugged] = [listLog(levels.trace), listLog(levels.debug)];
    server.otherwise = json(200, { kickoff_id: "k-1", text: "x".repeat(10_000) });
    for (const log of [traced, debugged])
      await clientFor(log).kickoff({ inputs: { city: "Oslo" } });
    const bodies = traced.lines.filter((line) => line.startsWith("trace"));
    assert.match(bodies[0]!, /→ \{"inputs":\{"city":"Oslo"\}\}$/);
    assert.match(bodies[1]!, /← \{"kickoff_id":"k-1","text":"x{3000,}… \(\d+ characters\)$/);
    assert(bodies[1]!.length < 4_200);
    assert.equal(debugged.lines.length, 2);
  });

  it("doesn't compute a body that isn't logged", () => {
    const traffic: Traffic = {
      kind: "request",
      id: 1,
      method: "POST",
      path: "/kickoff",
      body: () => assert.fail("made"),
    };
    logTraffic(listLog(levels.debug), false, "Travel", traffic);
  });

  describe("at trace level holds no secret", () => {
    const ownPath = "own_path-SECRET-".padEnd(43, "x");
    const secrets = [
      "hook-bearer-SECRET",
      "stream-bearer-SECRET",
      "basic-pass-SECRET",
      "path-SECRET",
      "query-SECRET",
      "user-SECRET",
      "typed-SECRET",
      ownPath,
    ];
    const callbacks = {
      taskWebhookUrl: "https://hooks.example.com/services/path-SECRET?key=query-SECRET",
      crewWebhookUrl: "https://user-SECRET:pw@hooks.example.com/",
      stepWebhookUrl: `http://127.0.0.1:7000/${ownPath}`,
      humanInputWebhook: {
        url: "https://hooks.example.com/path-SECRET",
        authentication: { strategy: "bearer", token: "hook-bearer-SECRET" },
      },
      webhooks: {
        events: ["llm_call_started"],
        url: "https://hooks.example.com/path-SECRET",
        authentication: { strategy: "bearer", token: "stream-bearer-SECRET" },
      },
    } as const;
    /** What a crew may repeat, in members of any name. */
    const echo = {
      detail: `You sent ${token}, hook-bearer-SECRET, stream-bearer-SECRET and ${ownPath}.`,
      authorization: `Bearer ${token}`,
      taskWebhookUrl: callbacks.taskWebhookUrl,
    };

    const inputs = {
      ...{ city: "Oslo", api_key: "typed-SECRET", nested: [{ password: "typed-SECRET" }] },
    };
    const kickoff = (client: CrewClient) => client.kickoff({ inputs, ...callbacks });
    const resume = (client: CrewClient) =>
      client.resume({
        ...{ executionId: "k-1", taskId: "review", humanFeedback: "Good.", isApprove: true },
        ...callbacks,
        humanInputWebhook: {
          url: "https://hooks.example.com/path-SECRET",
          authentication: {
            ...{ strategy: "basic", username: "user-SECRET", password: "basic-pass-SECRET" },
          },
        },
      });
    const repeated = `You sent ${token}, basic-pass-SECRET and stream-bearer-SECRET.`;
    for (const [what, send, answer] of [
      ["an accepted kickoff", kickoff, json(200, { kickoff_id: "k-1", ...echo })],
      ["a refused kickoff that the crew repeats; nor does the error", kickoff, json(422, echo)],
      ["a resume", resume, json(200, { status: "resumed", message: repeated })],
      [
        "an answer that isn't JSON",
        kickoff,
        text(500, `<p>${token} hook-bearer-SECRET typed-SECRET</p>`, {
          "content-type": "text/html",
        }),
      ],
    ] as const)
      it(`of ${what}`, async () => {
        const log = listLog(levels.trace);
        server.next(answer);
        const sent: Promise<unknown> = send(clientFor(log));
        const error = await sent.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        for (const secret of [token, ...secrets])
          assert(
            !log.lines.some((line) => line.includes(secret)),
            `${secret} shows in ${log.lines.join("\n")}`,
          );
        const bodies = log.lines.filter((line) => line.startsWith("trace"));
        assert.equal(bodies.length, 2, "both bodies are logged");
        if (send === kickoff)
          assert.match(
            bodies[0] ?? "",
            /"city":"Oslo".*"taskWebhookUrl":"https:\/\/hooks\.example\.com\/…"/,
          );
        if (error instanceof CrewApiError)
          assert.doesNotMatch(
            `${error.message} ${error.remedy} ${error.body ?? ""}`,
            /bearer-SECRET/,
          );
      });
  });
});
