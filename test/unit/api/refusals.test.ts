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
  beforeEach(async () => {
    server = await MisbehavingServer.start();
  });
  afterEach(() => server.stop());

  const kickoff = (behaviour: Behaviour): Promise<CrewApiError> => {
    server.next(behaviour);
    return errorOf(clientOf(server.url).kickoff({ inputs: {} }));
  };

  const table: readonly (readonly [
    what: string,
    answer: Behaviour,
    expected: Partial<CrewApiError>,
    message: RegExp,
  ])[] = [
    [
      "400",
      json(400, { error: "Invalid Request", message: "Not pending" }),
      { kind: "badRequest", status: 400, sent: "no" },
      /Not pending/,
    ],
    [
      "400 with missing inputs",
      json(400, { message: "Missing inputs: a" }),
      { kind: "validation", status: 400, missingInputs: ["a"], sent: "no" },
      /needs more inputs: a\./,
    ],
    [
      "401",
      json(401, { error: "Unauthorized", message: "Invalid or missing bearer token" }),
      { kind: "unauthorized", status: 401, sent: "no" },
      /Invalid or missing bearer token/,
    ],
    ["403", json(403, {}), { kind: "forbidden", status: 403, sent: "no" }, /Forbidden/],
    [
      "404",
      json(404, { error: "Not Found", message: "Execution ID not found" }),
      { kind: "notFound", status: 404, sent: "no" },
      /Execution ID not found/,
    ],
    ["407", text(407, ""), { kind: "badRequest", sent: "no" }, /\(407\): Proxy Authentication/],
    ["408", text(408, ""), { kind: "gateway", status: 408, sent: "maybe" }, /Request Timeout/],
    ["413", text(413, "Too big"), { kind: "badRequest", status: 413, sent: "no" }, /Too big/],
    [
      "422, documented",
      json(422, {
        error: "Validation Error",
        message: "Missing required inputs",
        details: { missing_inputs: ["budget", "age"] },
      }),
      { kind: "validation", status: 422, missingInputs: ["budget", "age"], sent: "no" },
      /budget, age/,
    ],
    [
      "422, FastAPI",
      json(422, { detail: [{ loc: ["body", "taskId"], msg: "Field required", type: "missing" }] }),
      { kind: "validation", missingInputs: [] },
      /body\.taskId: Field required/,
    ],
    [
      "429",
      text(429, "Slow down", { "retry-after": "7" }),
      { kind: "rateLimited", status: 429, retryAfterMs: 7000, sent: "no" },
      /Slow down/,
    ],
    [
      "403 of a server that knows only HTTP/2",
      text(403, "Missing ALPN Protocol, expected `h2`"),
      { kind: "badRequest", status: 403, sent: "no" },
      /accepts only HTTP\/2 \(403\): Missing ALPN/,
    ],
    [
      "a charset that nobody knows",
      text(400, "Bad", { "content-type": "text/plain; charset=none" }),
      { kind: "badRequest", sent: "no" },
      /: Bad\.$/,
    ],
    [
      "500 as a text",
      text(500, "Internal Server Error"),
      { kind: "server", status: 500, sent: "maybe" },
      /Internal Server Error/,
    ],
    ["501", text(501, ""), { kind: "server", sent: "maybe" }, /Not Implemented/],
    [
      "502 as a page",
      text(502, "<html><head><title>502 Bad Gateway</title></head></html>", {
        "content-type": "text/html",
      }),
      { kind: "gateway", status: 502, sent: "maybe" },
      /502 Bad Gateway\.$/,
    ],
    [
      "503",
      text(503, "", { "retry-after": "Fri, 02 Jan 2026 03:05:05 GMT" }),
      { kind: "gateway", status: 503, retryAfterMs: 60_000, sent: "maybe" },
      /Service Unavailable/,
    ],
    [
      "504",
      text(504, "upstream request timeout"),
      { kind: "gateway", status: 504, sent: "maybe" },
      /upstream request timeout/,
    ],
    ["522", text(522, ""), { kind: "gateway", status: 522, sent: "maybe" }, /522/],
  ];
  for (const [what, answer, expected, message] of table) {
    it(`${what} has a kind, a message and a remedy, and a POST is not repeated`, async () => {
      const error = await kickoff(answer);
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(error[name as keyof CrewApiError], value, name);
      assert.match(error.message, message);
      assert.match(error.message, /[.!?…]$/);
      assert.match(error.remedy, /^[A-Z].*\.$/);
      assert.equal(/may have arrived/.test(error.remedy), error.sent === "maybe");
      assert.equal(server.requests.length, 1);
    });
  }

  for (const [status, type, message, remedy] of [
    [
      401,
      "bearer",
      /^The crew does not accept the organisation's token \(401\)/,
      /^Set the organisation's token again: it is the Bearer Token/,
    ],
    [
      401,
      "userBearer",
      /^The crew does not accept the user's token \(401\)/,
      /^Set the user's token again: it is the User Bearer Token/,
    ],
    [
      403,
      "bearer",
      /^The crew does not allow this with the organisation's token \(403\)/,
      /^It already has all rights/,
    ],
    [
      403,
      "userBearer",
      /^The crew does not allow this with the user's token \(403\)/,
      /^It may lack the right: use the organisation's token/,
    ],
  ] as const) {
    it(`${status} says that it was the ${type} that was refused, and calls onRefused before it is thrown`, async () => {
      server.otherwise = json(status, {});
      const reported: CrewApiError[] = [];
      const onRefused = (error: CrewApiError) => void reported.push(error);
      const error = await errorOf(
        new CrewClient(server.url, { token, type }, { onRefused }).inputs(),
      );
      assert.equal(error.tokenType, type);
      assert.match(error.message, message);
      assert.match(error.remedy, remedy);
      assert.deepEqual(reported, [error]);
    });
  }

  it("404 of a resume first mentions the task's ID", async () => {
    server.next(json(404, { message: "Task ID not found" }));
    const error = await errorOf(
      clientOf(server.url).resume({
        executionId: "1",
        taskId: "nosuch",
        humanFeedback: "Approved.",
        isApprove: true,
      }),
    );
    assert.equal(error.kind, "notFound");
    assert.match(error.remedy, /^Check the task's ID/);
  });

  it("404 of inputs and of a kickoff, which have no ID, mentions only the address", async () => {
    server.next(json(404, {}));
    const remedy = "Check the crew's address.";
    assert.equal((await errorOf(clientOf(server.url).inputs())).remedy, remedy);
    assert.equal((await kickoff(json(404, {}))).remedy, remedy);
  });

  it("is never inconclusive for a GET, which has no effect", async () => {
    server.otherwise = text(500, "Internal Server Error");
    const error = await errorOf(clientOf(server.url).inputs());
    assert.equal(error.kind, "server");
    assert.equal(error.sent, "no");
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
      assert.deepEqual(
        [error.message, error.sent, error.asksPython],
        [message, "no", isLocal ? true : undefined],
      );
      assert.match(error.remedy, isLocal ? /kickoff form/ : /asks to wait 60 seconds/);
    }
    server.next(json(200, { inputs: ["topic"] }));
    assert.deepEqual(
      (await clientOf(server.url).askInputs()).fields.map(({ name }) => name),
      ["topic"],
    );
  });

  describe("500 of the local service whose crew can't be read", () => {
    const place = { file: "config/tasks.yaml", line: 7, column: 10 };
    const answer = (crewdeck: unknown) =>
      json(500, {
        error: "Internal Server Error",
        message:
          'The crew can\'t be read any more. config/tasks.yaml:7:10: There is no agent "nobody".',
        details: { crewdeck },
        detail: "",
      });

    it("says that the kickoff started nothing, and where the problem is", async () => {
      const reported: CrewApiError[] = [];
      server.next(answer({ ...place, started: false }));
      const error = await errorOf(
        new CrewClient(server.url, token, {
          isLocal: true,
          onRefused: (refused) => void reported.push(refused),
        }).kickoff({ inputs: {} }),
      );
      assert.deepEqual(
        [error.kind, error.status, error.sent, error.place],
        ["server", 500, "no", place],
      );
      assert.equal(
        error.message,
        'The crew can\'t be read any more. config/tasks.yaml:7:10: There is no agent "nobody".',
      );
      assert.equal(error.remedy, "Nothing was started. Fix the crew's file and kick off again.");
      assert.deepEqual(reported, [error], "it is reported before it is thrown");
    });

    for (const [what, own] of [
      ["if `started` is missing", place],
      ["if `started` is a text", { ...place, started: "no" }],
      ["if `started` is null", { ...place, started: null }],
      ["if `started` is true", { ...place, started: true }],
    ] as const) {
      it(`leaves open whether it started ${what}`, async () => {
        assert.equal((await kickoff(answer(own))).sent, "maybe");
      });
    }

    it("leaves open whether it started if `started` is elsewhere, and whether a resume arrived", async () => {
      for (const body of [
        { started: false },
        { details: { started: false } },
        { details: "crewdeck" },
        { detail: { crewdeck: { started: false } } },
      ]) {
        assert.equal((await kickoff(json(500, body))).sent, "maybe", JSON.stringify(body));
      }
      assert.equal(
        (await kickoff(json(502, { details: { crewdeck: { started: false } } }))).sent,
        "maybe",
        "a gateway's",
      );
      server.next(answer({ ...place, started: false }));
      assert.equal(
        (
          await errorOf(
            clientOf(server.url).resume({
              executionId: "1",
              taskId: "a",
              humanFeedback: "",
              isApprove: true,
            }),
          )
        ).sent,
        "maybe",
      );
    });

    it("is not retried for the inputs: the file stays unreadable", async () => {
      server.otherwise = answer(place);
      const error = await errorOf(clientOf(server.url).inputs());
      assert.deepEqual(
        [error.sent, error.place, error.remedy],
        ["no", place, "Fix the crew's file and try again."],
      );
      assert.equal(server.requests.length, 1);
    });
  });

  it("does not mention a dashboard for a local crew", async () => {
    for (const answer of [
      text(500, "Internal Server Error"),
      json(401, {}),
      json(403, {}),
      text(200, "no JSON"),
      json(200, {}),
    ]) {
      server.otherwise = answer;
      const local = new CrewClient(server.url, token, { isLocal: true });
      assert.doesNotMatch((await errorOf(local.kickoff({ inputs: {} }))).remedy, /dashboard/);
      assert.match(
        (await errorOf(clientOf(server.url).kickoff({ inputs: {} }))).remedy,
        /dashboard/,
      );
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
    assert.match(
      (await kickoff((response) => response.writeHead(401, `No ${token}`).end())).message,
      /No \[token\]/,
    );
    await kickoff(redirect(302, `/login?token=${token}`));
    await kickoff(redirect(302, `/${token}/login`));
    await kickoff(text(200, token));
  });

  for (const [what, bad] of [
    ["a line break", "abc\ndef"],
    ["another script", "ключ-SECRET"],
    ["a NUL", "abc\0"],
    ["nothing", ""],
  ] as const) {
    it(`a token with ${what} is refused before anything is sent`, async () => {
      const error = await errorOf(new CrewClient(server.url, bad).kickoff({ inputs: {} }));
      assert.equal(error.kind, "unauthorized");
      assert.equal(error.sent, "no");
      assert.match(error.remedy, /Status tab/);
      if (bad !== "") assert(!`${error.message}${error.remedy}`.includes(bad));
      assert.equal(server.requests.length, 0);
    });
  }

  describe("a redirect", () => {
    let elsewhere: MisbehavingServer;
    beforeEach(async () => {
      elsewhere = await MisbehavingServer.start();
    });
    afterEach(() => elsewhere.stop());

    for (const status of [300, 301, 302, 303, 304, 307, 308]) {
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
    }

    for (const location of ["", "http://", "javascript:alert(1)"]) {
      it(`to ${JSON.stringify(location)} is reported without its target`, async () => {
        server.next(redirect(301, location));
        const error = await errorOf(clientOf(server.url).inputs());
        assert.equal(error.kind, "redirected");
        assert.doesNotMatch(error.message, /javascript/);
      });
    }
  });

  it("is read in its charset, also in quotes or after spaces", async () => {
    for (const charset of ["=shift_jis", '="Shift_JIS"', "='shift_jis'", " = Shift_JIS"]) {
      const { message } = await kickoff((response) =>
        response
          .writeHead(400, { "content-type": `text/plain; charset${charset}` })
          .end(Buffer.from([0x93, 0xfa])),
      );
      assert.match(message, /: 日\.$/);
    }
  });

  it("names how long the crew asks to wait", async () => {
    for (const [header, words] of [
      ["7", /asks to wait 7 seconds/],
      ["600", /asks to wait 10 minutes/],
    ] as const)
      for (const status of [429, 503]) {
        const { remedy } = await kickoff(text(status, "", { "retry-after": header }));
        assert.match(remedy, words);
      }
  });

  describe("success with an unusable answer", () => {
    it("says that a page came, such as one to sign in", async () => {
      const page = "<!DOCTYPE html>\n<html><head><title>Log in – Acme</title></head></html>";
      server.next(text(200, page, { "content-type": "text/html" }));
      const { kind, message, remedy } = await errorOf(clientOf(server.url).inputs());
      assert.equal(kind, "badAnswer");
      assert.match(message, /web page, such as one to sign in: “Log in – Acme”/);
      assert.match(remedy, /asks you to sign in/);
    });

    it("names the title of a page, whatever is before it", async () => {
      const title = "<title>\n Log in – Acme</title><h1>Hello</h1>";
      for (const page of [
        `<!-- 1 > 0 --><!DOCTYPE html>${title}`,
        `<?xml version="1.0"?>\n<html>${title}</html>`,
        `<head>${title}</head>`,
        `<html><style>${"p{}".repeat(1_000)}</style>${title}`,
        `<html><script>if (a<b) document.write("<b>x()")</script>${title}`,
      ]) {
        server.next(text(200, page));
        const { message } = await errorOf(clientOf(server.url).inputs());
        assert.match(message, /web page, such as one to sign in: “Log in – Acme”\.$/, page);
      }
      server.next(text(200, "<feed><content><html><title>Log in</title></html></content></feed>"));
      assert.match((await errorOf(clientOf(server.url).inputs())).message, /is not JSON\.$/);
      server.next(text(200, "<html><script>if (a<b) x()"));
      const { message } = await errorOf(clientOf(server.url).inputs());
      assert.match(message, /web page, such as one to sign in\.$/);
    });

    for (const [what, answer] of [
      ["a page", text(200, "<html>Sign in</html>", { "content-type": "application/json" })],
      ["nothing", text(200, "")],
      ["no content", text(204, "")],
      ["half of an object", text(200, '{"kickoff_id": "k"')],
      ["no id", json(200, { status: "ok" })],
      ["an id of another kind", json(200, { kickoff_id: { id: 1 } })],
      ["null", json(200, null)],
    ] as const) {
      it(`a kickoff with ${what} may have started`, async () => {
        const error = await kickoff(answer);
        assert.equal(error.kind, "badAnswer");
        assert.equal(error.sent, "maybe");
        assert.equal(server.requests.length, 1);
      });
    }

    for (const answer of [text(200, "<html>"), json(200, []), json(200, "ok"), json(200, null)]) {
      it("status and resume need an object", async () => {
        server.otherwise = answer;
        const client = clientOf(server.url);
        assert.equal((await errorOf(client.status("k"))).kind, "badAnswer");
        const resume = await errorOf(
          client.resume({ executionId: "k", taskId: "t", humanFeedback: "", isApprove: true }),
        );
        assert.equal(resume.kind, "badAnswer");
        assert.equal(resume.sent, "maybe");
      });
    }

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
