import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CrewClient } from "../../../src/api/client.ts";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { KickoffAnswer, KickoffRequest } from "../../../src/api/types.ts";
import { UserError } from "../../../src/base/errors.ts";
import { earlierKickoff, MaybeStartedError, sendKickoff } from "../../../src/sending/kickoff.ts";
import type { Senders } from "../../../src/sending/senders.ts";
import { crew } from "../kickoff/support.ts";
import { failures, intentsIn, kill, senderParts, type Window, Windows } from "./window.ts";

const request: KickoffRequest = {
  inputs: { topic: "Otters" },
  taskWebhookUrl: "https://a.example/t",
};
const refusal = new CrewApiError({ kind: "validation", message: "Missing.", remedy: "" });
const lost = new CrewApiError({
  kind: "timeout",
  message: "No answer.",
  remedy: "",
  sent: "maybe",
});
const localId = "11111111-0000-4000-8000-000000000001";

type SentKickoff = Parameters<Senders["send"]>;

describe("Sending a kickoff", () => {
  let windows: Windows;
  let window: Window;
  let sent: KickoffRequest[];
  let polled: string[];
  let problems: string[];
  let answer: () => Promise<KickoffAnswer>;

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
    sent = [];
    polled = [];
    problems = [];
    answer = () => Promise.resolve({ kickoffId: "k1" });
  });

  afterEach(() => windows.close());

  /** The rows of requests without a response. */
  const unanswered = () => intentsIn(window);

  function makeSender(inWindow = window, client?: Pick<CrewClient, "kickoff">) {
    const kickoff = (given: KickoffRequest) => {
      sent.push(given);
      return answer();
    };
    const parts = {
      ...senderParts(inWindow, {
        poll: (id) => polled.push(id),
        problem: (message) => problems.push(message),
      }),
      crews: { client: () => Promise.resolve(client ?? { kickoff }) },
    };
    return {
      send: (...[to, given, options]: SentKickoff) => sendKickoff(parts, to, given, options),
      earlier: () => earlierKickoff(parts, crew, localId),
    };
  }

  it("stores the execution under its kickoff ID, and polls it", async () => {
    const execution = await makeSender().send(crew, request, { label: "Mine", localId });
    assert.deepEqual(
      [execution.localId, execution.kickoffIds, execution.state, execution.label],
      [localId, ["k1"], "queued", "Mine"],
    );
    assert.deepEqual(execution.request, {
      inputs: { topic: "Otters" },
      callbacks: { taskWebhookUrl: "https://a.example/t" },
    });
    assert.deepEqual(windows.open().store.find("k1"), execution);
    assert.deepEqual(polled, [localId]);
    assert.deepEqual(sent, [request]);
    assert.deepEqual(unanswered(), [], "the record alone prevents a second request");
  });

  it("stores which engine a local crew runs on", async () => {
    const local = {
      ...crew,
      local: { folder: "file:///x", engine: "rehearsal", running: true },
    } as const;
    assert.equal((await makeSender().send(local, request)).engine, "rehearsal");
  });

  it("writes row and record to disk before it sends the request", async () => {
    answer = () => {
      const other = windows.open();
      assert.equal(other.store.find(localId)?.state, "unconfirmed");
      assert.deepEqual([...other.outbox.underWay()], [localId]);
      return Promise.resolve({ kickoffId: "k1" });
    };
    await makeSender().send(crew, request, { localId });
  });

  it("sends once, however often and from however many windows it is called", async () => {
    const gate = Promise.withResolvers<KickoffAnswer>();
    answer = () => gate.promise;
    const otherWindow = makeSender(windows.open());
    const tries = [makeSender(), otherWindow, otherWindow].map((sender) =>
      sender.send(crew, request, { localId }),
    );
    const outcomes = Promise.allSettled(tries);
    assert.ok(
      (await Promise.race(tries.map((each) => each.catch((error: unknown) => error)))) instanceof
        MaybeStartedError,
    );
    gate.resolve({ kickoffId: "k1" });
    assert.equal((await outcomes).filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(sent.length, 1);
    for (const sender of [makeSender(), otherWindow]) {
      await assert.rejects(
        sender.send(crew, request, { localId }),
        (error) => error instanceof MaybeStartedError && error.execution?.kickoffIds[0] === "k1",
      );
    }
    assert.equal(sent.length, 1, "nothing more is sent afterwards");
  });

  it("keeps nothing after a definite refusal", async () => {
    answer = () => Promise.reject(refusal);
    await assert.rejects(makeSender().send(crew, request, { localId }), refusal);
    assert.deepEqual([window.store.list(), unanswered()], [[], []]);
  });

  it("keeps nothing if the request couldn't be made, as without a token", async () => {
    const noToken = new UserError("There is no token.");
    answer = () => Promise.reject(noToken);
    await assert.rejects(makeSender().send(crew, request), noToken);
    assert.deepEqual([window.store.list(), unanswered()], [[], []]);
  });

  for (const error of [lost, new TypeError("a bug")]) {
    it(`keeps a record that may have started after: ${error.message}`, async () => {
      answer = () => Promise.reject(error);
      await assert.rejects(
        makeSender().send(crew, request, { localId }),
        (thrown) =>
          thrown instanceof MaybeStartedError &&
          thrown.execution?.localId === localId &&
          thrown.cause === error,
      );
      assert.equal(windows.open().store.find(localId)?.state, "unconfirmed");
      await assert.rejects(makeSender().send(crew, request, { localId }), MaybeStartedError);
      assert.equal(sent.length, 1);
    });
  }

  it("quotes a response that doesn't say whether it started, and says where to look: a local crew has no dashboard", async () => {
    answer = () =>
      Promise.reject(
        new CrewApiError({
          kind: "server",
          status: 500,
          message: "The crew failed to answer (500): No.",
          remedy: "",
          sent: "maybe",
        }),
      );
    const remedyFor = async (to: typeof crew) => {
      const error: unknown = await makeSender()
        .send(to, request)
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof MaybeStartedError);
      assert.match(
        error.message,
        /doesn't say whether it started\. The crew failed to answer \(500\): No\.$/,
      );
      return error.remedy;
    };
    assert.match(await remedyFor(crew), /crew's dashboard/);
    assert.match(await remedyFor({ ...crew, id: "local:file:///crew" }), /local crew's log/);
  });

  describe("the earlier kickoff of a form after a reload", () => {
    const known = () => {
      const earlier = makeSender(windows.open()).earlier();
      return earlier instanceof MaybeStartedError
        ? { mayHaveStarted: earlier.execution?.localId }
        : earlier?.kickoffIds;
    };

    it("is undefined if none was sent, or the crew refused it", async () => {
      assert.equal(known(), undefined);
      answer = () => Promise.reject(refusal);
      await assert.rejects(makeSender().send(crew, request, { localId }));
      assert.equal(known(), undefined);
    });

    it("is its execution if it started", async () => {
      await makeSender().send(crew, request, { localId });
      assert.deepEqual(known(), ["k1"]);
    });

    it("may have started, before a response and without one", async () => {
      const gate = Promise.withResolvers<KickoffAnswer>();
      answer = () => gate.promise;
      const sending = makeSender().send(crew, request, { localId });
      while (sent.length === 0) await new Promise(setImmediate);
      assert.deepEqual(known(), { mayHaveStarted: localId });
      gate.reject(lost);
      await assert.rejects(sending, MaybeStartedError);
      assert.deepEqual(known(), { mayHaveStarted: localId });
    });

    it("may have started after a crash, also after a recovery and when it is no longer tracked", async () => {
      answer = () => new Promise(() => undefined);
      void makeSender().send(crew, request, { localId });
      while (sent.length === 0) await new Promise(setImmediate);
      kill(window);
      const recover = () => window.outbox.recover(window.store);
      recover();
      assert.deepEqual(known(), { mayHaveStarted: localId });
      window.store.remove(localId);
      recover();
      assert.deepEqual(known(), { mayHaveStarted: undefined });
      await assert.rejects(makeSender().send(crew, request, { localId }), MaybeStartedError);
      assert.equal(sent.length, 1);
    });
  });

  for (const [name, fail] of failures) {
    it(`sends nothing while the ${name}`, async () => {
      fail(window.database);
      await assert.rejects(
        makeSender().send(crew, { inputs: { topic: "x".repeat(1_000_000) } }, { localId }),
      );
      const other = windows.open();
      assert.deepEqual(
        [sent, other.store.list(), intentsIn(other)],
        [[], [], []],
        "neither request nor record",
      );
    });

    it(`reports the kickoff ID if it arrived and the ${name}`, async () => {
      answer = () => {
        fail(window.database);
        return Promise.resolve({ kickoffId: "k1".repeat(100_000) });
      };
      await assert.rejects(
        makeSender().send(crew, request, { localId }),
        (error) =>
          error instanceof MaybeStartedError && /k1.*Track it by this ID/.test(error.message),
      );
      assert.equal(windows.open().store.find(localId)?.state, "unconfirmed");
    });
  }

  it("reports the crew's refusal even if the record can't be removed, which then says that it may have started", async () => {
    answer = () => {
      window.database.all("PRAGMA query_only = ON");
      return Promise.reject(refusal);
    };
    await assert.rejects(makeSender().send(crew, request, { localId }), refusal);
    assert.deepEqual(problems, ["What became of a request could not be recorded."]);
    assert.equal(windows.open().store.find(localId)?.state, "unconfirmed");
  });

  describe("to a crew that misbehaves", () => {
    let server: Server;
    let requests: number;

    async function listen(behave: Parameters<typeof createServer>[1]) {
      requests = 0;
      server = createServer((incoming, outgoing) => {
        requests += 1;
        behave?.(incoming, outgoing);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return makeSender(window, new CrewClient(url, "token"));
    }

    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    it("is sent once and may have started if the crew closes the connection", async () => {
      const sender = await listen((incoming) => incoming.socket.destroy());
      await assert.rejects(sender.send(crew, request, { localId }), MaybeStartedError);
      assert.deepEqual([requests, window.store.list().length], [1, 1]);
    });

    it("is sent once and may have started if the crew answers 503", async () => {
      const sender = await listen((_, outgoing) =>
        outgoing.writeHead(503, { "Retry-After": "0" }).end(),
      );
      await assert.rejects(sender.send(crew, request, { localId }), MaybeStartedError);
      assert.equal(requests, 1);
    });

    it("may have started if the crew answers 200 without an ID", async () => {
      const sender = await listen((_, outgoing) =>
        outgoing.writeHead(200, { "Content-Type": "application/json" }).end("{}"),
      );
      await assert.rejects(sender.send(crew, request, { localId }), MaybeStartedError);
      assert.equal(window.store.list().length, 1);
    });

    it("reports missing inputs and keeps no record if the crew answers 422", async () => {
      const sender = await listen((_, outgoing) =>
        outgoing
          .writeHead(422, { "Content-Type": "application/json" })
          .end('{"detail":"Missing inputs: audience, topic"}'),
      );
      await assert.rejects(
        sender.send(crew, request, { localId }),
        (error) => error instanceof CrewApiError && error.missingInputs.join() === "audience,topic",
      );
      assert.deepEqual(window.store.list(), []);
    });
  });
});
