import assert from "node:assert/strict";
import { CrewClient } from "../../../src/api/client.ts";
import type { CrewApiError } from "../../../src/api/errors.ts";
import {
  json,
  MisbehavingServer,
  redirect,
  text,
  type Behaviour,
} from "../../support/misbehaving-server.ts";
import { clientOf, errorOf, token } from "./support.ts";

describe("a refusal", () => {
  let server: MisbehavingServer;
  beforeEach(async () => (server = await MisbehavingServer.start()));

  const kickoff = (behaviour: Behaviour): Promise<CrewApiError> => {
    server.next(behaviour);
    return errorOf(clientOf(server.url).kickoff({ inputs: {} }));
  };
  const approval = { executionId: "1", taskId: "a", humanFeedback: "Good.", isApprove: true };

  const page = "<html><head><title>502 Bad Gateway</title></head></html>";
  const documented = {
    error: "Validation Error",
    message: "Missing required inputs",
    details: { missing_inputs: ["budget", "age"] },
  };
  const fastApi = { detail: [{ loc: ["body", "taskId"], msg: "Field required", type: "missing" }] };
  const table: readonly (readonly [
    what: string,
    body: object | string,
    kind: CrewApiError["kind"],
    sent: CrewApiError["sent"],
    message: RegExp,
  ])[] = [
    [
      "400",
      { error: "Invalid Request", message: "Not pending" },
      "badRequest",
      "no",
      /Not pending/,
    ],
    ["400 for inputs", { message: "Missing inputs: a" }, "validation", "no", /more inputs: a\./],
    ["401", { error: "Unauthorized", message: "Bad token" }, "unauthorized", "no", /Bad token/],
    ["403", {}, "forbidden", "no", /Forbidden/],
    ["404", { error: "Not Found", message: "ID not found" }, "notFound", "no", /ID not found/],
    ["407", "", "unreachable", "no", /^The proxy requires you to sign in \(407\)/],
    ["408", "", "gateway", "maybe", /Request Timeout/],
    ["413", "Too big", "badRequest", "no", /Too big/],
    ["422, documented", documented, "validation", "no", /needs more inputs: budget, age\./],
    ["422, FastAPI", fastApi, "validation", "no", /body\.taskId: Field required/],
    ["429", "Slow down", "rateLimited", "no", /Slow down/],
    ["500 as a text", "Internal Server Error", "server", "maybe", /Internal Server Error/],
    ["501", "", "server", "maybe", /Not Implemented/],
    ["502 as a page", page, "gateway", "maybe", /502 Bad Gateway\.$/],
    ["503", "", "gateway", "maybe", /Service Unavailable/],
    ["504", "upstream request timeout", "gateway", "maybe", /upstream request timeout/],
    ["522", "", "gateway", "maybe", /522/],
  ];
  for (const [what, body, kind, sent, message] of table)
    it(`${what} has a kind, a message and a remedy, and a POST is not repeated`, async () => {
      const status = Number(what.slice(0, 3));
      const answer = typeof body === "string" ? text(status, body) : json(status, body);
      const error = await kickoff(answer);
      assert.deepEqual([error.kind, error.status, error.sent], [kind, status, sent]);
      assert.match(error.message, message);
      assert.match(error.message, /[.!?…]$/);
      assert.match(error.remedy, /^[A-Z].*\.$/);
      assert.equal(/may have arrived/.test(error.remedy), sent === "maybe");
      assert.equal(server.requests.length, 1);
    });

  it("says when the crew asks to come back", async () => {
    const date = "Fri, 02 Jan 2026 03:05:05 GMT";
    for (const status of [422, 429, 500, 503])
      for (const [header, milliseconds, words] of [
        ["7", 7_000, /^.+\. The crew asks to wait 7 seconds\.$/],
        ["600", 600_000, /asks to wait 600 seconds/],
        [date, 60_000, /asks to wait 60 seconds/],
      ] as const) {
        const error = await kickoff(text(status, "", { "retry-after": header }));
        assert.equal(error.retryAfterMs, milliseconds);
        assert.match(error.remedy, words);
      }
  });

  for (const [status, message, remedy] of [
    [401, /does not accept the token \(401\)/, /^Set the token again/],
    [403, /allow this with the token \(403\)/, /use the Bearer Token/],
  ] as const)
    it(`${status} has the token's type, and calls onRefused before it is thrown`, async () => {
      server.otherwise = json(status, {});
      const reported: CrewApiError[] = [];
      const onRefused = (error: CrewApiError) => void reported.push(error);
      const typed = { token, type: "userBearer" } as const;
      const error = await errorOf(new CrewClient(server.url, typed, { onRefused }).inputs());
      assert.equal(error.tokenType, "userBearer");
      assert.match(error.message, message);
      assert.match(error.remedy, remedy);
      assert.deepEqual(reported, [error]);
    });

  it("404 mentions the IDs of a request that has some", async () => {
    server.otherwise = json(404, {});
    const client = clientOf(server.url);
    assert.match((await errorOf(client.resume(approval))).remedy, /the IDs/);
    assert.equal((await errorOf(client.inputs())).remedy, "Check the crew's address.");
  });

  it("is never inconclusive for a GET, which has no effect", async () => {
    server.otherwise = text(500, "Internal Server Error");
    const error = await errorOf(clientOf(server.url).inputs());
    assert.deepEqual([error.kind, error.sent], ["server", "no"]);
    assert.doesNotMatch(error.remedy, /may have arrived/);
  });

  it("503 of Crewdeck's service that doesn't know the inputs yet starts nothing, and only a local crew's Python may be asked", async () => {
    const message = "The crew's inputs are not known yet. Its files don't say them all.";
    const crewdeck = { started: false, ask_python: true };
    const body = { error: "Service Unavailable", message, detail: message, details: { crewdeck } };
    const answer = json(503, body, { "retry-after": "60" });
    for (const isLocal of [true, false]) {
      server.next(answer);
      const error = await errorOf(clientOf(server.url, { isLocal }).kickoff({ inputs: {} }));
      const refusal = [error.message, error.sent, error.asksPython];
      assert.deepEqual(refusal, [message, "no", isLocal ? true : undefined]);
      assert.match(error.remedy, isLocal ? /kickoff form/ : /asks to wait 60 seconds/);
    }
    server.next(json(200, { inputs: ["topic"] }));
    const names = (await clientOf(server.url).askInputs()).fields.map(({ name }) => name);
    assert.deepEqual(names, ["topic"]);
  });

  describe("500 of the local service whose crew can't be read", () => {
    const place = { file: "config/tasks.yaml", line: 7, column: 10 };
    const message =
      'The crew can\'t be read any more. config/tasks.yaml:7:10: There is no agent "nobody".';
    const answer = (crewdeck: unknown) =>
      json(500, { error: "Internal Server Error", message, details: { crewdeck }, detail: "" });

    it("says that the kickoff started nothing, and where the problem is", async () => {
      const reported: CrewApiError[] = [];
      server.next(answer({ ...place, started: false }));
      const onRefused = (refused: CrewApiError) => void reported.push(refused);
      const client = new CrewClient(server.url, token, { isLocal: true, onRefused });
      const error = await errorOf(client.kickoff({ inputs: {} }));
      const refusal = [error.kind, error.status, error.sent, error.place, error.message];
      assert.deepEqual(refusal, ["server", 500, "no", place, message]);
      assert.equal(error.remedy, "Fix the crew's file and try again.");
      assert.deepEqual(reported, [error], "it is reported before it is thrown");
    });

    it("leaves open whether it started if `started` isn't false or is elsewhere, and whether a resume arrived", async () => {
      for (const own of [place, ...["no", null, true].map((started) => ({ ...place, started }))])
        assert.equal((await kickoff(answer(own))).sent, "maybe", JSON.stringify(own));
      for (const body of [
        { started: false },
        { details: { started: false } },
        { details: "crewdeck" },
        { detail: { crewdeck: { started: false } } },
      ])
        assert.equal((await kickoff(json(500, body))).sent, "maybe", JSON.stringify(body));
      const gateways = json(502, { details: { crewdeck: { started: false } } });
      assert.equal((await kickoff(gateways)).sent, "maybe", "a gateway's");
      server.next(answer({ ...place, started: false }));
      assert.equal((await errorOf(clientOf(server.url).resume(approval))).sent, "maybe");
    });

    it("is not retried for the inputs: the file stays unreadable", async () => {
      server.otherwise = answer(place);
      const error = await errorOf(clientOf(server.url).inputs());
      const refusal = [error.sent, error.place, error.remedy];
      assert.deepEqual(refusal, ["no", place, "Fix the crew's file and try again."]);
      assert.equal(server.requests.length, 1);
    });
  });

  it("does not mention a dashboard for a local crew", async () => {
    const local = clientOf(server.url, { isLocal: true });
    for (const answer of [text(500, ""), json(401, {}), json(403, {}), text(200, "no JSON")]) {
      server.otherwise = answer;
      assert.doesNotMatch((await errorOf(local.kickoff({ inputs: {} }))).remedy, /dashboard/);
      assert.match((await kickoff(answer)).remedy, /dashboard/);
    }
  });

  it("keeps the beginning of the body", async () => {
    const error = await kickoff(text(500, "x".repeat(200_000)));
    assert.equal(error.body, "x".repeat(2000) + "…");
    assert(error.message.length < 500);
  });

  it("never shows a token that the crew repeats, in any encoding", async () => {
    const odd = 'to"k/en+1-SECRET';
    const echo = {
      error: odd,
      message: `Bad token ${odd}, ${encodeURIComponent(odd)}`,
      details: { got: `Bearer ${odd}` },
    };
    server.next(json(401, echo));
    const error = await errorOf(new CrewClient(server.url, odd).inputs());
    assert.match(error.message, /Bad token \[token\], \[token\]/);
    assert(!JSON.stringify([error, error.message]).includes("1-SECRET"));
    const own = await kickoff((response) =>
      response.writeHead(401, `No ${token}`).end(`<b>${token}</b>`),
    );
    assert.match(own.body ?? "", /\[token\]/);
    const message = (await kickoff((response) => response.writeHead(401, `No ${token}`).end()))
      .message;
    assert.match(message, /No \[token\]/);
    await kickoff(redirect(302, `/login?token=${token}`));
    await kickoff(redirect(302, `/${token}/login`));
    await kickoff(text(200, token));
  });

  for (const [what, bad] of [
    ["a line break", "abc\ndef"],
    ["another script", "ключ-SECRET"],
    ["a NUL", "abc\0"],
    ["nothing", ""],
  ] as const)
    it(`a token with ${what} is refused before anything is sent`, async () => {
      const error = await errorOf(new CrewClient(server.url, bad).kickoff({ inputs: {} }));
      assert.equal(error.kind, "unauthorized");
      assert.equal(error.sent, "no");
      assert.match(error.remedy, /Status tab/);
      if (bad !== "") assert(!`${error.message}${error.remedy}`.includes(bad));
      assert.equal(server.requests.length, 0);
    });

  describe("a redirect", () => {
    let elsewhere: MisbehavingServer;
    beforeEach(async () => (elsewhere = await MisbehavingServer.start()));

    for (const status of [300, 301, 302, 303, 304, 307, 308])
      it(`${status} is not followed, not even to another port of the same host`, async () => {
        server.otherwise = redirect(status, `${elsewhere.url}/inputs?secret=1`);
        const client = clientOf(server.url);
        const get = await errorOf(client.inputs());
        const post = await errorOf(client.kickoff({ inputs: {} }));
        assert.equal(elsewhere.requests.length, 0);
        assert.equal(server.requests.length, 2);
        for (const error of [get, post]) {
          assert.equal(error.kind, "redirected");
          assert.equal(error.status, status);
          assert(error.message.includes(`to ${elsewhere.url}/inputs (`), error.message);
        }
        assert.equal(get.sent, "no");
        assert.equal(post.sent, status === 303 ? "maybe" : "no");
      });

    for (const location of ["", "http://", "javascript:alert(1)"])
      it(`to ${JSON.stringify(location)} is reported without its target`, async () => {
        server.next(redirect(301, location));
        const error = await errorOf(clientOf(server.url).inputs());
        assert.equal(error.kind, "redirected");
        assert.doesNotMatch(error.message, /javascript/);
      });
  });

  describe("success with an unusable answer", () => {
    it("quotes the title of a page, or the beginning of a text", async () => {
      const page = "<!-- 1 > 0 --><!DOCTYPE html><title>\n Log in – Acme</title><h1>Hello</h1>";
      for (const [body, said] of [
        [page, /API does, but: Log in – Acme\.$/],
        ["Not JSON.", /but: Not JSON\.$/],
        ["", /but: nothing\.$/],
      ] as const) {
        server.next(text(200, body));
        const { kind, message, remedy } = await errorOf(clientOf(server.url).inputs());
        assert.equal(kind, "badAnswer");
        assert.match(message, said);
        assert.match(remedy, /asks you to sign in/);
      }
    });

    for (const [what, answer] of [
      ["a page", text(200, "<html>Sign in</html>", { "content-type": "application/json" })],
      ["nothing", text(200, "")],
      ["no content", text(204, "")],
      ["half of an object", text(200, '{"kickoff_id": "k"')],
      ["no id", json(200, { status: "ok" })],
      ["an id of another kind", json(200, { kickoff_id: { id: 1 } })],
      ["null", json(200, null)],
    ] as const)
      it(`a kickoff with ${what} may have started`, async () => {
        const error = await kickoff(answer);
        assert.equal(error.kind, "badAnswer");
        assert.equal(error.sent, "maybe");
        assert.equal(server.requests.length, 1);
      });

    it("status and resume need an object", async () => {
      const client = clientOf(server.url);
      for (const answer of [text(200, "<html>"), json(200, []), json(200, "ok"), json(200, null)]) {
        server.otherwise = answer;
        assert.equal((await errorOf(client.status("k"))).kind, "badAnswer");
        const resume = await errorOf(client.resume(approval));
        assert.deepEqual([resume.kind, resume.sent], ["badAnswer", "maybe"]);
      }
    });

    it("endless nesting is refused, and brackets in a string are not nesting", async () => {
      const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
      server.next(
        text(200, `{"status":"completed","result":${deep(200_000)}}`),
        text(200, `{"status":"completed","result":"\\"${"[".repeat(5000)}"}`),
        text(200, `{"status":"completed","result":[${`${deep(3)},`.repeat(2000)}1]}`),
      );
      const client = clientOf(server.url);
      assert.equal((await errorOf(client.status("k"))).kind, "badAnswer");
      assert.equal((await client.status("k")).output?.length, 5001);
      assert.equal((await client.status("k")).state, "completed");
    });

    it("inputs must look like inputs", async () => {
      server.next(json(200, { hello: "world" }));
      const error = await errorOf(clientOf(server.url).inputs());
      assert.equal(error.kind, "badAnswer");
      assert.equal(error.body, '{"hello":"world"}');
      assert.match(error.message, /\/inputs/);
    });
  });
});
