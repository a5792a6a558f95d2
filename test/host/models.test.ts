import assert from "node:assert/strict";
import { request } from "node:http";
import * as vscode from "vscode";
import { asArray, asObject, parseJson, type UnknownObject } from "../../src/base/json.ts";
import {
  modelHeader,
  type ModelReference,
  type ModelRoute,
} from "../../src/base/window-protocol.ts";
import type { Crew } from "../../src/crews/types.ts";
import { chooseModel } from "../../src/models/choose-model.ts";
import { type Models, modelsOf } from "../../src/models/models.ts";
import { waitFor } from "../support/wait.ts";
import { untilSilent } from "./extension.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";
import { provideModels, textIn, vendor, type ProviderRequest } from "./model-provider.ts";
import { withPerson, type Move } from "./scripted-person.ts";

const role = vscode.LanguageModelChatMessageRole;
const crew: Crew = {
  id: "local:file:///weather",
  name: "weather",
  url: "http://127.0.0.1:1",
  local: { folder: "file:///weather", engine: "crewai", running: false },
};
const choice = { use: "vscode", vendor, id: "one", name: "Model one" } as const;
const say = (text: string) => new vscode.LanguageModelTextPart(text);
const hello = { messages: [{ role: "user", content: "Say hello" }] };
const errorIn = async (response: Response) => asObject(asObject(await response.json())["error"]);
const jsonOf = async (response: Response) => (await response.json()) as UnknownObject;

class FakeService {
  readonly routes: ModelRoute[] = [];
  endpoint = { url: "", token: "" };
  end: () => void = () => undefined;
  needsModels = false;
  readonly closed = new Promise<void>((resolve) => (this.end = resolve));
  setRoute(route: ModelRoute): Promise<void> {
    this.routes.push(route);
    return Promise.resolve();
  }
  offerModels(endpoint: FakeService["endpoint"]): Promise<void> {
    this.endpoint = endpoint;
    return Promise.resolve();
  }
}

/** The oldest VS Code doesn't pass a cancellation on once a model has been asked. */
const canCancel = process.env["CREWDECK_EDITION"] !== "oldest";
const cancelled = (token: vscode.CancellationToken) =>
  new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));

