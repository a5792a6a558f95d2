import assert from "node:assert/strict";
import { messageOf, UserError } from "../../../../src/base/errors.ts";
import {
  headersFor,
  headersKey,
  parseHeaders,
  readEndpoint,
  storeHeaders,
} from "../../../../src/views/export/endpoint.ts";
import { SecretMemory } from "../../../support/secret-memory.ts";

const url = readEndpoint("https://langfuse.test/api/public/otel");
const secret = "sk-lf-1234";

/** For this reason, and without repeating a secret. */
const refuses = (action: () => unknown, why: RegExp) =>
  assert.throws(action, (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, why);
    return !error.message.includes(secret);
  });

describe("The endpoint for spans", () => {
  it("is an address to which the path of traces is added once", () => {
    assert.deepEqual(
      [
        "http://localhost:4318",
        "http://localhost:4318/",
        "http://localhost:4318/v1/traces",
        "https://langfuse.test/api/public/otel/",
        "https://collector.test/otlp?team=a#part",
      ].map((text) => readEndpoint(text).href),
      [
        "http://localhost:4318/v1/traces",
        "http://localhost:4318/v1/traces",
        "http://localhost:4318/v1/traces",
        "https://langfuse.test/api/public/otel/v1/traces",
        "https://collector.test/otlp/v1/traces?team=a",
      ],
    );
  });

  it("is refused with what to do, and without the address, if it can't be used", () => {
    const withSecret = `https://pk:${secret}@langfuse.test`;
    for (const text of [
      "",
      "localhost:4318",
      "grpc://localhost:4317",
      "ftp://x",
      "x y",
      withSecret,
    ])
      refuses(() => readEndpoint(text), /must be the address of .* “Set OTLP headers…”/);
  });
});

describe("Headers for the endpoint", () => {
  it("are read as the environment variable has them, or as HTTP writes them", () => {
    assert.deepEqual(parseHeaders(""), {});
    for (const [text, headers] of [
      ["Authorization=Basic%20cGs6c2s=,x-a=4", { Authorization: "Basic cGs6c2s=", "x-a": "4" }],
      ["Authorization: Bearer a,b==", { Authorization: "Bearer a", b: "=" }],
      ["api_key: 100%\nx-project: one, two", { api_key: "100%", "x-project": "one, two" }],
    ] as const)
      assert.deepEqual(parseHeaders(text), headers);
  });

  it("may have a user name and password, which are encoded", () => {
    assert.deepEqual(parseHeaders(`Authorization=Basic pk-lf-1:${secret}`), {
      Authorization: `Basic ${Buffer.from(`pk-lf-1:${secret}`).toString("base64")}`,
    });
  });

  it("are refused without repeating them if they can't be sent", () => {
    const unsafe = [`na me=${secret}`, `x=${secret}\u0000`, "Host=other.test"];
    for (const text of [secret, `=${secret}`, "name=", ...unsafe])
      refuses(() => parseHeaders(text), /Enter NAME=VALUE/);
  });

  it("are kept in the secret storage for one origin, and refused for any other until they are entered again", async () => {
    const storage = new SecretMemory();
    assert.deepEqual(await headersFor(url, storage), {});
    await storeHeaders(url, { Authorization: secret }, storage);
    assert.deepEqual([...storage.entries.keys()], [headersKey]);
    assert.deepEqual(await headersFor(url, storage), { Authorization: secret });
    for (const other of [
      "https://langfuse.test:8443",
      "http://localhost:4318",
      "https://langfuse.test.evil.test",
    ])
      await assert.rejects(headersFor(readEndpoint(other), storage), (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, /are for https:\/\/langfuse\.test, .* Nothing was sent/);
        const commands = error.actions.map(({ command }) => command);
        assert.deepEqual(commands, ["crewdeck.exportExecution"]);
        return !messageOf(error).includes(secret);
      });
    await storeHeaders(url, {}, storage);
    assert.deepEqual([...storage.entries], []);
    assert.deepEqual(await headersFor(readEndpoint("http://localhost:4318"), storage), {});
  });

  it("are not sent in clear text to another machine", async () => {
    const store = (to: string) =>
      storeHeaders(readEndpoint(to), { Authorization: secret }, new SecretMemory());
    await assert.rejects(store("http://collector.test:4318"), /start with https:\/\/, or to this/);
    await store("http://127.0.0.1:4318");
  });

  it("that can't be read stop the export, without what the storage says", async () => {
    const storage = {
      get: () => Promise.reject(new Error(secret)),
      store: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    await assert.rejects(headersFor(url, storage), (error) => {
      assert.match(messageOf(error), /could not be read from the secret storage/);
      return !messageOf(error).includes(secret);
    });
  });
});
