import assert from "node:assert/strict";
import { json, MisbehavingServer, text, type Behaviour } from "../../support/misbehaving-server.ts";
import { clientOf, errorOf } from "./support.ts";

describe("the two status paths", () => {
  let server: MisbehavingServer;
  beforeEach(async () => (server = await MisbehavingServer.start()));
  afterEach(() => server.stop());

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
    [
      "one beside FastAPI's words",
      json(404, { ...unknown, detail: "Not Found" }),
      "notFound",
      1,
      true,
    ],
    ["its ID", json(404, { message: "Execution ID not found" }), "notFound", 1, true],
    ["its detail alone", json(404, { detail: "Unknown kickoff" }), "notFound", 1, true],
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