describe("models of local crews", () => {
  let secrets: MemorySecrets;
  let memento: MemoryMemento;
  let models: Models;

  beforeEach(() => {
    secrets = new MemorySecrets();
    memento = new MemoryMemento();
    models = modelsOf({ secrets, globalState: memento });
  });

  afterEach(async () => {
    models.dispose();
    await provideModels([], () => undefined);
  });

  async function serve(crewId = crew.id) {
    const service = new FakeService();
    const route = await models.route(crewId);
    models.follow(crewId, service);
    return { service, route, environment: route.variables ?? {} };
  }

  async function callModels(service: FakeService): Promise<void> {
    service.needsModels = true;
    await waitFor("the offer", () => service.endpoint.url !== "");
  }

  async function openEndpoint(asked: ModelReference = choice) {
    await models.choose(crew.id, choice);
    const { service, route } = await serve();
    assert.deepEqual(route, { model: { vendor, id: "one", name: "Model one" } });
    await callModels(service);
    const { url, token: key } = service.endpoint;
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      [modelHeader]: encodeURIComponent(JSON.stringify(asked)),
    };
    const post = (body: object, signal: AbortSignal | null = null) =>
      fetch(`${url}/chat/completions`, {
        ...{ method: "POST", headers, signal },
        body: JSON.stringify({ model: "any", ...body }),
      });
    return { service, url, key, headers, post };
  }

  it("answer a request by HTTP, with the tokens counted", async () => {
    const asked: ProviderRequest[] = [];
    await provideModels(["one"], (given) => {
      asked.push(given);
      for (const text of ["Hello ", "world"]) given.progress.report(say(text));
    });
    const { post } = await openEndpoint();
    const response = await post({
      temperature: 0.5,
      messages: [
        { role: "system", content: "Be brief" },
        { role: "user", content: "" },
        { role: "user", content: [{ type: "text", text: "Say hello" }] },
        { role: "assistant", content: "Hello" },
      ],
      // As if they were missing.
      ...{ top_p: null, stream: null, tools: null },
      ...{ response_format: { type: "json_schema", json_schema: { schema: { type: "string" } } } },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    const { object, model, choices, usage } = await jsonOf(response);
    assert.deepEqual([object, model], ["chat.completion", "one"]);
    const message = { role: "assistant", content: "Hello world", refusal: null };
    assert.deepEqual(choices, [{ index: 0, message, logprobs: null, finish_reason: "stop" }]);
    assert.deepEqual(usage, { prompt_tokens: 24, completion_tokens: 2, total_tokens: 26 });
    assert.deepEqual(
      asked[0]?.messages.map((message) => [message.role, textIn(message)]),
      [
        [role.User, "Be brief"],
        [role.User, "Say hello"],
        [role.Assistant, "Hello"],
        [
          role.User,
          'Answer with one JSON object that matches this JSON schema and nothing else: no explanation, no code fence.\n{"type":"string"}',
        ],
      ],
    );
    assert.deepEqual(asked[0].options.modelOptions, { temperature: 0.5 });
  });

  it("answer a client that wants a stream in one part, and end before a stop text", async () => {
    let isStopped = false;
    await provideModels(["one"], async ({ progress, token }) => {
      for (const text of ["Thought. ", "Act\nObser", "vation: made up"]) progress.report(say(text));
      await cancelled(token);
      isStopped = true;
    });
    const { post } = await openEndpoint();
    const stream = { stream: true, stream_options: { include_usage: true } };
    const response = await post({ ...hello, ...stream, stop: ["\nObservation:"] });
    assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
    const events = (await response.text()).trim().split("\n\n");
    assert.equal(events.pop(), "data: [DONE]");
    const [chunk, usage] = events.map((line) => asObject(parseJson(line.replace(/^data: /, ""))));
    assert.deepEqual(asArray(chunk?.["choices"])[0], {
      index: 0,
      delta: { role: "assistant", content: "Thought. Act", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    });
    assert.deepEqual(usage?.["choices"], []);
    assert.equal(asObject(usage["usage"])["completion_tokens"], 2);
    if (canCancel) await waitFor("the model to be stopped, which costs money", () => isStopped);
  });

  it("call tools and take their results, also in a stream, as “tool_choice” says", async () => {
    const asked: ProviderRequest[] = [];
    const cities = { a: "Oslo", b: "Bergen" };
    await provideModels(["one"], (given) => {
      asked.push(given);
      const { progress, messages } = given;
      if (messages.some(({ content }) => content.length > 1)) progress.report(say("10 degrees"));
      else
        for (const [id, city] of Object.entries(cities))
          progress.report(new vscode.LanguageModelToolCallPart(id, "thermometer", { city }));
    });
    const { post } = await openEndpoint();
    const parameters = { type: "object", properties: { city: { type: "string" } } };
    const functions = [
      { name: "thermometer", description: "Measures", parameters },
      { name: "other" },
    ];
    const tools = functions.map((each) => ({ type: "function", function: each }));
    const tool_calls = Object.entries(cities).map(([id, city]) => ({
      ...{ id, type: "function" },
      function: { name: "thermometer", arguments: JSON.stringify({ city }) },
    }));
    const first = await jsonOf(await post({ ...hello, tools }));
    assert.deepEqual(asArray(first["choices"])[0], {
      index: 0,
      message: { role: "assistant", content: null, refusal: null, tool_calls },
      logprobs: null,
      finish_reason: "tool_calls",
    });
    const toolsOf = (given: ProviderRequest | undefined) =>
      given?.options.tools?.map(({ name }) => name) ?? [];
    const { Auto, Required } = vscode.LanguageModelChatToolMode;
    assert.deepEqual(toolsOf(asked[0]), ["thermometer", "other"]);
    assert.equal(asked[0]?.options.toolMode, Auto);
    const streamed = await (await post({ ...hello, tools, stream: true })).text();
    assert.match(streamed, /\{"index":1,"id":"b"/);
    assert.match(streamed, /"finish_reason":"tool_calls"/);
    const second = await post({
      tools,
      tool_choice: { type: "function", function: { name: "thermometer" } },
      messages: [
        ...hello.messages,
        { role: "assistant", content: null, tool_calls },
        { role: "tool", tool_call_id: "a", content: "10" },
      ],
    });
    assert.match(await second.text(), /10 degrees/);
    assert.deepEqual(asked[2]?.messages.map(textIn), [
      "Say hello",
      'call a thermometer {"city":"Oslo"} | call b thermometer {"city":"Bergen"}',
      "result a 10",
    ]);
    assert.deepEqual([toolsOf(asked[2]), asked[2].options.toolMode], [["thermometer"], Required]);
    await post({ ...hello, tools, tool_choice: "none" });
    assert.deepEqual(toolsOf(asked[3]), []);
  });

  it("refuse other keys, hosts, routes and bodies, with OpenAI's error bodies", async () => {
    await provideModels(["one"], ({ progress }) => progress.report(say("Hello")));
    const { url, key, post, headers } = await openEndpoint();
    for (const authorization of ["", "Bearer ", `Bearer ${key}x`, `Basic ${key}`]) {
      const response = await fetch(`${url}/chat/completions`, { headers: { authorization } });
      assert.equal(response.status, 401, authorization);
      assert.equal((await errorIn(response))["code"], "invalid_api_key");
    }
    const { port } = new URL(url);
    const evil = { ...headers, host: "evil.test" };
    const status = await new Promise((resolve, reject) => {
      request(
        { host: "127.0.0.1", port, path: "/v1/chat/completions", headers: evil },
        (response) => resolve(response.resume().statusCode),
      )
        .once("error", reject)
        .end();
    });
    assert.equal(status, 403);
    const preflight = await fetch(`${url}/chat/completions`, { method: "OPTIONS" });
    assert.equal(preflight.status, 401);
    assert.equal(preflight.headers.get("access-control-allow-origin"), null);
    const embeddings = await fetch(`${url}/embeddings`, { method: "POST", headers, body: "{}" });
    assert.equal(embeddings.status, 404);
    assert.match(String((await errorIn(embeddings))["message"]), /make no embeddings/);
    const said = (message: object) => ({ messages: [message] });
    const calling = (call: object) => said({ role: "assistant", tool_calls: [call] });
    const tools = [{ type: "function", function: { name: "look" } }];
    for (const [body, expected] of [
      [{ messages: [] }, /“messages”/],
      [said({ role: "user", content: "" }), /All of “messages” are empty/],
      [said({ role: "pirate", content: "x" }), /“messages\.0\.role”/],
      [said({ role: "user", content: [{ type: "image_url" }] }), /take only text/],
      [calling({ id: "a" }), /“messages\.0\.tool_calls\.0\.function”/],
      [calling({ id: "a", function: { name: "b", arguments: "[" } }), /must be a JSON object/],
      [{ ...hello, n: 2 }, /“n”: VS Code's models give one answer/],
      [{ ...hello, tools, tool_choice: { function: { name: "hear" } } }, /“tools” has none/],
    ] as const) {
      const response = await post(body);
      assert.equal(response.status, 400);
      assert.equal(response.headers.get("x-should-retry"), "false");
      const { type, message } = await errorIn(response);
      assert.equal(type, "invalid_request_error");
      assert.match(String(message), expected);
    }
    const big = await post({ messages: [{ role: "user", content: "x".repeat(17_000_000) }] });
    assert.equal(big.status, 413);
    assert.equal((await post(hello)).status, 200);
  });

  it("report what VS Code reports: a model that is gone, blocked, not allowed or failing", async () => {
    let failure: Error = new Error();
    await provideModels(["one"], () => {
      throw failure;
    });
    const { post } = await openEndpoint();
    for (const [error, status, code] of [
      [vscode.LanguageModelError.Blocked("quota"), 429, "blocked"],
      [vscode.LanguageModelError.NoPermissions("no"), 403, "no_permissions"],
      [vscode.LanguageModelError.NotFound("gone"), 404, "model_not_found"],
      [new Error("the model exploded"), 502, "model_failed"],
    ] as const) {
      failure = error;
      const response = await post(hello);
      const said = await errorIn(response);
      assert.deepEqual([response.status, said["code"]], [status, code], JSON.stringify(said));
      assert.equal(response.headers.get("x-should-retry"), "false");
      if (code === "model_failed") assert.match(String(said["message"]), /the model exploded/);
    }
    await provideModels(["two"], () => undefined);
    const response = await post(hello);
    assert.equal(response.status, 404);
    assert.match(String((await errorIn(response))["message"]), /no longer has the model Model one/);
  });

  it("stop a request whose client leaves, and answer a stream that fails with an error", async () => {
    let seen: vscode.CancellationToken | undefined;
    await provideModels(["one"], async ({ token }) => {
      seen = token;
      await cancelled(token);
    });
    const { post } = await openEndpoint();
    const leave = new AbortController();
    const left = post(hello, leave.signal);
    await waitFor("the model to be asked", () => seen);
    leave.abort();
    await assert.rejects(left);
    if (canCancel)
      await waitFor("the request to be cancelled", () => seen?.isCancellationRequested);
    await provideModels(["one"], ({ progress }) => {
      progress.report(say("Beginning"));
      throw new Error("the model exploded");
    });
    const failed = await errorIn(await post({ ...hello, stream: true }));
    assert.equal(failed["code"], "model_failed");
  });

  it("have an endpoint only while a crew that uses them runs, each crew with a key of its own", async () => {
    await provideModels(["one"], ({ progress }) => progress.report(say("Hello")));
    const { url, key, service, headers } = await openEndpoint();
    const third = await serve("local:third");
    await callModels(third.service);
    assert.equal(third.service.endpoint.url, url);
    assert.notEqual(third.service.endpoint.token, key);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    assert.ok(key.length >= 43);
    service.end();
    await waitFor(
      "the key to be refused",
      async () => (await fetch(`${url}/chat/completions`, { headers })).status === 401,
    );
    third.service.end();
    await untilSilent(url);
  });

  it("change for a running service, also from another window", async () => {
    const { service } = await serve();
    // Another window shares the memory.
    const other = modelsOf({ secrets, globalState: memento });
    await other.choose(crew.id, { ...choice, id: "two", name: "Model two" });
    await waitFor("the service to get it", () => service.routes.length > 0);
    assert.deepEqual(service.routes, [{ model: { vendor, id: "two", name: "Model two" } }]);
    await models.choose(crew.id, { use: "project" });
    assert.deepEqual(service.routes.at(-1), {});
    other.dispose();
  });

  it("are offered again when the service did not take the offer", async () => {
    const { service } = await serve();
    const take = service.offerModels.bind(service);
    service.offerModels = (endpoint) => {
      service.offerModels = take;
      return Promise.reject(new Error(`${endpoint.url} came too soon.`));
    };
    await callModels(service);
    service.end();
  });

  it("are those that the service names, whatever Python asks for", async () => {
    await provideModels(["one", "two"], ({ model, progress }) => progress.report(say(model.id)));
    const { post } = await openEndpoint({ vendor, id: "two", name: "Model two" });
    assert.match(await (await post(hello)).text(), /"content":"two"/);
  });

  it("have the last choice, however quickly one follows another", async () => {
    const { service } = await serve();
    const read = secrets.get.bind(secrets);
    let release: () => void = () => undefined;
    const isReady = new Promise<void>((resolve) => (release = resolve));
    secrets.get = (key) => isReady.then(() => read(key));
    const baseUrl = "https://models.example.com/v1";
    const slow = { use: "endpoint", baseUrl, model: "llama", hasKey: false, at: 1 } as const;
    const first = models.choose(crew.id, slow);
    await waitFor("the first choice", () => models.choice(crew.id).use === "endpoint");
    await models.choose(crew.id, { use: "project" });
    release();
    await first;
    assert.deepEqual(service.routes.at(-1), {});
  });

  describe("are chosen", () => {
    const ours = { pick: "Use VS Code's Models…" };
    const endpoint = { pick: "Another Endpoint…" };
    const project = { pick: "What the Project's .env Says" };
    const address = "https://models.example.com/v1";
    const noEngine = () => Promise.resolve();
    const choose = (argument?: unknown) =>
      chooseModel(models, crew, argument, argument === undefined, noEngine);
    const chooses = (...moves: readonly Move[]) => withPerson(moves, () => choose());

    it("from VS Code's, after consent", async () => {
      await provideModels(["one", "two"], () => undefined);
      const two = { pick: "Model two" };
      assert.equal((await chooses(ours, two, "escape")).result, undefined);
      assert.deepEqual(models.choice(crew.id), { use: "project" });
      const { result, shown } = await chooses(ours, two, { press: "Allow" });
      assert.deepEqual(result, { use: "vscode", vendor, id: "two", name: "Model two" });
      assert.match(shown[2]?.detail ?? "", /count against your plan at “crewdeck-test”/);
      const again = await chooses(project);
      assert.deepEqual(again.shown[0]?.descriptions, ["Model two", "", ""]);
      assert.deepEqual(models.choice(crew.id), { use: "project" });
    });

    it("for a crew that is rehearsed, with a way to crewAI", async () => {
      const local = { folder: "file:///weather", engine: "rehearsal", running: true } as const;
      const { shown } = await withPerson([project], () =>
        chooseModel(models, { ...crew, local }, undefined, true, noEngine),
      );
      assert.match(shown[1]?.text ?? "", /is rehearsed, so no model is called/);
      assert.deepEqual(shown[1]?.choices, ["Use crewAI…"]);
    });

    it("from another endpoint, whose key is only in SecretStorage and for that host only", async () => {
      const { shown } = await chooses(
        endpoint,
        { type: "models.example.com" },
        { type: "http://models.example.com" },
        { type: "https://me:word@models.example.com" },
        { type: `${address}/chat/completions` },
        { type: " " },
        { type: "llama" },
        { type: "secret-key-1" },
      );
      assert.match(shown[1]?.complaint ?? "", /user name, a password/);
      const stored = JSON.stringify(models.choice(crew.id));
      assert.match(stored, /"baseUrl":"https:\/\/models\.example\.com\/v1","model":"llama"/);
      assert.doesNotMatch(stored, /secret-key/);
      assert.deepEqual((await serve()).environment, {
        OPENAI_BASE_URL: address,
        OPENAI_API_BASE: address,
        OPENAI_API_KEY: "secret-key-1",
        MODEL: "openai/llama",
      });
      // The same host keeps the key, another one doesn't get it.
      const move = (to: string) => chooses(endpoint, { type: to }, { type: "llama" }, { type: "" });
      await move("https://models.example.com/v2");
      assert.equal((await serve()).environment["OPENAI_API_KEY"], "secret-key-1");
      await move("http://127.0.0.1:11434/v1");
      const local = (await serve()).environment;
      assert.equal(local["OPENAI_API_KEY"], "no-key");
      assert.ok(local["no_proxy"]?.endsWith("127.0.0.1"));
      assert.equal(secrets.kept.size, 0);
    });

    it("again if the key is missing, and are forgotten with the crew", async () => {
      await choose({ use: "endpoint", baseUrl: address, model: "llama", key: "secret-key-1" });
      secrets.kept.clear();
      await assert.rejects(serve(), /The key for models\.example\.com is missing/);
      await models.forget(crew.id);
      assert.deepEqual((await serve()).environment, {});
    });

    it("by a program only with all it needs, and with a person's consent for VS Code's", async () => {
      const one = { use: "vscode", model: "one" };
      await assert.rejects(choose({}), /“use” must be one of/);
      await assert.rejects(choose({ use: "endpoint", model: "m" }), /“baseUrl” is missing/);
      await assert.rejects(choose(one), /VS Code has no language models/);
      await provideModels(["one"], () => undefined);
      await assert.rejects(choose({ ...one, model: "nine" }), /one of crewdeck-test\/one/);
      const { result } = await withPerson([{ press: "Allow" }], () => choose(one));
      assert.deepEqual(result, choice);
    });
  });
});
