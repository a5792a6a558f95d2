import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { gzipSync } from "node:zlib";
import { CrewClient } from "../../../src/api/client.ts";
import type { CrewApiError } from "../../../src/api/errors.ts";
import { defaultFetch, type Fetch } from "../../../src/api/transport.ts";
import {
  breakOff,
  closeMeanwhile,
  flood,
  garbage,
  hangUp,
  json,
  MisbehavingServer,
  silence,
  stall,
  text,
} from "../../support/misbehaving-server.ts";
import { clientOf, errorOf, StoppedClock, token } from "./support.ts";

describe("a failing connection", () => {
  let server: MisbehavingServer;
  beforeEach(async () => (server = await MisbehavingServer.start()));

  const kickoff = (client: CrewClient, call = {}): Promise<CrewApiError> =>
    errorOf(client.kickoff({ inputs: {} }, call));

  describe("a time-out", () => {
    /** The error of a call that times out once its request has arrived and, if `answered`, once the head of the answer is here. */
    const late = async (
      ask: (client: CrewClient) => Promise<unknown>,
      answered = false,
    ): Promise<CrewApiError> => {
      const clock = new StoppedClock();
      const earlier = server.requests.length;
      const { fetch, head } = watchedFetch();
      const error = errorOf(ask(new CrewClient(server.url, token, { clock, fetch })));
      await server.arrived(earlier + 1);
      if (answered) await head();
      clock.ring();
      assert.equal((await error) instanceof Error, true);
      assert.equal(clock.waits.size, 0, "no timer is left");
      return error;
    };

    for (const [what, behaviour, answered] of [
      ["before the answer", silence, false],
      ["in the middle of the body", stall(200, '{"kickoff_id":'), true],
    ] as const)
      it(`${what}: a POST may have arrived, and neither is repeated`, async () => {
        server.otherwise = behaviour;
        const post = await late((client) => client.kickoff({ inputs: {} }), answered);
        assert.deepEqual([post.kind, post.sent], ["timeout", "maybe"]);
        const get = await late((client) => client.inputs(), answered);
        assert.deepEqual([get.kind, get.sent], ["timeout", "no"]);
        assert.equal(server.requests.length, 2);
      });

    it("in an error's body keeps the status code", async () => {
      server.next(stall(401, "{"));
      assert.equal((await late((client) => client.inputs(), true)).kind, "unauthorized");
    });

    it("is 30 s for a GET and 60 s for a POST by default", async () => {
      server.otherwise = silence;
      assert.match((await late((client) => client.inputs())).message, /within 30 seconds/);
      const post = await late((client) => client.kickoff({ inputs: {} }));
      assert.match(post.message, /within 60 seconds/);
    });
  });

  describe("an abort by the caller", () => {
    for (const [what, behaviour, answered] of [
      ["before the answer", silence, false],
      ["in the body", stall(200, "{"), true],
      ["in an error's body", stall(500, "x"), true],
    ] as const)
      it(`ends the request ${what}`, async () => {
        server.otherwise = behaviour;
        const controller = new AbortController();
        const { fetch, head } = watchedFetch();
        const call = kickoff(new CrewClient(server.url, token, { fetch }), {
          signal: controller.signal,
        });
        await server.arrived(1);
        if (answered) await head();
        controller.abort();
        const error = await call;
        assert.deepEqual([error.kind, error.sent], ["aborted", "maybe"]);
        assert.equal(server.requests.length, 1);
      });

    it("sends nothing if it comes before the request", async () => {
      const error = await kickoff(new CrewClient(server.url, token), {
        signal: AbortSignal.abort(),
      });
      assert.deepEqual([error.kind, error.sent], ["aborted", "no"]);
      assert.equal(server.requests.length, 0);
    });

    it("leaves no listener on the caller's signal", async () => {
      const { signal } = new AbortController();
      server.next(text(503, ""), json(200, { inputs: [] }));
      await clientOf(server.url).inputs({ signal });
      assert.deepEqual(getEventListeners(signal, "abort"), []);
    });
  });

  describe("a large answer", () => {
    it("is an error above the limit, also if it never ends", async () => {
      server.otherwise = flood(200);
      const client = clientOf(server.url, { maxBytes: 1024 * 1024 });
      const post = await kickoff(client);
      assert.deepEqual([post.kind, post.sent], ["tooLarge", "maybe"]);
      assert.match(post.message, /1 MB/);
      assert.equal((await errorOf(client.inputs())).kind, "tooLarge");
      assert.equal(server.requests.length, 2);
    });

    it("has a limit of 64 MB by default", async () => {
      const limit = 64 * 1024 * 1024;
      const frame = '{"inputs":[],"x":""}'.length;
      const clientFor = (size: number) => {
        const body = bodyOf(['{"inputs":[],"x":"', "x".repeat(size - frame), '"}']);
        return clientOf(server.url, { fetch: () => Promise.resolve({ ...head, body }) });
      };
      assert.deepEqual((await clientFor(limit).inputs()).fields, []);
      assert.equal((await errorOf(clientFor(limit + 1).inputs())).kind, "tooLarge");
    });

    it("is truncated if it is the body of an error", async () => {
      server.next(flood(422));
      const kind = (await kickoff(clientOf(server.url, { maxBytes: Number.MAX_SAFE_INTEGER })))
        .kind;
      assert.equal(kind, "validation");
    });
  });

  describe("a broken connection", () => {
    it("retries a GET but not a POST", async () => {
      server.otherwise = hangUp;
      const get = await errorOf(clientOf(server.url).inputs());
      assert.deepEqual([get.kind, get.reason, get.sent], ["unreachable", "reset", "no"]);
      assert.equal(server.requests.length, 3);
      const post = await kickoff(clientOf(server.url));
      assert.deepEqual([post.kind, post.reason, post.sent], ["unreachable", "reset", "maybe"]);
      assert.equal(server.requests.length, 4);
    });

    it("in the middle of the body", async () => {
      server.next(
        breakOff(200, '{"inputs":'),
        json(200, { inputs: ["a"] }),
        breakOff(200, '{"kickoff_id":"k'),
      );
      const client = clientOf(server.url);
      assert.deepEqual((await client.inputs()).fields, [{ name: "a" }]);
      const post = await kickoff(client);
      assert.deepEqual([post.kind, post.reason, post.sent], ["unreachable", "reset", "maybe"]);
      assert.equal(server.requests.length, 3);
    });

    it("in the middle of the body, with a text as before a request is sent, leaves open whether a POST arrived", async () => {
      const alert = Object.assign(new Error("tlsv1 alert: handshake failure"), { code: "EPROTO" });
      const body = (async function* () {
        yield await Promise.resolve('{"kickoff_id":"k');
        throw alert;
      })();
      const post = await kickoff(
        clientOf(server.url, { fetch: () => Promise.resolve({ ...head, body }) }),
      );
      assert.deepEqual([post.kind, post.sent], ["unreachable", "maybe"]);
    });

    it("right after a complete answer loses nothing", async () => {
      server.next(breakOff(200, '{"kickoff_id":"k"}'));
      const { kickoffId } = await clientOf(server.url).kickoff({ inputs: {} });
      assert.equal(kickoffId, "k");
    });

    it("in an error's body keeps the status code", async () => {
      server.next(breakOff(403, '{"detail":'));
      assert.equal((await kickoff(clientOf(server.url))).kind, "forbidden");
    });
  });

  it("reports an answer that isn't HTTP", async () => {
    server.next(garbage);
    const error = await kickoff(clientOf(server.url));
    assert.deepEqual([error.kind, error.sent], ["badAnswer", "maybe"]);
    assert.match(error.message, /HPE_/);
    assert.match(error.remedy, /^It may have arrived: check before you send it again\. /);
  });

  it("counts the decompressed bytes of a body", async () => {
    const bomb = gzipSync(Buffer.alloc(4 * 1024 * 1024, " "));
    server.next((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    assert(bomb.length < 1024 * 1024);
    const kind = (await errorOf(clientOf(server.url, { maxBytes: 1024 * 1024 }).inputs())).kind;
    assert.equal(kind, "tooLarge");
  });

  it("reports invalid compression", async () => {
    server.next(text(200, "{}", { "content-encoding": "gzip" }));
    assert.equal((await errorOf(clientOf(server.url).inputs())).kind, "badAnswer");
  });

  it("never uses a kept connection that the server closed: each request opens one", async () => {
    server.otherwise = closeMeanwhile(200, { kickoff_id: "k-1", status: "running", inputs: [] });
    const client = new CrewClient(server.url, token);
    for (let round = 0; round < 10; round++) {
      await client.status("k-1");
      await client.kickoff({ inputs: {} });
    }
    assert.equal(server.requests.length, 20);
  });
});

function watchedFetch(): { fetch: Fetch; head: () => Promise<unknown> } {
  let head: Promise<unknown> = Promise.resolve();
  return {
    fetch: (url, init) => {
      const answer = defaultFetch(url, init);
      head = answer;
      return answer;
    },
    head: () => head,
  };
}

const head = { status: 200, statusText: "OK", headers: new Headers() };

async function* bodyOf(parts: readonly string[]): AsyncGenerator<string> {
  for (const part of parts) yield await Promise.resolve(part);
}
