import assert from "node:assert/strict";
import { createProbes } from "../../../../src/service/operations/probes.ts";
import { waitFor } from "../../../support/wait.ts";
import { harness, serve } from "../support.ts";

const token = "metrics-token-0123456789";

type Options = Parameters<typeof createProbes>[0];

describe("service: probes", () => {
  let asked: number;
  let answer: () => Promise<void>;
  let log: string[];
  beforeEach(() => {
    asked = 0;
    answer = () => Promise.resolve();
    log = [];
  });

  const probesOf = (options: Partial<Options> = {}) =>
    createProbes({
      database: {
        query: async (work) => {
          asked += 1;
          await answer();
          const step = work.next({ rows: [], changes: 0 });
          const end = step.done === true ? step : work.next({ rows: [], changes: 0 });
          return end.done === true ? end.value : assert.fail("It is more than a query.");
        },
      },
      metrics: {
        text: () => Promise.resolve("crewdeck 1\n"),
        contentType: "text/plain; version=0.0.4; charset=utf-8",
      },
      metricsToken: undefined,
      isLocal: true,
      log: (line) => log.push(line),
      ...options,
    });
  const ask = async (
    probes: ReturnType<typeof createProbes>,
    address: string,
    init: RequestInit = {},
  ) => {
    const inner = () => new Response("inner");
    const response = await probes.before(inner)(new Request(address, init));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const metrics = (probes: ReturnType<typeof createProbes>, headers = {}, host = "127.0.0.1") =>
    ask(probes, `http://${host}/metrics`, { headers }).then(({ status }) => status);

  it("say without a token that the process runs and that it can work", async () => {
    const probes = probesOf({ isLocal: false });
    const healthy = await ask(probes, "https://crews.test/healthz");
    assert.deepEqual([healthy.status, healthy.text], [200, "ok"]);
    const ready = await ask(probes, "https://crews.test/readyz");
    assert.deepEqual([ready.status, ready.text], [200, '{"status":"ready"}']);
    assert.equal(asked, 1);
  });

  it("say why the service isn't ready, without what a database's error says, which is logged once", async () => {
    const probes = probesOf();
    answer = () => Promise.reject(new Error('no user "crews" at postgres://crews:pass@db'));
    for (let count = 0; count < 2; count += 1) {
      const { status, text } = await ask(probes, "http://127.0.0.1/readyz");
      assert.equal(status, 503);
      assert.deepEqual(JSON.parse(text), {
        status: "not ready",
        reason: "The database can't be read. The service's log says why",
      });
    }
    assert.equal(log.length, 1);
    answer = () => Promise.resolve();
    assert.equal((await ask(probes, "http://127.0.0.1/readyz")).status, 200);
  });

  it("wait at most a second for the database, and don't ask it again while it hangs", async () => {
    const probes = probesOf();
    let end = () => {};
    const hanging = new Promise<void>((resolve) => (end = resolve));
    answer = () => hanging;
    const begun = performance.now();
    for (let count = 0; count < 2; count += 1) {
      const { status, text } = await ask(probes, "http://127.0.0.1/readyz");
      assert.equal(status, 503);
      assert.match(text, /did not answer within 1 s/);
    }
    assert.ok(performance.now() - begun >= 1990);
    assert.equal(asked, 1);
    end();
    await waitFor(
      "the database to be asked again",
      async () => (await ask(probes, "http://127.0.0.1/readyz")).status === 200,
    );
  });

  it("say that a service that shuts down isn't ready, but runs", async () => {
    const probes = probesOf();
    probes.drain();
    const { status, text } = await ask(probes, "http://127.0.0.1/readyz");
    assert.equal(status, 503);
    assert.match(text, /shutting down/);
    assert.equal((await ask(probes, "http://127.0.0.1/healthz")).status, 200);
  });

  it("show metrics without a token to this machine only", async () => {
    const probes = probesOf();
    assert.equal(await metrics(probes), 200);
    assert.equal(await metrics(probes, {}, "localhost:1234"), 200);
    assert.equal(await metrics(probes, {}, "evil.test"), 403);
    assert.equal(await metrics(probes, { "X-Forwarded-For": "203.0.113.1" }), 403);
    assert.equal(await metrics(probes, { Forwarded: "for=203.0.113.1" }), 403);
    const shared = probesOf({ isLocal: false });
    assert.equal(await metrics(shared), 403);
    const { text } = await ask(shared, "https://crews.test/metrics");
    assert.match(text, /--metrics-token/);
  });

  it("show metrics to whoever has the token for them, and to nobody else", async () => {
    const probes = probesOf({ isLocal: false, metricsToken: token });
    assert.equal(await metrics(probes, { Authorization: `Bearer ${token}` }, "crews.test"), 200);
    for (const headers of [{}, { Authorization: "Bearer T" }, { Authorization: `Basic ${token}` }])
      assert.equal(await metrics(probes, headers), 401);
    const local = probesOf({ metricsToken: token });
    assert.equal(await metrics(local), 401);
  });

  it("accept no other method, and leave all other paths to the API", async () => {
    const probes = probesOf();
    for (const path of ["healthz", "readyz", "metrics"]) {
      const { status, headers } = await ask(probes, `http://127.0.0.1/${path}`, { method: "POST" });
      assert.deepEqual([status, headers.get("Allow")], [405, "GET, HEAD"]);
    }
    for (const path of ["/inputs", "/metrics/status", "/status/healthz", "/healthz/x", "/"])
      assert.equal((await ask(probes, `http://127.0.0.1${path}`)).text, "inner", path);
  });

  it("are answered by a service, which needs a token for everything else", async () => {
    await serve({ operations: {} });
    const { operations } = harness.service;
    const fetch = operations?.before(harness.app.fetch) ?? assert.fail();
    const status = async (path: string) =>
      (await fetch(new Request(`http://127.0.0.1${path}`))).status;
    for (const path of ["/healthz", "/readyz", "/metrics"]) assert.equal(await status(path), 200);
    for (const path of ["/inputs", "/metrics/status", "/status/metrics"])
      assert.equal(await status(path), 401, path);
  });
});
