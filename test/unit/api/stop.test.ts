import assert from "node:assert/strict";
import { json, MisbehavingServer, text } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf } from "./support.ts";

describe("asking a crew to stop an execution", () => {
  let server: MisbehavingServer;
  let missing: number;
  beforeEach(async () => {
    server = await MisbehavingServer.start();
    missing = 0;
  });
  afterEach(() => server.stop());

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
