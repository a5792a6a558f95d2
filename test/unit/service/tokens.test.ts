import assert from "node:assert/strict";
import { isLoopback } from "../../../src/base/loopback.ts";
import { readAnswer } from "../../support/crew-api.ts";
import { harness, serve } from "./support.ts";

describe("service: tokens", () => {
  beforeEach(() => serve());

  const ask = (method: string, path: string, authorization: string | undefined, body?: unknown) =>
    harness.request(method, path, body, { Authorization: authorization ?? "" });

  it("answers 401 on every route without a token, with a wrong one or another scheme", async () => {
    const routes = [
      ["GET", "/inputs"],
      ["POST", "/kickoff"],
      ["GET", "/x/status"],
      ["GET", "/status/x"],
      ["POST", "/resume"],
      ["GET", "/unknown"],
    ] as const;
    for (const [method, path] of routes) {
      const anonymous = await readAnswer(await harness.app.request(path, { method }));
      const { error } = anonymous.body as { error: string };
      assert.deepEqual([anonymous.status, error], [401, "Unauthorized"], path);
      for (const authorization of [
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Bearer T2",
        "Basic T",
        "T",
      ]) {
        const { status, body, headers } = await ask(method, path, authorization);
        assert.equal(status, 401, `${path} ${authorization}`);
        const { error, message } = body as { error: string; message: string };
        assert.deepEqual([error, message], ["Unauthorized", "Invalid or missing bearer token"]);
        assert.equal(headers.get("WWW-Authenticate"), "Bearer");
      }
    }
  });

  it("accepts both tokens, the scheme in any case", async () => {
    for (const authorization of ["Bearer T", "bearer T", "Bearer U"])
      assert.equal((await ask("GET", "/inputs", authorization)).status, 200);
  });

  it("answers only requests to this machine's own names (DNS rebinding)", async () => {
    for (const host of ["localhost:80", "127.0.0.1:1234", "127.0.0.2", "[::1]:80"])
      assert.equal((await harness.request("GET", `http://${host}/inputs`)).status, 200, host);
    for (const host of [
      "example.com",
      "127.0.0.1.example.com",
      "localhost.example.com",
      "192.168.1.1",
      "10.0.0.1:127",
    ]) {
      assert.equal((await harness.request("GET", `http://${host}/inputs`)).status, 403, host);
    }
    assert.equal(isLoopback("0.0.0.0"), false);
  });
});
