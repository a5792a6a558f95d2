import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import path from "node:path";
import { asObject, defined, parseJson, type UnknownObject } from "../../../../src/base/json.ts";
import { modelHeader, readModel, windowPath } from "../../../../src/base/window-protocol.ts";
import { ownTokens } from "../../../../src/service/server/tokens.ts";
import type { Engine } from "../../../../src/service/engine.ts";
import { WindowLog } from "../../../../src/service/operations/log.ts";
import { createWindows, type WindowRoutes } from "../../../../src/service/windows/windows.ts";
import { temporaryFolder } from "../../../support/folders.ts";
import { HttpServer, textOf } from "../../../support/http-server.ts";
import { waitFor } from "../../../support/wait.ts";

const model = { vendor: "copilot", id: "one", name: "Model – one" };

/** A service that holds executions, without the rest of it. */
function open(more: { held?: string[]; isBusy?: () => boolean; beatMs?: number } = {}) {
  let held = more.held ?? [];
  let isBusy = more.isBusy ?? (() => false);
  const environments: Readonly<Record<string, string>>[] = [];
  const decisions: unknown[] = [];
  const engine: Engine = {
    name: "crewai",
    run: () => Promise.reject(new Error("It isn't asked.")),
    setEnvironment: (variables) => void environments.push(variables),
  };
  const routes = createWindows({
    tokens: ownTokens({ token: "T", userToken: "U" }),
    engines: [engine, engine],
    classes: ["One", "Two"],
    service: {
      held: () => Promise.resolve(held),
      isBusy: () => Promise.resolve(isBusy()),
      decide: (type, ids) => {
        decisions.push([type, ids]);
        held = held.filter((id) => !ids.includes(id));
        return Promise.resolve(held);
      },
    },
    leaveMs: 20,
    recent: () => ["An earlier line."],
    log: () => undefined,
    beatMs: more.beatMs ?? 60_000,
  });
  routes.listens("http://127.0.0.1:9", {});
  return { routes, environments, decisions, setBusy: (is: () => boolean) => (isBusy = is) };
}

const noDoor = { close: () => Promise.resolve(), open: () => Promise.resolve() };

const fetchOf = (routes: WindowRoutes) =>
  routes.before(() => assert.fail("Not a route of windows."));

