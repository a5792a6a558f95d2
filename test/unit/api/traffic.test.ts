import assert from "node:assert/strict";
import { logTraffic, type Traffic } from "../../../src/api/transport.ts";
import { CrewClient } from "../../../src/api/client.ts";
import { json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { errorOf, token } from "./support.ts";

function listLog() {
  const lines: string[] = [];
  const keep = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
  const log = {
    ...{ debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
  };
  return { lines, onTraffic: (traffic: Traffic) => logTraffic(log, "Travel\n", traffic) };
}

describe("the log of exchanges", () => {
  for (const [method, ended, line] of [
    ["POST", {}, "info [1 Travel ] → POST /a"],
    ["GET", {}, "debug [1 Travel ] → GET /a"],
    ["POST", { status: 200, milliseconds: 1.6 }, "info [1 Travel ] ← 200 in 2 ms"],
    ["GET", { status: 200, milliseconds: 1 }, "debug [1 Travel ] ← 200 in 1 ms"],
    ["POST", { error: "timeout", milliseconds: 1 }, "error [1 Travel ] ← timeout in 1 ms"],
    [
      "GET",
      { status: 503, error: "gateway", milliseconds: 1 },
      "warn [1 Travel ] ← 503 gateway in 1 ms",
    ],
    // It may be a pause.
    [
      "GET",
      { status: 404, error: "notFound", milliseconds: 1 },
      "debug [1 Travel ] ← 404 notFound in 1 ms",
    ],
  ] as const)
    it(`has the line: ${line}`, () => {
      const { lines, onTraffic } = listLog();
      onTraffic({ id: 1, method, path: "/a", ...ended });
      assert.deepEqual(lines, [line]);
    });

  it("never shows a secret, nor does an error of what the crew repeats", async () => {
    const { lines, onTraffic } = listLog();
    const server = await MisbehavingServer.start();
    const client = new CrewClient(server.url, token, { onTraffic });
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
      const { message, remedy, body } = await errorOf(client.kickoff(request));
      const shown = [...lines, message, remedy, body].join("\n");
      assert.match(shown, /You sent \[token\], \[secret\]/);
      for (const secret of [token, ...secrets]) assert.ok(!shown.includes(secret), shown);
    }
  });
});
