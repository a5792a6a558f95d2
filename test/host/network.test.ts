import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { Crews } from "../../src/crews/crews.ts";
import { testCrew } from "../../src/actions/crews.ts";
import type { Certificate } from "../support/http-server.ts";
import { json, makeCertificate, MisbehavingServer } from "../support/misbehaving-server.ts";
import { startConnectProxy, type ConnectProxy } from "../support/connect-proxy.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";

const url = "https://crew.test";
const crew = { id: `url:${url}`, name: "Far away", url };

/** VS Code uses no proxy for this machine's own addresses, so the crew has a name that only the proxy resolves. */
describe("VS Code's proxy and certificate settings", () => {
  const earlier = new Map<string, unknown>();
  const tokens: (string | string[] | undefined)[] = [];
  const servers: MisbehavingServer[] = [];
  const proxies: ConnectProxy[] = [];
  let crews: Crews;
  let known: MisbehavingServer;

  const set = async (key: string, value: unknown) => {
    const settings = vscode.workspace.getConfiguration();
    if (!earlier.has(key)) earlier.set(key, settings.inspect(key)?.globalValue);
    await settings.update(key, value, vscode.ConfigurationTarget.Global);
  };

  async function startCrew(certificate: Certificate): Promise<MisbehavingServer> {
    const server = await MisbehavingServer.start(certificate);
    server.otherwise = (response, request) => {
      tokens.push(request.headers["authorization"]);
      json(200, { inputs: ["topic"], kickoff_id: "k-1" })(response, request);
    };
    servers.push(server);
    return server;
  }

  async function behindProxy(server?: MisbehavingServer): Promise<ConnectProxy> {
    const proxy = await startConnectProxy(server && Number(new URL(server.url).port));
    proxies.push(proxy);
    await set("http.proxy", proxy.url);
    return proxy;
  }

  before(async () => {
    const folder = process.env["CREWDECK_TEST_AUTHORITY"] ?? assert.fail("no test authority");
    const read = (name: string) => readFileSync(path.join(folder, name), "utf8");
    known = await startCrew({ key: read("crew.key"), cert: read("crew.pem") });
    await set("crewdeck.crews", [{ name: crew.name, url }]);
    crews = new Crews({ secrets: new MemorySecrets(), globalState: new MemoryMemento() });
    await crews.setToken(crew.id, { token: "right", type: "bearer" });
  });

  beforeEach(() => tokens.splice(0));

  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())));

  after(async () => {
    crews.dispose();
    for (const [key, value] of earlier) await set(key, value);
    for (const server of servers) await server.stop();
  });

  const test = async () => (await testCrew(crews, crew, false))!;
  const fails = async (cause: string, problem = /./) => {
    const report = await test();
    assert.deepEqual([report.ok, report.cause], [false, cause], report.problem);
    assert.match(report.problem ?? "", problem);
  };

  it("connect through a proxy to a crew whose certificate is signed by the machine's own authority", async () => {
    const proxy = await behindProxy(known);
    const report = await test();
    const { ok, cause, inputs, problem } = report;
    assert.deepEqual([ok, cause, inputs], [true, undefined, 1], problem);
    assert.deepEqual([...new Set(proxy.tunnels)], ["crew.test:443"]);
    assert.deepEqual([...new Set(tokens)], ["Bearer right"]);
  });

  it("refuse a crew of the same name with an untrusted certificate: the error names the certificate, and no token is sent", async () => {
    const proxy = await behindProxy(await startCrew(await makeCertificate("DNS:crew.test")));
    await fails(
      "certificate",
      /secure connection to crew\.test could not be established .*http\.systemCertificates/,
    );
    assert.equal(proxy.tunnels.length, 1);
    assert.deepEqual(tokens, []);
  });

  // In the oldest VS Code, Node has the authority whatever this setting is.
  if (process.env["CREWDECK_EDITION"] !== "oldest") {
    it("trust the machine's own authorities only while http.systemCertificates is on", async () => {
      await behindProxy(known);
      await set("http.systemCertificates", false);
      await fails("certificate");
      assert.deepEqual(tokens, []);
      await set("http.systemCertificates", true);
      assert.equal((await test()).ok, true);
    });
  }

  it("send a kickoff through the proxy, too, with each value of http.proxySupport", async () => {
    for (const support of ["override", "fallback", "on"]) {
      const proxy = await behindProxy(known);
      await set("http.proxySupport", support);
      const answer = await (await crews.client(crew)).kickoff({ inputs: {} });
      assert.deepEqual(
        [answer.kickoffId, proxy.tunnels, tokens.splice(0)],
        ["k-1", ["crew.test:443"], ["Bearer right"]],
        support,
      );
    }
  });

  it("name a proxy that can't be reached as the cause", async () => {
    const proxy = await behindProxy(known);
    await proxy.stop();
    proxies.splice(0);
    await fails("proxy", /proxy .*http\.proxy/);
  });

  it("name a proxy that requires a password as the cause", async () => {
    await behindProxy();
    await fails("proxy");
    assert.deepEqual(tokens, []);
  });
});