function send(
  routes: WindowRoutes,
  method: string,
  address: string,
  { body, token = "T", signal }: { body?: unknown; token?: string; signal?: AbortSignal } = {},
): Response | Promise<Response> {
  return fetchOf(routes)(
    new Request(`http://127.0.0.1:9${windowPath}${address}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }),
  );
}

/** A window's connection. */
async function connect(routes: WindowRoutes, id = "w") {
  const response = await send(routes, "GET", `/windows/${id}`);
  assert.equal(response.status, 200);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return {
    async next(): Promise<UnknownObject> {
      while (!rest.includes("\n")) {
        const { value, done } = await reader.read();
        assert.ok(!done);
        rest += value;
      }
      const [line = "", ...more] = rest.split("\n");
      rest = more.join("\n");
      return asObject(parseJson(line));
    },
    /** The window is closed, or killed. */
    go: () => reader.cancel(),
  };
}

describe("service: the routes for VS Code's windows", () => {
  it("tell each window what is held, and of each change, until it goes", async () => {
    const { routes, decisions } = open({ held: ["1", "2"] });
    const [one, other] = [await connect(routes, "one"), await connect(routes, "other")];
    assert.deepEqual(await one.next(), {
      engine: "crewai",
      classes: ["One", "Two"],
      held: ["1", "2"],
      needsModels: false,
    });
    assert.deepEqual(await one.next(), { line: "An earlier line." });
    const answer = await send(routes, "POST", "/continue", { body: { ids: ["1"] } });
    assert.deepEqual(await answer.json(), { held: ["2"] });
    assert.deepEqual(decisions, [["continue", ["1"]]]);
    await other.go();
    routes.tell({ held: ["2"] });
    assert.deepEqual(await one.next(), { held: ["2"] });
    await one.go();
  });

  it("are only for the organisation's token, at an address of this machine", async () => {
    const { routes, environments } = open();
    for (const [method, address] of [
      ["GET", "/windows/w"],
      ["PUT", "/model"],
      ["POST", "/discard"],
    ] as const)
      for (const token of ["U", "another"])
        assert.equal((await send(routes, method, address, { token })).status, 401);
    const rebound = new Request(`http://evil.example:9${windowPath}/windows/w`, {
      headers: { authorization: "Bearer T" },
    });
    assert.equal((await fetchOf(routes)(rebound)).status, 403);
    assert.deepEqual(environments, [{}, {}], "the Python of each class");
  });

  it("let the service leave when no window is connected and nothing runs, and not before", async () => {
    let asked = 0;
    const { routes, setBusy } = open({ isBusy: () => ((asked += 1), true) });
    let hasLeft = false;
    const left = routes.idle(noDoor).then(() => (hasLeft = true));
    await waitFor("it to look", () => asked > 8);
    assert.equal(hasLeft, false, "something runs");
    const window = await connect(routes);
    setBusy(() => ((asked += 1), false));
    const before = performance.now();
    await waitFor("some time", () => performance.now() - before > 60);
    assert.equal(hasLeft, false, "a window is there");
    await window.go();
    await left;
  });

  it("keep the service if something arrives at its last moment: it looks again when nothing more can arrive", async () => {
    const { routes, setBusy } = open();
    const doors: string[] = [];
    let asked = 0;
    await routes.idle({
      close: () => {
        doors.push("closed");
        // A kickoff arrived, and runs for a while.
        if (doors.length === 1) setBusy(() => (asked += 1) < 3);
        return Promise.resolve();
      },
      open: () => Promise.resolve(doors.push("open")),
    });
    assert.deepEqual(doors, ["closed", "open", "closed"]);
  });

  it("bound the log's file, and keep its last lines for the next window", () => {
    const folder = temporaryFolder("log");
    const file = path.join(folder, "service.log");
    writeFileSync(file, "before\n");
    const log = new WindowLog(file, 50, {
      write: (text) => writeFileSync(file, text, { flag: "a" }),
    });
    for (let line = 1; line <= 300; line += 1) log.write(`line ${line}\n`);
    assert.ok(readFileSync(file).length < 70);
    assert.match(readFileSync(`${file}.1`, "utf8"), /^line /);
    assert.equal(log.recent.length, 200);
    assert.equal(log.recent.at(-1), "line 300");
  });
});

