import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../../src/service/errors.ts";
import { post } from "../../../src/service/sender.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { projectFolder, temporaryFolder } from "../../support/folders.ts";
import {
  breakOff,
  flood,
  makeCertificate,
  MisbehavingServer,
  stall,
} from "../../support/misbehaving-server.ts";

/** Ports that `fetch` blocks (its standard, section 2.10). */
const blocked = [5060, 6000, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080];

describe("service: the request of a callback", () => {
  const receiver = new CallbackReceiver();
  afterEach(() => receiver.stop().catch(() => undefined));

  it("reaches an address whose port `fetch` blocks", async () => {
    const base = await firstOf(blocked, (port) => receiver.start(port));
    await assert.rejects(fetch(base), ({ cause }: Error) => /bad port/.test(String(cause)));
    await post(`${base}/task?key=1`, { "Webhook-Id": "w" }, '{"output":"ü"}', 10_000);
    const [callback] = receiver.received;
    assert.deepEqual(
      [callback?.path, callback?.id, callback?.body],
      ["/task?key=1", "w", { output: "ü" }],
    );
  });

  it("reaches a TLS address whose authority NODE_EXTRA_CA_CERTS adds, and refuses to send to another", async () => {
    const certificate = await makeCertificate("IP:127.0.0.1");
    const server = await MisbehavingServer.start(certificate);
    const folder = temporaryFolder("authority");
    try {
      await assert.rejects(post(server.url, {}, "{}", 10_000), /self-signed certificate/);
      assert.equal(server.requests.length, 0);
      const authority = path.join(folder, "authority.pem");
      writeFileSync(authority, certificate.cert);
      const program = `import { post } from "./src/service/sender.ts";
        await post(${JSON.stringify(server.url)}, {}, "{}", 10_000);`;
      await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
        cwd: projectFolder,
        env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
      });
      assert.equal(server.requests.length, 1);
    } finally {
      await server.stop();
    }
  });

  it("is accepted by a 2xx, whatever follows it", async () => {
    const server = await MisbehavingServer.start();
    server.next(flood(200), breakOff(201, "{"), stall(202, "{"));
    for (let count = 0; count < 3; count += 1) await post(server.url, {}, "{}", 500);
    await server.stop();
  });

  it("says what went wrong, also if a host has several addresses", async () => {
    const { port } = new URL(await receiver.start());
    receiver.behave = () => undefined;
    await assert.rejects(
      post(`http://127.0.0.1:${port}/`, {}, "{}", 200),
      /^Error: The receiver did not answer within 0\.2 s\.$/,
    );
    receiver.behave = (response) => response.writeHead(301, { Location: "/other" }).end();
    await assert.rejects(
      post(`http://127.0.0.1:${port}/`, {}, "{}", 10_000),
      /^Error: The receiver answered 301\.$/,
    );
    await receiver.stop();
    const refused = post(`http://localhost:${port}/`, {}, "{}", 10_000);
    assert.match(await refused.then(String, messageOf), /ECONNREFUSED/);
  });
});

async function firstOf<T>(ports: readonly number[], start: (port: number) => Promise<T>) {
  for (const port of ports) {
    const started = await start(port).catch(() => undefined);
    if (started !== undefined) return started;
  }
  throw new Error(`None of the ports ${ports.join(", ")} is free.`);
}
