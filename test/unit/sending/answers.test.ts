import assert from "node:assert/strict";
import { readStatus } from "../../../src/api/read-status.ts";
import { CrewClient } from "../../../src/api/client.ts";
import { defaultFetch } from "../../../src/api/transport.ts";
import type { Traffic } from "../../../src/api/traffic.ts";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import { UserError } from "../../../src/base/errors.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import { requestReceived, requestState } from "../../../src/executions/flow-requests.ts";
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
const target = { taskId: "review_article", attempt: 1 };

describe("the answer to a flow whose status asks", () => {
  let windows: Windows;
  let window: Window;
  let server: MisbehavingServer;

  beforeEach(async () => {
    windows = new Windows();
    window = windows.open();
    server = await MisbehavingServer.start();
    server.otherwise = json(200, status);
  });

  afterEach(async () => {
    await windows.close();
    await server.stop();
  });

  const status = {
    status: "running",
    pending_human_input: {
      ...{ task_id: "review", task_output: "Draft.", attempt: 1, message: "Is it right?" },
      ...{ emit_options: ["publish", "revise"], default_outcome: "revise" },
    },
  };

  const sender = (inWindow = window) => {
    const client = new CrewClient(server.url, token, {
      ...{ clock: systemClock, fetch: defaultFetch, onTraffic: () => undefined },
    });
    const parts = {
      ...senderParts(inWindow),
      crews: { client: () => Promise.resolve(client) },
    };
    return { send: (given: FeedbackToSend) => sendFeedback(parts, given) };
  };

  function asked(): Execution {
    const { localId } = window.store.add(anExecution());
    const waiting = window.store.update(localId, (each) =>
      applyReading(each, readStatus(status), Date.now()),
    );
    return waiting ?? assert.fail();
  }

  const answer = (execution: Execution, text: string, more = {}): FeedbackToSend => ({
    ...{ execution, taskId: "review", isApprove: true, text, ...more },
  });
  const resumes = () => server.requests.filter(({ method }) => method === "POST");
  const outcomes = () => window.store.find("k1")?.resumes.map(({ outcome }) => outcome);

  /** The status is asked for first. */
  const nextResume = (behaviour: Parameters<MisbehavingServer["next"]>[0]) =>
    server.next(json(200, status), behaviour);

  it("is a resume with the option as feedback, which says that its words decide", async () => {
    const execution = asked();
    nextResume(json(200, { status: "resumed", message: "Continues." }));
    const { message } = await sender().send(answer(execution, "revise"));
    assert.equal(message, "Continues.");
    const [resume] = resumes();
    assert.equal(resume?.path, "/resume");
    const { human_feedback, task_id, is_approve, is_answer } = JSON.parse(resume.body) as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [human_feedback, task_id, is_approve, is_answer],
      ["revise", "review", true, true],
    );
    const { state, tasks } = window.store.find("k1") ?? assert.fail();
    const [sent] = tasks.find(({ taskId }) => taskId === "review")?.attempts ?? [];
    assert.deepEqual(
      [state, sent?.feedback?.text, sent?.feedback?.isAnswer],
      ["running", "revise", true],
    );
  });

  it("is sent once for ten clicks in two windows, whatever option is pressed", async () => {
    const execution = asked();
    server.otherwise = (response, request) =>
      json(200, request.method === "POST" ? { status: "resumed", message: "" } : status)(
        response,
        request,
      );
    const senders = [sender(), sender(windows.open())];
    const clicks = Array.from({ length: 10 }, (_, at) =>
      senders[at % 2]!.send(answer(execution, at % 3 === 0 ? "publish" : "revise")),
    );
    const results = await Promise.allSettled(clicks);
    assert.equal(results.filter((each) => each.status === "fulfilled").length, 1);
    assert.equal(resumes().length, 1);
  });

  it("is in doubt if no response arrives, and not repeated until the person says so", async () => {
    const execution = asked();
    nextResume(hangUp);
    await assert.rejects(sender().send(answer(execution, "publish")), MaybeSentError);
    assert.deepEqual(outcomes(), ["unanswered"]);
    await assert.rejects(sender().send(answer(execution, "publish")), MaybeSentError);
    assert.equal(resumes().length, 1);
    const shown = window.store.find("k1") ?? execution;
    nextResume(json(200, { status: "resumed", message: "" }));
    await sender().send(answer(shown, "publish", { again: true }));
    assert.equal(resumes().length, 2);
  });

  it("needs a text, and names the options; it may be given again after a refusal", async () => {
    const execution = asked();
    await assert.rejects(sender().send(answer(execution, " ")), /such as: publish, revise\./);
    assert.equal(server.requests.length, 0);
    nextResume(json(400, { message: "Not in pending human input state" }));
    const error: unknown = await sender()
      .send(answer(execution, "publish"))
      .catch((each: unknown) => each);
    assert.match(
      String(namingFeedback(error, answer(execution, "publish"))),
      /Your feedback on “.*” was not accepted/,
    );
    assert.deepEqual(outcomes(), ["refused"]);
  });
});