describe("service: VS Code's models, through its windows", () => {
  const servers: HttpServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  /** A window's endpoint; `answer` keeps the connection open if it does nothing. */
  async function endpoint(answer: (response: ServerResponse, body: string) => void) {
    const seen: IncomingHttpHeaders[] = [];
    const server = new HttpServer((request, response) => {
      seen.push(request.headers);
      void textOf(request).then((body) => answer(response, body));
    });
    servers.push(server);
    return { url: `${await server.start()}/v1`, token: "E", seen };
  }

  async function chosen(beatMs?: number) {
    const opened = open(defined({ beatMs }));
    const { routes, environments } = opened;
    await send(routes, "PUT", "/model", { body: { model } });
    const { OPENAI_API_KEY: key = "", OPENAI_BASE_URL: url } = environments.at(-1) ?? {};
    assert.equal(url, `http://127.0.0.1:9${windowPath}/models`);
    const ask = async (body: object = {}, signal?: AbortSignal) =>
      send(routes, "POST", "/models/chat/completions", {
        body,
        token: key,
        ...(signal && { signal }),
      });
    return { ...opened, key, ask };
  }
  const offer = async (
    routes: WindowRoutes,
    id: string,
    { url, token }: Record<"url" | "token", string>,
  ) => {
    const answer = await send(routes, "PUT", `/windows/${id}/models`, { body: { url, token } });
    assert.equal(answer.status, 200);
  };
  const ok = (response: ServerResponse) =>
    response.setHeader("content-type", "application/json").end('{"choices":[]}');

  it("a call without a window waits, also for longer than a client would, and is answered by the next window", async () => {
    const { routes, ask } = await chosen(20);
    const response = await ask();
    assert.equal(response.status, 200, "it gets signs of life");
    const answered = response.json();
    const window = await connect(routes);
    assert.equal((await window.next())["needsModels"], true);
    const offered = await endpoint(ok);
    await offer(routes, "w", offered);
    assert.deepEqual(await answered, { choices: [] });
    const [headers] = offered.seen;
    assert.equal(headers?.authorization, "Bearer E");
    assert.deepEqual(readModel(headers[modelHeader]), model);
    await window.go();
  });

  it("a call whose window goes is asked of the next one, and answered once", async () => {
    const { routes, ask } = await chosen();
    const first = await connect(routes, "first");
    const silent = await endpoint(() => undefined);
    await offer(routes, "first", silent);
    const response = ask({ stream: true });
    await waitFor("the call", () => silent.seen.length === 1);
    await first.go();
    const second = await connect(routes, "second");
    const offered = await endpoint((answer) => void answer.end("data: [DONE]\n\n"));
    await offer(routes, "second", offered);
    assert.match(
      await (await response).text(),
      /^(: waiting for a window\n\n)*data: \[DONE\]\n\n$/,
    );
    assert.deepEqual([silent.seen.length, offered.seen.length], [1, 1]);
    await second.go();
  });

  it("a refusal arrives as it is, and what the client gave up is not asked", async () => {
    const { routes, ask } = await chosen();
    const window = await connect(routes);
    const gone = new AbortController();
    const abandoned = ask({}, gone.signal).then(
      (response) => response.text(),
      () => "",
    );
    gone.abort();
    const refusing = await endpoint(
      (answer) => void answer.writeHead(429, { "x-should-retry": "false" }).end('{"error":{}}'),
    );
    await offer(routes, "w", refusing);
    const response = await ask();
    assert.deepEqual([response.status, await response.text()], [429, '{"error":{}}']);
    assert.equal(response.headers.get("x-should-retry"), "false");
    await abandoned.catch(() => undefined);
    assert.equal(refusing.seen.length, 1);
    await window.go();
  });

  it("a refusal after signs of life is the last event, or the body: a client would repeat a call whose connection breaks", async () => {
    const { routes, ask } = await chosen(20);
    const [response, streamed] = [await ask(), await ask({ stream: true })];
    const window = await connect(routes);
    const refusal = '{"error":{"message":"No quota."}}';
    await offer(routes, "w", await endpoint((answer) => void answer.writeHead(429).end(refusal)));
    assert.deepEqual(await response.json(), JSON.parse(refusal));
    const events = (await streamed.text()).split("\n\n");
    assert.deepEqual(events.slice(-2), [`data: ${refusal}`, ""]);
    await window.go();
  });

  it("a key opens its model and nothing else", async () => {
    const { routes, key, ask, environments } = await chosen();
    assert.equal((await send(routes, "POST", "/models/chat/completions")).status, 401);
    assert.equal((await send(routes, "GET", "/windows/w", { token: key })).status, 401);
    await send(routes, "PUT", "/model", { body: { model: { ...model, id: "two" } } });
    assert.notEqual(environments.at(-1)?.["OPENAI_API_KEY"], key);
    const window = await connect(routes);
    const offered = await endpoint(ok);
    await offer(routes, "w", offered);
    await (await ask()).text();
    assert.equal(readModel(offered.seen[0]?.[modelHeader])?.id, "one", "what it began with");
    await window.go();
  });
});
