import assert from "node:assert/strict";
import { CrewClient } from "../../../src/api/client.ts";
import { logTraffic } from "../../../src/crews/traffic.ts";
import { json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { errorOf, HastyClock, token } from "../api/support.ts";

/** VS Code's log levels. */
const levels = { debug: 2, info: 3 };

/** Collects lines with their level first, and drops those below its own level as VS Code's channel does. */
function listLog(level: number) {
  const lines: string[] = [];
  const keep = (name: string, at: number) => (text: string) => {
    if (at >= level) lines.push(`${name} ${text}`);
  };
  return {
    ...{ lines, debug: keep("debug", 2), info: keep("info", 3) },
    ...{ warn: keep("warn", 4), error: keep("error", 5) },
  };
}
type ListLog = ReturnType<typeof listLog>;

describe("the log of exchanges", () => {
  let server: MisbehavingServer;

  beforeEach(async () => {
    server = await MisbehavingServer.start();
  });

  const clientFor = (log: ListLog) =>
    new CrewClient(server.url, token, {
      clock: new HastyClock(),
      random: () => 0.5,
      onTraffic: (traffic) => logTraffic(log, "Travel", traffic),
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

  it("never shows a secret, nor does an error of what the crew repeats", async () => {
    const log = listLog(levels.debug);
    const secrets = ["bearer-SECRET", "password-SECRET", "own_path-SECRET-".padEnd(43, "x")];
    const [bearer = "", password = "", ownPath = ""] = secrets;
    const inputs = { city: "Oslo", nested: [{ password }] };
    const webhooks = {
      events: ["llm_call_started"],
      url: "https://hooks.test/path",
      authentication: { strategy: "bearer", token: bearer },
    } as const;
    const request = { inputs, webhooks, stepWebhookUrl: `http://127.0.0.1:7000/${ownPath}` };
    const detail = `You sent ${token}, ${secrets.join(", ")}.`;
    for (const answer of [json(422, { detail }), text(500, `<p>${detail}</p>`)]) {
      server.next(answer);
      const { message, remedy, body } = await errorOf(clientFor(log).kickoff(request));
      const shown = [...log.lines, message, remedy, body].join("\n");
      assert.match(shown, /You sent \[token\], \[secret\]/);
      for (const secret of [token, ...secrets]) assert.ok(!shown.includes(secret), shown);
    }
  });
});