describe("the answer to a flow's request", () => {
  let windows: Windows;
  let window: Window;
  let store: ExecutionStore;
  let server: MisbehavingServer;
  let host: string;
  let problems: string[];
  let traffic: Traffic[];
  /** Called when the head of a response has arrived. */
  let onHead: () => void;

  beforeEach(async () => {
    windows = new Windows();
    window = windows.open();
    ({ store } = window);
    server = await MisbehavingServer.start();
    host = new URL(server.url).host;
    problems = [];
    traffic = [];
    onHead = () => undefined;
  });

  afterEach(async () => {
    await windows.close();
    await server.stop();
  });

  function sender(inWindow: Window = window, clock: Clock = systemClock) {
    const client = new CrewClient("https://crew.test", token, {
      clock,
      async fetch(...request) {
        const response = await defaultFetch(...request);
        onHead();
        return response;
      },
      onTraffic: (each) => traffic.push(each),
    });
    const parts = {
      ...senderParts(inWindow, { clock, problem: (message) => problems.push(message) }),
      crews: { client: () => Promise.resolve(client) },
    };
    return { send: (given: FeedbackToSend) => sendFeedback(parts, given) };
  }

  /** An execution whose flow asks. */
  function asked(
    callbackUrl = `${server.url}/callback/abc?key=1`,
    id = "request-1",
    taskId = "review_article",
  ): Execution {
    const request = {
      ...{ id, taskId, output: "Please review.", callbackUrl },
      options: ["approved", "rejected", "request_changes"],
    };
    const now = Date.now();
    const known = store.find("k1") ?? store.add(anExecution());
    const waiting = store.update(known.localId, (each) => requestReceived(each, request, now));
    assert.ok(waiting);
    return waiting;
  }

  const answer = (execution: Execution, text: string, more = {}): FeedbackToSend => ({
    ...{ execution, taskId: "review_article", isApprove: true, text, allowedHost: host },
    ...more,
  });
  const state = () => requestState(store.find("k1") ?? assert.fail(), target);

  it("is said to be sent, and no more, if its receiver says nothing", async () => {
    server.next(json(200, {}));
    await sender().send(answer(asked(), "approved"));
    const [sent] = store.find("k1")?.resumes ?? [];
    assert.deepEqual(
      [sent?.outcome, sent?.answer, sent?.message],
      ["answered", undefined, undefined],
    );
  });

  it("goes to the request's address once, with the chosen word and without the crew's token", async () => {
    const execution = asked();
    assert.equal(state(), "new");
    server.next(json(200, { message: "Flow resumed" }));
    const result = await sender().send(answer(execution, "request_changes"));
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
    assert.equal(store.find("k1")?.state, "running");
    assert.equal(store.find("k1")?.waiting, undefined);
    assert.equal(store.find("k1")?.tasks[0]?.attempts[0]?.feedback?.text, "request_changes");
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
        const { execution } = given;
        const shown = at === 0 ? execution : (store.find("k1") ?? assert.fail());
        assert.equal(shown.waiting?.taskId, given.taskId);
        server.next(json(200, {}));
        await sender().send({ ...given, execution: shown });
      }
      const sent = server.requests.map(({ path, body }) => [path, JSON.parse(body) as unknown]);
      assert.deepEqual(order === "first" ? sent : sent.toReversed(), [
        ["/callback/abc?key=1", { feedback: "approved", source: "crewdeck" }],
        ["/callback/def", { feedback: "rejected", source: "crewdeck" }],
      ]);
      assert.equal(store.find("k1")?.state, "running");
    });

  it("is logged with its host, and without the rest of the address", async () => {
    server.next(text(500, "No."));
    await assert.rejects(sender().send(answer(asked(), "approved")));
    assert.deepEqual(
      traffic.map((each) => [each.kind, each.path, each.kind === "end" ? each.status : ""]),
      [
        ["request", `http://${host}/…`, ""],
        ["end", `http://${host}/…`, 500],
      ],
    );
  });

  it("is accepted with an empty response, and with one that never ends", async () => {
    server.next((response) => response.writeHead(204).end());
    await sender().send(answer(asked(), "approved"));
    assert.equal(state(), "answered");
    const clock = new FakeClock();
    const second = asked(undefined, "request-2");
    server.next(stall(200, "{"));
    onHead = () => void clock.pass(60_000);
    await sender(window, clock).send(answer(second, "approved"));
    assert.equal(requestState(store.find("k1") ?? second, { ...target, attempt: 2 }), "answered");
  });

  it("is sent once for ten clicks in two windows", async () => {
    const execution = asked();
    const senders = [sender(), sender(windows.open())];
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => senders[at % 2]!.send(answer(execution, "approved"))),
    );
    assert.equal(server.requests.length, 1);
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  });

  it("is not sent after it was answered, also from what another window still shows", async () => {
    const execution = asked();
    await sender().send(answer(execution, "approved"));
    for (const each of [sender(), sender(windows.open())])
      await assert.rejects(each.send(answer(execution, "rejected")), StaleFeedbackError);
    assert.equal(server.requests.length, 1);
  });

  it("is not sent again after a crash between its record and the response: it is in doubt", async () => {
    const execution = asked();
    let arrived: () => void = () => undefined;
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    server.next((response) => {
      response.on("close", () => undefined);
      arrived();
    });
    const first = sender()
      .send(answer(execution, "approved"))
      .catch(() => undefined);
    await hasArrived;
    assert.equal(state(), "sending");
    kill(window);
    const next = windows.open();
    next.outbox.recover(next.store);
    store.refresh();
    assert.equal(state(), "doubtful");
    await assert.rejects(sender(next).send(answer(execution, "approved")), MaybeSentError);
    assert.equal(server.requests.length, 1);
    await server.stop();
    await first;
    server = await MisbehavingServer.start();
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
      await assert.rejects(sender().send(answer(execution, "approved")), MaybeSentError);
      assert.equal(state(), "doubtful");
      assert.equal(store.find("k1")?.state, "waiting");
      await assert.rejects(sender().send(answer(execution, "approved")), MaybeSentError);
      assert.equal(server.requests.length, 1);
      const shown = store.find("k1") ?? execution;
      await sender().send(answer(shown, "approved", { again: true }));
      assert.equal(server.requests.length, 2);
      assert.equal(state(), "answered");
    });

  it("is in doubt if no response comes in 60 seconds", async () => {
    const clock = new FakeClock();
    server.next(() => void setImmediate(() => void clock.pass(60_000)));
    const sent = sender(window, clock).send(answer(asked(), "approved"));
    await assert.rejects(sent, (error: Error) => {
      assert.ok(error instanceof MaybeSentError);
      assert.match(error.message, /did not answer within 60 seconds/);
      return true;
    });
    assert.equal(state(), "doubtful");
  });

  for (const status of [301, 302, 307, 308])
    it(`follows no redirect (${status}), and can be given again`, async () => {
      const execution = asked();
      server.next(redirect(status, `${server.url}/elsewhere`));
      const sent = sender().send(answer(execution, "approved"));
      await assert.rejects(sent, /redirect was not followed/);
      assert.deepEqual(
        server.requests.map(({ path }) => path),
        ["/callback/abc?key=1"],
      );
      assert.equal(state(), "refused");
      await sender().send(answer(store.find("k1") ?? execution, "approved"));
      assert.equal(state(), "answered");
    });

  it("that is refused says why, and can be given again", async () => {
    const execution = asked();
    server.next(json(409, { detail: "Already answered by $(zap) Bob" }));
    const error: unknown = await sender()
      .send(answer(execution, "approved"))
      .catch((each: unknown) => each);
    assert.match(
      String(namingFeedback(error, answer(execution, "approved"))),
      /Your feedback on “.*” was not accepted: .* did not take the answer \(409\): Already answered/,
    );
    assert.equal(state(), "refused");
  });

  it("was certainly not sent if nothing listens there", async () => {
    const execution = asked();
    await server.stop();
    const sent = sender().send(answer(execution, "approved"));
    await assert.rejects(sent, /Nothing accepts connections/);
    assert.equal(state(), "refused");
    server = await MisbehavingServer.start();
  });

  it("needs a person who allows its host, once for each crew and host, in all windows", async () => {
    const execution = asked();
    const unasked = { allowedHost: undefined };
    const refused = await sender()
      .send(answer(execution, "approved", unasked))
      .catch((each: unknown) => each);
    assert.ok(refused instanceof UnknownHostError);
    assert.equal(refused.host, host);
    const other = { allowedHost: "crew.test" };
    await assert.rejects(sender().send(answer(execution, "approved", other)), UnknownHostError);
    assert.equal(server.requests.length, 0);
    assert.equal(state(), "new");
    await sender().send(answer(execution, "approved"));
    const next = asked(undefined, "request-2");
    await sender(windows.open()).send(answer(next, "approved", unasked));
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
      const sent = sender().send(answer(asked(url), "approved"));
      await assert.rejects(sent, /can't be used for an answer/);
      assert.equal(state(), "refused");
    });

  it("needs a text, and names the answers of the flow", async () => {
    const sent = sender().send(answer(asked(), " "));
    await assert.rejects(sent, (error: Error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /approved, rejected, request_changes/);
      return true;
    });
    assert.equal(server.requests.length, 0);
  });

  it("isn't lost if the next request arrives before the response", async () => {
    const execution = asked();
    server.next((response) => {
      asked(undefined, "request-2");
      json(200, {})(response, server.requests[0]!);
    });
    await sender().send(answer(execution, "request_changes"));
    assert.equal(state(), "answered");
    const now = store.find("k1");
    assert.equal(now?.state, "waiting");
    assert.equal(now.waiting?.attempt, 2);
  });
});
