import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import { CrewClient } from "../../../src/api/client.ts";
import { defaultFetch } from "../../../src/api/transport.ts";
import type { Traffic } from "../../../src/api/transport.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { requestReceived } from "../../../src/executions/flow-requests.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import {
  MaybeSentError,
  namingFeedback,
  StaleFeedbackError,
  UnknownHostError,
} from "../../../src/sending/errors.ts";
import { type FeedbackToSend, sendFeedback } from "../../../src/sending/feedback.ts";
import { crewIdsWith } from "../../../src/store/crew-values.ts";
import {
  hangUp,
  json,
  MisbehavingServer,
  redirect,
  stall,
  text,
} from "../../support/misbehaving-server.ts";
import { FakeClock } from "../executions/fake-clock.ts";
import { anExecution } from "../executions/samples.ts";
import { kill, senderParts, type Window, Windows } from "./window.ts";

const token = "the-crews-own-token";

describe("the answer to a flow", () => {
  let windows: Windows;
  let window: Window;
  let store: ExecutionStore;
  let server: MisbehavingServer;
  let traffic: Traffic[];
  let base: string;
  /** Called when the head of a response has arrived. */
  let onHead: () => void;

  beforeEach(async () => {
    windows = new Windows();
    window = windows.open();
    ({ store } = window);
    server = await MisbehavingServer.start();
    [traffic, base, onHead] = [[], "https://crew.test", () => undefined];
  });

  function sendIn(inWindow = window, clock: Clock = systemClock) {
    const client = new CrewClient(base, token, {
      clock,
      async fetch(...request) {
        const response = await defaultFetch(...request);
        onHead();
        return response;
      },
      onTraffic: (each) => traffic.push(each),
    });
    const crews = { client: () => Promise.resolve(client) };
    const parts = { ...senderParts(inWindow, { clock }), crews };
    return (given: FeedbackToSend) => sendFeedback(parts, given);
  }
  const send = (given: FeedbackToSend) => sendIn()(given);
  const known = () => store.find("k1") ?? assert.fail();
  const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => assert.fail("It was sent."),
      (error: unknown) => error,
    );

  /** Sends ten answers from two windows at once. @returns how many were accepted */
  async function clickTenTimes(given: (click: number) => FeedbackToSend): Promise<number> {
    const senders = [sendIn(), sendIn(windows.open())];
    const clicks = Array.from({ length: 10 }, (_, at) => senders[at % 2]!(given(at)));
    const results = await Promise.allSettled(clicks);
    return results.filter((each) => each.status === "fulfilled").length;
  }

  describe("whose status asks", () => {
    beforeEach(() => {
      base = server.url;
      server.otherwise = json(200, status);
    });

    const status = {
      status: "running",
      pending_human_input: {
        ...{ task_id: "review", task_output: "Draft.", attempt: 1, message: "Is it right?" },
        ...{ emit_options: ["publish", "revise"], default_outcome: "revise" },
      },
    };

    const asked = () => store.add(applyReading(anExecution(), readStatus(status), Date.now()));

    const answer = (execution: Execution, text: string, more = {}): FeedbackToSend => ({
      ...{ execution, taskId: "review", isApprove: true, text, ...more },
    });
    const resumes = () => server.requests.filter(({ method }) => method === "POST");
    const outcomes = () => known().resumes.map(({ outcome }) => outcome);

    /** The status is asked for first. */
    const nextResume = (behaviour: Parameters<MisbehavingServer["next"]>[0]) =>
      server.next(json(200, status), behaviour);

    it("is a resume with the option as feedback, which says that its words decide", async () => {
      const execution = asked();
      nextResume(json(200, { status: "resumed", message: "Continues." }));
      const { message } = await send(answer(execution, "revise"));
      assert.equal(message, "Continues.");
      const [resume] = resumes();
      assert.equal(resume?.path, "/resume");
      assert.partialDeepStrictEqual(JSON.parse(resume.body), {
        ...{ human_feedback: "revise", task_id: "review", is_approve: true, is_answer: true },
      });
      const { state, tasks } = known();
      const { feedback } = tasks.find(({ taskId }) => taskId === "review")?.attempts[0] ?? {};
      assert.deepEqual([state, feedback?.text, feedback?.isAnswer], ["running", "revise", true]);
    });

    it("is sent once for ten clicks in two windows, whatever option is pressed", async () => {
      const execution = asked();
      server.otherwise = (response, request) => {
        const made = request.method === "POST" ? { status: "resumed", message: "" } : status;
        json(200, made)(response, request);
      };
      const option = (click: number) => (click % 3 === 0 ? "publish" : "revise");
      assert.equal(await clickTenTimes((click) => answer(execution, option(click))), 1);
      assert.equal(resumes().length, 1);
    });

    it("needs a text, and may be given again after a refusal", async () => {
      const execution = asked();
      await assert.rejects(send(answer(execution, " ")), /Enter what the crew continues with/);
      assert.equal(server.requests.length, 0);
      nextResume(json(400, { message: "Not in pending human input state" }));
      const given = answer(execution, "publish");
      const error = await thrownBy(send(given));
      assert.match(String(namingFeedback(error, given)), /Your feedback on “.*” failed/);
      assert.deepEqual(outcomes(), ["refused"]);
    });
  });

  describe("that sent a request", () => {
    let host: string;
    beforeEach(() => (host = new URL(server.url).host));

    function asked(
      callbackUrl = `${server.url}/callback/abc?key=1`,
      id = "request-1",
      taskId = "review_article",
    ): Execution {
      const request = {
        ...{ id, taskId, output: "Please review.", callbackUrl },
        options: ["approved", "rejected", "request_changes"],
      };
      const { localId } = store.find("k1") ?? store.add(anExecution());
      const receive = (each: Execution) => requestReceived(each, request, Date.now());
      return store.update(localId, receive) ?? assert.fail();
    }

    const answer = (execution: Execution, text: string, more = {}): FeedbackToSend => ({
      ...{ execution, taskId: "review_article", isApprove: true, text, allowedHost: host },
      ...more,
    });
    const state = (attempt = 1) =>
      known().resumes.findLast((sent) => sent.attempt === attempt)?.outcome ?? "new";

    it("goes to the request's address once, with the chosen word and without the crew's token", async () => {
      const execution = asked();
      assert.equal(state(), "new");
      server.next(json(200, { message: "Flow resumed" }));
      const result = await send(answer(execution, "request_changes"));
      assert.equal(result.message, "Flow resumed");
      assert.equal(server.requests.length, 1);
      const [request] = server.requests;
      assert.equal(`${request?.method} ${request?.path}`, "POST /callback/abc?key=1");
      assert.deepEqual(JSON.parse(request?.body ?? ""), {
        feedback: "request_changes",
        source: "crewdeck",
      });
      assert.equal(request?.headers["authorization"], undefined);
      assert.ok(!JSON.stringify(server.requests).includes(token));
      assert.equal(state(), "answered");
      assert.deepEqual([known().state, known().waiting], ["running", undefined]);
      assert.equal(known().tasks[0]?.attempts[0]?.feedback?.text, "request_changes");
    });

    for (const order of ["first", "last"])
      it(`goes to its own request's address while two methods ask at once, the ${order} one first`, async () => {
        const first = asked();
        const both = asked(`${server.url}/callback/def`, "request-2", "check_facts");
        const answers = [
          answer(order === "first" ? first : both, "approved"),
          answer(both, "rejected", { taskId: "check_facts" }),
        ];
        for (const [at, given] of (order === "first" ? answers : answers.toReversed()).entries()) {
          const execution = at === 0 ? given.execution : known();
          assert.equal(execution.waiting?.taskId, given.taskId);
          server.next(json(200, {}));
          await send({ ...given, execution });
        }
        const sent = server.requests.map(({ path, body }) => [path, JSON.parse(body) as unknown]);
        assert.deepEqual(order === "first" ? sent : sent.toReversed(), [
          ["/callback/abc?key=1", { feedback: "approved", source: "crewdeck" }],
          ["/callback/def", { feedback: "rejected", source: "crewdeck" }],
        ]);
        assert.equal(known().state, "running");
      });

    it("is logged with its host, and without the rest of the address", async () => {
      server.next(text(500, "No."));
      await assert.rejects(send(answer(asked(), "approved")));
      const requests = traffic.map(({ path, status }) => [path, status]);
      assert.deepEqual(requests, [
        [`http://${host}/…`, undefined],
        [`http://${host}/…`, 500],
      ]);
    });

    it("is accepted with an empty response, and with one that never ends", async () => {
      server.next((response) => response.writeHead(204).end());
      await send(answer(asked(), "approved"));
      assert.equal(state(), "answered");
      const clock = new FakeClock();
      const second = asked(undefined, "request-2");
      server.next(stall(200, "{"));
      onHead = () => void clock.pass(60_000);
      await sendIn(window, clock)(answer(second, "approved"));
      assert.equal(state(2), "answered");
    });

    it("is not sent after it was answered, also from what another window still shows", async () => {
      const execution = asked();
      await send(answer(execution, "approved"));
      for (const each of [send, sendIn(windows.open())])
        await assert.rejects(each(answer(execution, "rejected")), StaleFeedbackError);
      assert.equal(server.requests.length, 1);
    });

    it("is not sent again after a crash between its record and the response: it is in doubt", async () => {
      const execution = asked();
      const arrived = Promise.withResolvers<undefined>();
      server.next(() => arrived.resolve(undefined));
      const first = thrownBy(send(answer(execution, "approved")));
      await arrived.promise;
      assert.equal(state(), "sending");
      kill(window);
      const next = windows.open();
      next.outbox.recover(next.store);
      store.refresh();
      assert.equal(state(), "unanswered");
      await assert.rejects(sendIn(next)(answer(execution, "approved")), MaybeSentError);
      assert.equal(server.requests.length, 1);
      await server.stop();
      await first;
    });

    for (const [name, behaviour] of Object.entries({
      "the receiver fails (500)": text(500, "No."),
      "a gateway fails (502)": text(502, "<h1>Bad gateway</h1>"),
      "the connection breaks": hangUp,
      "it redirects with 303": redirect(303, "/done"),
    }))
      it(`is in doubt and not repeated if ${name}; only the person may send it again`, async () => {
        const execution = asked();
        server.next(behaviour);
        await assert.rejects(send(answer(execution, "approved")), MaybeSentError);
        assert.equal(state(), "unanswered");
        assert.equal(known().state, "waiting");
        await assert.rejects(send(answer(execution, "approved")), MaybeSentError);
        assert.equal(server.requests.length, 1);
        await send(answer(known(), "approved", { again: true }));
        assert.equal(server.requests.length, 2);
        assert.equal(state(), "answered");
      });

    for (const status of [301, 302, 307, 308])
      it(`follows no redirect (${status}), and can be given again`, async () => {
        const execution = asked();
        server.next(redirect(status, `${server.url}/elsewhere`));
        const sent = send(answer(execution, "approved"));
        await assert.rejects(sent, /redirect was not followed/);
        const paths = server.requests.map(({ path }) => path);
        assert.deepEqual(paths, ["/callback/abc?key=1"]);
        assert.equal(state(), "refused");
        await send(answer(known(), "approved"));
        assert.equal(state(), "answered");
      });

    it("that is refused says why, and can be given again", async () => {
      const execution = asked();
      server.next(json(409, { detail: "Already answered by $(zap) Bob" }));
      const given = answer(execution, "approved");
      const error = await thrownBy(send(given));
      assert.match(
        String(namingFeedback(error, given)),
        /Your feedback on “.*” failed: .* did not take the answer \(409\): Already answered/,
      );
      assert.equal(state(), "refused");
    });

    it("needs a person who allows its host, once for each crew and host, in all windows", async () => {
      const execution = asked();
      const unasked = { allowedHost: undefined };
      const refused = await thrownBy(send(answer(execution, "approved", unasked)));
      assert.ok(refused instanceof UnknownHostError);
      assert.equal(refused.host, host);
      const other = { allowedHost: "crew.test" };
      await assert.rejects(send(answer(execution, "approved", other)), UnknownHostError);
      assert.equal(server.requests.length, 0);
      assert.equal(state(), "new");
      await send(answer(execution, "approved"));
      const next = asked(undefined, "request-2");
      await sendIn(windows.open())(answer(next, "approved", unasked));
      assert.equal(server.requests.length, 2);
      assert.deepEqual(crewIdsWith(window.database, "answer hosts"), [next.crew.id]);
    });

    for (const url of [
      "http://crew.test/callback",
      "ftp://crew.test/callback",
      "https://ada:secret@crew.test/callback",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "nowhere",
    ])
      it(`is not sent to ${url}`, async () => {
        const sent = send(answer(asked(url), "approved"));
        await assert.rejects(sent, /can't be used for an answer/);
        assert.equal(state(), "refused");
      });

    it("isn't lost if the next request arrives before the response", async () => {
      const execution = asked();
      server.next((response) => {
        asked(undefined, "request-2");
        json(200, {})(response, server.requests[0]!);
      });
      await send(answer(execution, "request_changes"));
      assert.equal(state(), "answered");
      assert.deepEqual([known().state, known().waiting?.attempt], ["waiting", 2]);
    });
  });
});
