import assert from "node:assert/strict";
import type { StatusPath } from "../../../src/api/types.ts";
import { json, MisbehavingServer, text, type Behaviour } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf } from "./support.ts";

const specified: StatusPath = "/{kickoff_id}/status";
const published: StatusPath = "/status/{kickoff_id}";

describe("the two status paths", () => {
  let server: MisbehavingServer;
  let told: StatusPath[];
  beforeEach(async () => {
    server = await MisbehavingServer.start();
    told = [];
  });
  afterEach(() => server.stop());

  const asked = (): string[] => server.requests.map((request) => request.path);
  const client = (statusPath?: StatusPath) =>
    clientOf(server.url, {
      onStatusPath: (path) => told.push(path),
      ...(statusPath === undefined ? {} : { statusPath }),
    });
  /** A crew that has one of the routes. */
  const routed =
    (
      pattern: RegExp,
      there: Behaviour,
      elsewhere: Behaviour = json(404, { detail: "Not Found" }),
    ): Behaviour =>
    (response, request) =>
      (pattern.test(request.path) ? there : elsewhere)(response, request);
  const running = json(200, { status: "running" });

  it("the specification's is requested first, and is enough if it works", async () => {
    server.otherwise = running;
    const one = client();
    assert.equal((await one.status("a b/c")).state, "running");
    await one.status("k");
    assert.deepEqual(asked(), ["/a%20b%2Fc/status", "/k/status"]);
    assert.deepEqual(told, [specified]);
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
    it(`the other is requested after ${what}, and remembered`, async () => {
      server.otherwise = routed(/^\/status\//, running, missing);
      const one = client();
      await one.status("k");
      await one.status("k");
      assert.deepEqual(asked(), ["/k/status", "/status/k", "/status/k"]);
      assert.deepEqual(told, [published]);
    });
  }

  it("the known one is requested first, and nothing is reported", async () => {
    server.otherwise = running;
    await client(published).status("k");
    assert.deepEqual(asked(), ["/status/k"]);
    assert.deepEqual(told, []);
  });

  for (const [what, there] of [
    ["says 404", json(404, { error: "Execution not found", message: "No execution found" })],
    ["answers NOT FOUND", json(200, { state: "NOT FOUND" })],
  ] as const) {
    it(`are told apart by an execution that there is none of, of which a crew ${what}`, async () => {
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
    it(`are not known of a crew that ${what}`, async () => {
      server.otherwise = answer;
      assert.equal(await client().findStatusPath(), undefined);
      assert.equal(await client(published).findStatusPath(), undefined);
    });
  }

  it("a known one that no longer exists is replaced", async () => {
    server.otherwise = routed(/\/status$/, running);
    await client(published).status("k");
    assert.deepEqual(asked(), ["/status/k", "/k/status"]);
    assert.deepEqual(told, [specified]);
  });

  for (const body of [
    { error: "Execution not found", message: "No execution found with ID: k" },
    { error: "Not Found", message: "Execution ID not found" },
    { error: "Execution not found", message: "No execution found with ID: k", detail: "Not Found" },
    { detail: "Unknown kickoff" },
  ]) {
    it(`an unknown execution is not an unknown route: ${JSON.stringify(body)}`, async () => {
      server.otherwise = json(404, body);
      const error = await errorOf(client().status("k"));
      assert.equal(error.kind, "notFound");
      assert.equal(error.status, 404);
      assert.deepEqual(asked(), ["/k/status"]);
      assert.deepEqual(told, [specified]);
    });
  }

  it("an id that repeats the route's text does not count", async () => {
    server.otherwise = routed(
      /^\/status\//,
      running,
      json(404, { message: "No route for /task-7/status" }),
    );
    await client().status("task-7");
    assert.deepEqual(told, [published]);
  });

  it("neither known is reported as not found, and nothing is stored", async () => {
    server.otherwise = json(404, { detail: "Not Found" });
    const error = await errorOf(client().status("k"));
    assert.equal(error.kind, "notFound");
    assert.match(error.remedy, /address/);
    assert.deepEqual(asked(), ["/k/status", "/status/k"]);
    assert.deepEqual(told, []);
  });

  it("an unknown execution in the live dialect is an answer", async () => {
    server.otherwise = routed(
      /^\/status\//,
      json(200, { state: "NOT FOUND", status: "Task not found" }),
    );
    assert.equal((await client().status("k")).state, "unknown");
    assert.deepEqual(told, [published]);
  });

  it("another failure doesn't try the other", async () => {
    server.otherwise = json(401, { detail: "Not authenticated" });
    assert.equal((await errorOf(client().status("k"))).kind, "unauthorized");
    assert.deepEqual(asked(), ["/k/status"]);
  });

  for (const id of ["", " ", ".", ".."]) {
    it(`an id such as ${JSON.stringify(id)} is refused before anything is sent`, async () => {
      assert.equal((await errorOf(client().status(id))).kind, "badRequest");
      assert.equal(server.requests.length, 0);
    });
  }
});
