import assert from "node:assert/strict";
import http from "node:http";
import { CrewApi } from "../support/crew-api.ts";
import { startService } from "../support/service.ts";

describe("service: as a program", () => {
  it("prints one line of JSON with random tokens, and nothing else on stdout", async () => {
    const service = await startService();
    let more = "";
    service.child.stdout?.on("data", (text: Buffer) => (more += text.toString()));
    assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.ok(
      service.token.length >= 32 &&
        service.userToken.length >= 32 &&
        service.token !== service.userToken,
    );
    const api = new CrewApi(service);
    assert.equal((await api.get("/inputs")).status, 200);
    await service.stop();
    assert.deepEqual([more, service.child.exitCode], ["", 0]);
    assert.ok(!service.log().includes(service.token));
  });

  it("refuses more than a megabyte, closes the connection after a request whose body it didn't read, and says so", async () => {
    const service = await startService();
    const api = new CrewApi(service);
    const id = await api.kickoff({ inputs: await inputsOf(api) });
    const token = { Authorization: `Bearer ${service.token}` };
    const method = "POST";
    const answered = async (path: string, headers: Record<string, string>, size: number) => {
      const answer = await fetch(service.url + path, { method, headers, body: "x".repeat(size) });
      await answer.text();
      return [answer.status, answer.headers.get("Connection")];
    };
    const answeredInParts = (path: string, headers: Record<string, string>, size = 100_000) =>
      postInParts(service.url + path, headers, ["x", "y".repeat(size)]);
    for (let round = 0; round < 20; round += 1) {
      assert.deepEqual(await answered("/kickoff", token, 1_100_000), [413, "close"]);
      assert.deepEqual(await answered("/kickoff", {}, 900_000), [401, "close"]);
      assert.deepEqual(await answered("/nothing", token, 900_000), [404, "close"]);
      assert.deepEqual(await answered("/inputs", token, 900_000), [405, "close"]);
      const zipped = { ...token, "Content-Encoding": "gzip" };
      assert.deepEqual(await answered("/kickoff", zipped, 900_000), [415, "close"]);
      assert.deepEqual(await answeredInParts("/kickoff", token, 1_100_000), [413, "close"]);
      assert.deepEqual(await answeredInParts("/kickoff", {}), [401, "close"]);
      assert.deepEqual(await answeredInParts("/nothing", token), [404, "close"]);
      assert.deepEqual(await answeredInParts("/inputs", token), [405, "close"]);
      const foreign = { ...token, Host: "crew.example.com" };
      assert.deepEqual(await answeredInParts("/kickoff", foreign), [403, "close"]);
      // The next request of the same client works.
      assert.equal((await api.get("/inputs")).status, 200);
    }
    assert.deepEqual(await answered(`/stop/${id}`, token, 900_000), [200, "close"]);
    for (const [path, headers, status] of [
      ["/nothing", token, 404],
      ["/inputs", {}, 401],
      ["/inputs", token, 200],
    ] as const) {
      const answer = await fetch(service.url + path, { headers });
      assert.deepEqual([answer.status, answer.headers.get("Connection")], [status, "keep-alive"]);
    }
    await service.stop();
  });
});

/** Without Content-Length. Resolves to status and `Connection`. */
function postInParts(url: string, headers: Record<string, string>, parts: readonly string[]) {
  return new Promise<(number | string | undefined)[]>((resolve, reject) => {
    const request = http.request(url, { method: "POST", headers }, (response) =>
      resolve([response.resume().statusCode, response.headers.connection]),
    );
    request.on("error", reject);
    for (const part of parts) request.write(part);
    request.end();
  });
}

async function inputsOf(api: CrewApi): Promise<Record<string, string>> {
  const { inputs } = (await api.get("/inputs")).body as { inputs: string[] };
  return Object.fromEntries(inputs.map((name) => [name, `a ${name}`]));
}
