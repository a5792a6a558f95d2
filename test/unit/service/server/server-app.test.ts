import assert from "node:assert/strict";
import { once } from "node:events";
import { asObject } from "../../../../src/base/json.ts";
import { documentedDialect, liveDialect } from "../../../../src/service/dialects.ts";
import { rehearsalEngine, type Engine } from "../../../../src/service/engine.ts";
import {
  createServerApp,
  type ServerAppOptions,
} from "../../../../src/service/server/server-app.ts";
import {
  hashOf,
  newToken,
  tokensOf,
  type Token,
  type Tokens,
} from "../../../../src/service/server/tokens.ts";
import { createFeedbackWebhook } from "../../../../src/service/feedback-webhook.ts";
import { readAnswer, type ApiAnswer } from "../../../support/crew-api.ts";
import { waitFor } from "../../../support/wait.ts";
import { assertDescribed, errorBody, Harness, inputs } from "../support.ts";

const feedbackWebhook: ReturnType<typeof createFeedbackWebhook> = {
  ...createFeedbackWebhook({ url: "", secret: "", address: () => "" }),
  attemptAt: (path) =>
    path === "/feedback/signed" ? { executionId: "", taskIndex: 0, attempt: 1 } : undefined,
};

/** Two crews behind the server's app, without a socket. `travel` speaks the live dialect. */
class Server {
  readonly secrets = new Map<string, string>();
  readonly log: string[] = [];
  readonly crews: Readonly<Record<"research" | "travel", Harness>>;
  tokens: Token[] = [];
  readonly used: string[] = [];
  readonly #app: ReturnType<typeof createServerApp>;

