import assert from "node:assert/strict";
import type { StatusPath } from "../../../src/api/types.ts";
import { json, MisbehavingServer, text, type Behaviour } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf } from "./support.ts";

const specified: StatusPath = "/{kickoff_id}/status";
const published: StatusPath = "/status/{kickoff_id}";

describe("the two status paths", () => {
  let server: MisbehavingServer;
  let stored: StatusPath[];
  beforeEach(async () => {
    server = await MisbehavingServer.start();
    stored = [];
  });
  afterEach(() => server.stop());

  const asked = (): string[] => server.requests.map((request) => request.path);
  const client = (statusPath?: StatusPath) =>
    clientOf(server.url, {
      onStatusPath: (path) => stored.push(path),
      ...(statusPath === undefined ? {} : { statusPath }),
    });
  /** A crew with one of the routes. */
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
    assert.deepEqual(stored, [specified]);
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
  ] as const) {
    it(`requests the other path after ${what}, and remembers it`, async () => {
      server.otherwise = routed(/^\/status\//, running, missing);
      const one = client();
      await one.status("k");
      await one.status("k");
      assert.deepEqual(asked(), ["/k/status", "/status/k", "/status/k"]);
      assert.deepEqual(stored, [published]);
    });
  }

  it("requests the known path first, and reports nothing", async () => {
    server.otherwise = running;
    await client(published).status("k");
    assert.deepEqual(asked(), ["/status/k"]);
    assert.deepEqual(stored, []);
  });

  for (const [what, there] of [
    ["says 404", json(404, { error: "Execution not found", message: "No execution found" })],
    ["answers NOT FOUND", json(200, { state: "NOT FOUND" })],
  ] as const) {
    it(`finds the right path with a nonexistent execution, for which the crew ${what}`, async () => {
      server.otherwise = routed(/^\/status\//, there);
      assert.equal(await client().findStatusPath(), published);
      server.otherwise = routed(/\/status$/, there);
      assert.equal(await client(published).findStatusPath(), specified);
      assert.ok(server.requests.every(({ method }) => method === "GET"));
    });
  }

  for (const [what, answer] of [
    ["has neither", json(404, { detail: "Not Found" })],
    ["has neither, but pages", text(404, "<h1>Not here</h1>")],
    ["refuses the token there", json(403, {})],
  ] as const) {
    it(`finds no path for a crew that ${what}`, async () => {
      server.otherwise = answer;
      assert.equal(await client().findStatusPath(), undefined);
      assert.equal(await client(published).findStatusPath(), undefined);
    });
  }

  it("replaces a known path that no longer exists", async () => {
    server.otherwise = routed(/\/status$/, running);
    await client(published).status("k");
    assert.deepEqual(asked(), ["/status/k", "/k/status"]);
    assert.deepEqual(stored, [specified]);
  });

  for (const body of [
    { error: "Execution not found", message: "No execution found with ID: k" },
    { error: "Not Found", message: "Execution ID not found" },
    { error: "Execution not found", message: "No execution found with ID: k", detail: "Not Found" },
    { detail: "Unknown kickoff" },
  ]) {
    it(`distinguishes an unknown execution from an unknown route: ${JSON.stringify(body)}`, async () => {
      server.otherwise = json(404, body);
      const error = await errorOf(client().status("k"));
      assert.equal(error.kind, "notFound");
      assert.equal(error.status, 404);
      assert.deepEqual(asked(), ["/k/status"]);
      assert.deepEqual(stored, [specified]);
    });
  }

  it("ignores the route's text in an ID", async () => {
    server.otherwise = routed(
      /^\/status\//,
      running,
      json(404, { message: "No route for /task-7/status" }),
    );
    await client().status("task-7");
    assert.deepEqual(stored, [published]);
  });

  it("reports “not found” and stores nothing if neither path exists", async () => {
    server.otherwise = json(404, { detail: "Not Found" });
    const error = await errorOf(client().status("k"));
    assert.equal(error.kind, "notFound");
    assert.match(error.remedy, /address/);
    assert.deepEqual(asked(), ["/k/status", "/status/k"]);
    assert.deepEqual(stored, []);
  });

  it("accepts NOT FOUND of the live dialect as an answer", async () => {
    server.otherwise = routed(
      /^\/status\//,
      json(200, { state: "NOT FOUND", status: "Task not found" }),
    );
    assert.equal((await client().status("k")).state, "unknown");
    assert.deepEqual(stored, [published]);
  });

  it("doesn't try the other path after another failure", async () => {
    server.otherwise = json(401, { detail: "Not authenticated" });
    assert.equal((await errorOf(client().status("k"))).kind, "unauthorized");
    assert.deepEqual(asked(), ["/k/status"]);
  });

  for (const id of ["", " ", ".", ".."]) {
    it(`refuses an ID such as ${JSON.stringify(id)} before it sends anything`, async () => {
      assert.equal((await errorOf(client().status(id))).kind, "badRequest");
      assert.equal(server.requests.length, 0);
    });
  }
});