  constructor({
    engine,
    mostAtWork = 100,
    ...options
  }: Partial<ServerAppOptions & { engine: Engine; mostAtWork: number }> = {}) {
    const tokens: Tokens = {
      find: (bearer) => tokensOf(this.tokens).find(bearer),
      noteUse: ({ name }) => this.used.push(name),
    };
    const open = (name: string, dialect: "documented" | "live") =>
      new Harness({
        ...{ ...(engine && { engine }), name, dialect, mostAtWork },
      });
    this.crews = { research: open("research", "documented"), travel: open("travel", "live") };
    this.#app = createServerApp({
      crews: Object.entries(this.crews).map(([name, crew]) => ({
        name,
        dialect: name === "travel" ? liveDialect : documentedDialect,
        fetch: (request, env) => crew.crewApp.fetch(request, env),
        feedbackWebhook,
      })),
      tokens,
      requestsPerMinute: 1000,
      trustProxy: false,
      log: (line) => this.log.push(line),
      ...options,
    });
    this.add("org", "organization", "all");
    this.add("ci", "organization", ["research"]);
    this.add("ann", "user", ["research", "travel"]);
    this.add("bob", "user", ["research"]);
  }

  async start(): Promise<this> {
    for (const harness of Object.values(this.crews)) await harness.start();
    return this;
  }

  add(name: string, kind: Token["kind"], crews: Token["crews"]): void {
    const secret = newToken();
    this.secrets.set(name, secret);
    this.tokens = [...this.tokens, { name, kind, crews, hash: hashOf(secret) }];
  }

  revoke(name: string): void {
    this.tokens = this.tokens.filter((token) => token.name !== name);
  }

  /** @param as a token's name, or the whole header */
  async ask(
    as: string,
    address: string,
    { body, client = "203.0.113.9", headers = {} }: Asked = {},
  ): Promise<ApiAnswer> {
    const [target = "/", method = "GET"] = address.split(" ").reverse();
    const secret = this.secrets.get(as);
    const authorization = secret === undefined ? as : `Bearer ${secret}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = {
      method,
      headers: {
        ...(authorization !== "" && { Authorization: authorization }),
        ...(text !== undefined && { "Content-Length": String(text.length) }),
        ...headers,
      },
      ...(text !== undefined && { body: text }),
    };
    const incoming = { socket: { remoteAddress: client } };
    const answer = await readAnswer(await this.#app.request(target, request, { incoming }));
    const { pathname } = new URL(target, "http://localhost");
    const below = /^\/(?:research|travel)(\/.+)$/.exec(pathname)?.[1];
    // What openapi.yaml describes is a crew, for those who may use it.
    const isHidden = asObject(answer.body)["detail"] === "Not Found" || answer.status === 401;
    if (below !== undefined && !isHidden) assertDescribed(method, below, answer);
    return answer;
  }

  async kickoff(as: string, crew: "research" | "travel" = "research"): Promise<string> {
    const answer = await this.ask(as, `POST /${crew}/kickoff`, { body: { inputs } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (answer.body as { kickoff_id: string }).kickoff_id;
  }

  /** Approves an output; resolves to the answer's status. */
  async resume(as: string, execution_id: string): Promise<number> {
    const body = { execution_id, task_id: "draft", human_feedback: "good", is_approve: true };
    return (await this.ask(as, "POST /research/resume", { body })).status;
  }

  /** How many executions of a crew are stored. */
  async stored(crew: "research" | "travel"): Promise<number> {
    return (await this.crews[crew].sql("SELECT id FROM executions")).length;
  }

  async untilWaiting(as: string, id: string): Promise<void> {
    await waitFor("the task to wait", async () => {
      const { body } = await this.ask(as, `/research/${id}/status`);
      return (body as { pending_human_input?: object }).pending_human_input !== undefined;
    });
  }
}

interface Asked {
  readonly body?: unknown;
  /** The address of the socket's other end. */
  readonly client?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe("A server of several crews", () => {
  let server: Server;
  const open = async (options: ConstructorParameters<typeof Server>[0] = {}) => {
    server = await new Server(options).start();
  };
  /** Lets tasks go on that the test holds. */
  let release = (): void => undefined;
  afterEach(() => release());

  it("serves the whole API of each crew below its name", async () => {
    await open();
    const id = await server.kickoff("org");
    await server.untilWaiting("org", id);
    assert.equal((await server.ask("org", `//research//status/${id}/`)).status, 200);
    assert.equal(await server.resume("org", id), 200);
    const other = await server.kickoff("org");
    assert.equal((await server.ask("org", `POST /research/stop/${other}`)).status, 200);
    assert.deepEqual((await server.ask("org", "/research/inputs")).body, {
      inputs: ["topic", "audience"],
    });
    assert.deepEqual((await server.ask("org", "/travel/inputs")).body, {
      inputs: ["audience", "topic"],
    });
    const wrong = await server.ask("org", "/research/kickoff");
    assert.deepEqual([wrong.status, wrong.headers.get("Allow")], [405, "POST"]);
    // An execution is only where it was started.
    const elsewhere = await server.ask("org", `/travel/${id}/status`);
    assert.equal(asObject(elsewhere.body)["state"], "NOT FOUND");
  });

  it("lists the crews that a token may use, and none without one", async () => {
    await open();
    const list = async (as: string) => (await server.ask(as, "/")).body;
    const research = { name: "research", url: "http://localhost/research" };
    const travel = { name: "travel", url: "http://localhost/travel" };
    assert.deepEqual(await list("org"), { crews: [research, travel] });
    assert.deepEqual(await list("ci"), { crews: [research] });
    const refused = await server.ask("", "/");
    assert.equal(refused.status, 401);
    assert.doesNotMatch(JSON.stringify(refused.body), /research|travel/);
    const posted = await server.ask("org", "POST /");
    assert.deepEqual([posted.status, posted.headers.get("Allow")], [405, "GET"]);
  });

  it("answers 401 to anything but a whole token in force, without a crew's name or a token in its log", async () => {
    await open();
    const secret = server.secrets.get("org") ?? "";
    for (const header of [
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${newToken()}`,
      `Bearer ${secret.slice(0, -1)}`,
      `Bearer ${secret.slice(0, 8)}`,
      `Bearer ${secret}x`,
      `Bearer ${secret.toUpperCase()}`,
      `Bearer ${secret} ${secret}`,
      `Bearer ${hashOf(secret)}`,
      `Basic ${secret}`,
      secret,
      `Bearer ${"x".repeat(1_000_000)}`,
      `Bearer ${" ".repeat(1_000_000)}x y`,
    ])
      for (const address of [
        "/",
        "/research/inputs",
        "POST /research/kickoff",
        "/research",
        "/x",
      ]) {
        const { status, headers } = await server.ask(header, address);
        assert.deepEqual(
          [status, headers.get("WWW-Authenticate")],
          [401, "Bearer"],
          header.slice(0, 80),
        );
      }
    assert.ok(server.log.length > 0);
    for (const line of server.log)
      assert.equal(line, "A request from 203.0.113.9 had no valid token.");
    assert.ok(server.log.length < 30, "a flood doesn't fill the log");
  });

  it("answers alike for a crew that isn't there and one that the token may not use, so that names can't be probed", async () => {
    await open();
    const id = await server.kickoff("org", "travel");
    for (const [as, status] of [
      ["", 401],
      ["Bearer wrong", 401],
      ["ci", 404],
    ] as const)
      for (const [method, below] of [
        ["GET", "/inputs"],
        ["GET", ""],
        ["PUT", "/kickoff"],
        ["GET", `/${id}/status`],
        ["POST", "/kickoff"],
        ["POST", "/feedback/a/1/1/b"],
        ["OPTIONS", "/inputs"],
      ] as const) {
        const body = method === "POST" ? { body: { inputs } } : {};
        const there = await server.ask(as, `${method} /travel${below}`, body);
        const missing = await server.ask(as, `${method} /nowhere${below}`, body);
        assert.equal(there.status, status, `${as} ${method} ${below}`);
        assert.deepEqual(there.body, missing.body);
        assert.deepEqual([...there.headers], [...missing.headers]);
      }
    assert.equal(await server.stored("travel"), 1);
    const { body } = await server.ask("org", "/nowhere/inputs");
    const message = "The requested resource was not found";
    assert.deepEqual(body, errorBody("Not Found", message, {}, "Not Found"));
  });

  it("names the addresses of its crews to who may use them and asks for inputs or kicks off at its own", async () => {
    await open();
    const messageAt = async (as: string, route: string) => {
      const { status, body } = await server.ask(as, route);
      return `${status} ${String(asObject(body)["message"])}`;
    };
    const [research, travel] = ["http://localhost/research", "http://localhost/travel"];
    for (const route of ["/inputs", "POST /kickoff"]) {
      assert.equal(
        await messageAt("org", route),
        `404 This is the address of a server. Use that of a crew: ${research}, ${travel}`,
      );
      assert.equal(
        await messageAt("ci", route),
        `404 This is the address of a server. Use that of a crew: ${research}`,
      );
      assert.match(await messageAt("", route), /^401 /);
    }
  });

  it("finds no crew by a name that isn't exactly its own", async () => {
    await open();
    for (const name of [
      "..",
      "%2e%2e",
      "Research",
      "research%2f",
      "%72esearch%00",
      "__proto__",
      "constructor",
      "research.",
      ".",
      "research;a",
    ]) {
      const { status } = await server.ask("org", `/${name}/inputs`);
      assert.equal(status, 404, name);
    }
    // Resolved before, as any client does: this is /travel/inputs.
    assert.equal((await server.ask("ci", "/research/../travel/inputs")).status, 404);
    assert.equal((await server.ask("ci", "/research/%2e%2e/travel/inputs")).status, 404);
    assert.equal((await server.ask("ci", "/research/..%2ftravel/inputs")).status, 404);
  });

  it("lets a user's token read, resume and stop only what it started, an organization's token all of its crews", async () => {
    await open();
    const ann = await server.kickoff("ann");
    const bob = await server.kickoff("bob");
    const organizations = await server.kickoff("org");
    for (const id of [ann, bob, organizations]) await server.untilWaiting("ci", id);
    const status = async (as: string, id: string) =>
      (await server.ask(as, `/research/${id}/status`)).status;
    assert.deepEqual(
      await Promise.all([ann, bob, organizations].map((id) => status("ann", id))),
      [200, 403, 403],
    );
    assert.equal(await server.resume("ann", bob), 403);
    assert.equal((await server.ask("ann", `POST /research/stop/${bob}`)).status, 403);
    const again = { inputs, run_again: { execution_id: bob, task_id: "draft" } };
    assert.equal((await server.ask("ann", "POST /research/kickoff", { body: again })).status, 403);
    assert.equal(await server.resume("bob", bob), 200);
    assert.equal((await server.ask("ci", `POST /research/stop/${ann}`)).status, 200);
    // A new token of the same name.
    server.revoke("bob");
    server.add("bob", "user", ["research"]);
    assert.equal(await status("bob", bob), 200);
    server.add("userBearer", "user", "all");
    assert.equal(await status("userBearer", organizations), 403);
  });

  it("answers 429 with Retry-After to too many requests of a token, in the crew's dialect, and to no other token", async () => {
    await open({ requestsPerMinute: 3 });
    for (let count = 0; count < 3; count += 1)
      assert.equal((await server.ask("ann", "/research/inputs")).status, 200);
    const documented = await server.ask("ann", "/research/inputs");
    assert.deepEqual([documented.status, documented.headers.get("Retry-After")], [429, "20"]);
    const message = "Too many requests with this token. Try again in 20 s";
    assert.deepEqual(documented.body, errorBody("Too Many Requests", message));
    const live = await server.ask("ann", "POST /travel/kickoff", { body: { inputs } });
    assert.deepEqual(
      [live.status, live.body, live.headers.get("Retry-After")],
      [429, { detail: message }, "20"],
    );
    assert.equal(live.headers.get("Connection"), "close", "the body was not read");
    assert.equal((await server.ask("ann", "/")).status, 429);
    assert.equal((await server.ask("bob", "/research/inputs")).status, 200);
  });

  it("answers 429 with Retry-After to a kickoff beyond the limit and stores nothing; what waits for a person doesn't count", async () => {
    const rehearsal = rehearsalEngine(0);
    let gate = Promise.resolve();
    const engine: Engine = {
      ...rehearsal,
      run: async (attempt, report) => {
        await gate;
        return rehearsal.run(attempt, report);
      },
    };
    await open({ engine, mostAtWork: 2 });
    const kickoff = (crew = "research") =>
      server.ask("ann", `POST /${crew}/kickoff`, { body: { inputs } });
    await server.untilWaiting("ann", await server.kickoff("ann"));
    const gated = new AbortController();
    gate = once(gated.signal, "abort").then(() => undefined);
    release = () => gated.abort();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => kickoff()));
    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([accepted.length, refused.length], [2, 3]);
    const message =
      "The crew already has 2 executions that are queued or running. Try again in 10 s";
    for (const { headers, body } of refused) {
      assert.equal(headers.get("Retry-After"), "10");
      assert.equal((body as { message: string }).message, message);
    }
    assert.equal(await server.stored("research"), 3);
    // The other crew has a queue of its own, and speaks the live dialect.
    const others = await Promise.all([1, 2, 3].map(() => kickoff("travel")));
    assert.deepEqual(
      others.filter(({ status }) => status === 429).map(({ body }) => body),
      [{ detail: message }],
    );
    const { kickoff_id: id } = accepted[0]?.body as { kickoff_id: string };
    assert.equal((await server.ask("ann", `POST /research/stop/${id}`)).status, 200);
    assert.equal((await kickoff()).status, 200);
    assert.equal((await kickoff()).status, 429);
  });

  it("answers only requests to this machine's own names, or to publicUrl", async () => {
    await open({ publicUrl: "https://crews.example.com" });
    const status = async (host: string, headers = {}) =>
      (await server.ask("org", `http://${host}/research/inputs`, { headers })).status;
    for (const host of ["localhost:80", "crews.example.com", "CREWS.example.com:8443"])
      assert.equal(await status(host), 200, host);
    for (const host of ["evil.crews.example.com", "crews.example.com.evil.com"])
      assert.equal(await status(host), 403, host);
    // Before the token is looked at.
    assert.equal((await server.ask("", "http://example.com/")).status, 403);
    const { body } = await server.ask("ci", "http://localhost/");
    assert.deepEqual(body, {
      crews: [{ name: "research", url: "https://crews.example.com/research" }],
    });
  });

  it("believes the headers of a proxy only with trustProxy", async () => {
    const forged = {
      "X-Forwarded-Host": "evil.com",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-For": "198.51.100.1",
    };
    await open({ publicUrl: "https://crews.example.com" });
    assert.equal((await server.ask("org", "http://localhost/", { headers: forged })).status, 200);
    const toEvil = { headers: { "X-Forwarded-Host": "localhost" } };
    assert.equal((await server.ask("org", "http://evil.com/", toEvil)).status, 403);
    await server.ask("", "/", { headers: forged });
    assert.deepEqual(server.log, ["A request from 203.0.113.9 had no valid token."]);

    await open({ trustProxy: true });
    const url = async (headers: Record<string, string>, host = "localhost:8000") => {
      const { status, body } = await server.ask("ci", `http://${host}/`, { headers });
      return status === 200 ? (body as { crews: { url: string }[] }).crews[0]?.url : status;
    };
    assert.equal(await url({}), "http://localhost:8000/research");
    assert.equal(await url({ "X-Forwarded-Proto": "https" }), "https://localhost:8000/research");
    assert.equal(
      await url({ "X-Forwarded-Proto": "https", "X-Forwarded-Host": "127.0.0.1:8443" }, "api:8000"),
      "https://127.0.0.1:8443/research",
    );
    // What the client sent is before what the proxy added.
    assert.equal(await url({ "X-Forwarded-Host": "localhost, evil.com" }), 403);
    assert.equal(
      await url({ "X-Forwarded-Host": "evil.com, localhost" }),
      "http://localhost/research",
    );
    for (const host of [
      "evil.com",
      "localhost@evil.com",
      "",
      "a b",
      "evil.com/localhost",
      "localhost:x",
    ])
      assert.equal(await url({ "X-Forwarded-Host": host }), 403, host);
    server.log.length = 0;
    await server.ask("", "/", { headers: { "X-Forwarded-For": "198.51.100.1, 192.0.2.7" } });
    await server.ask("", "/", { headers: { "X-Forwarded-For": "no address" } });
    assert.deepEqual(server.log, [
      "A request from 192.0.2.7 had no valid token.",
      "A request from an unknown address had no valid token.",
    ]);
  });

  it("passes on requests to a secret path without a token", async () => {
    await open();
    assert.equal(
      (await server.ask("", "POST /research/feedback/signed", { body: {} })).status,
      404,
    );
    assert.equal((await server.ask("", "POST /research/feedback/other", { body: {} })).status, 401);
    assert.equal((await server.ask("", "POST /nowhere/feedback/signed", { body: {} })).status, 401);
  });

  it("notes that a token was used", async () => {
    await open();
    for (const as of ["ci", "", "Bearer wrong", "org"]) await server.ask(as, "/");
    assert.deepEqual(server.used, ["ci", "org"]);
  });
});
