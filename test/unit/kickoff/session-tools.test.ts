import assert from "node:assert/strict";
import type { KickoffRequest } from "../../../src/api/types.ts";
import { UserError } from "../../../src/base/errors.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import type { Draft, Taken, ToForm } from "../../../src/kickoff/form/messages.ts";
import { FormSession, type SessionOptions } from "../../../src/kickoff/form/session.ts";
import type { FormValues } from "../../../src/kickoff/form/values.ts";
import { settle } from "../executions/fake-clock.ts";
import { anExecution } from "../executions/samples.ts";
import { crew, keep, sessionOptions, shownForm, typed } from "./support.ts";
import { receive } from "../../support/form/receive.ts";

describe("A kickoff form's session with tools and secrets", () => {
  let posted: ToForm[];
  let saved: Draft[];
  let last: Draft[];
  let sent: { request: KickoffRequest }[];
  let tools: SessionOptions["tools"];
  let taken: Taken | undefined;
  let problems: unknown[];
  /** What the tools got, in order. */
  let asked: unknown[];

  beforeEach(() => {
    [posted, saved, last, sent, problems, asked] = [[], [], [], [], [], []];
    taken = undefined;
    tools = {
      fillIn: () => Promise.resolve(undefined),
      saveValues: (_, request) => keep(asked, request),
      openAsRequestFile: (_, request) => keep(asked, request),
      copyAsCurl: (_, request) => keep(asked, request),
      takeValue: () => Promise.resolve(taken),
    };
  });

  async function open(seed: Seed = {}): Promise<FormSession> {
    const session = new FormSession(
      crew,
      seed,
      sessionOptions({
        memory: {
          saveDraft: (_, draft) => void keep(saved, draft),
          dropDraft: () => undefined,
          sent: (_, draft) => void keep(last, draft),
          keeps: () => true,
        },
        send: (request) => keep(sent, { request }).then(() => anExecution()),
        post: (message) => posted.push(message),
        tools: {
          fillIn: (...of) => tools.fillIn(...of),
          saveValues: (...of) => tools.saveValues(...of),
          openAsRequestFile: (...of) => tools.openAsRequestFile(...of),
          copyAsCurl: (...of) => tools.copyAsCurl(...of),
          takeValue: (...of) => tools.takeValue(...of),
        },
        onToolProblem: (error) => problems.push(error),
      }),
    );
    receive(session, { type: "ready" });
    await session.load({ fresh: false, startsCrew: false });
    return session;
  }

  const form = () => shownForm(posted);
  const change = (session: FormSession, values: FormValues) =>
    receive(session, { type: "changed", draft: { id: form().draft.id, values } });
  const submit = (session: FormSession, values: FormValues) => {
    receive(session, { type: "submit", draft: { id: form().draft.id, values } });
    return settle();
  };
  const use = (session: FormSession, tool: string) => {
    receive(session, { type: "tool", tool });
    return settle();
  };
  const takeTopic = (session: FormSession) => {
    receive(session, { type: "take", input: "topic" });
    return settle();
  };
  const enterSecret = (session: FormSession, origin: string, text: string) =>
    receive(session, { type: "secret", name: "humanInput", target: `bearer ${origin}`, text });

  it("passes its values to the tools, without blank ones, and only if all are valid", async () => {
    const session = await open();
    change(session, typed("", "1"));
    await use(session, "copyAsCurl");
    change(session, { ...typed("cities"), meta: "[1" });
    await use(session, "saveValues");
    assert.deepEqual(asked, [{ inputs: JSON.parse('{"__proto__": "1"}') as unknown }]);
  });

  it("keeps the task that it runs again from when other values are filled in, copies it as cURL, and stores it in no file", async () => {
    const from = { executionId: "e", taskId: "draft", title: "tea", outputs: [] };
    const session = await open({ instead: { inputs: { topic: "tea" }, from } });
    tools = { ...tools, fillIn: () => Promise.resolve({ inputs: { topic: "winds" } }) };
    for (const tool of ["copyAsCurl", "openAsRequestFile", "saveValues", "fillIn"])
      await use(session, tool);
    const values = { inputs: { topic: "tea" } };
    assert.deepEqual(asked, [{ ...values, from }, values, values]);
    assert.equal(form().draft.values.inputs[0]?.text, "winds");
    assert.deepEqual(form().draft.values.from, from);
  });

  it("saves nothing if an address has a password, which would be stored, too", async () => {
    const session = await open();
    for (const taskWebhookUrl of [
      "https://me:hush@a.test",
      "https://relay.test/cb?to=https://key@a.test",
    ]) {
      change(session, {
        ...typed("cities"),
        callbacks: { ...typed("").callbacks, taskWebhookUrl },
      });
      await use(session, "saveValues");
    }
    assert.deepEqual(asked, [
      {
        inputs: JSON.parse('{"topic": "cities", "__proto__": "x"}') as unknown,
        taskWebhookUrl: "https://relay.test/cb?to=https://key@a.test",
      },
    ]);
  });

  it("sends an address as it was typed", async () => {
    const session = await open();
    const taskWebhookUrl = "https://relay.test/cb?to=https://key@a.test/42";
    await submit(session, {
      ...typed("cities"),
      callbacks: { ...typed("").callbacks, taskWebhookUrl },
    });
    assert.deepEqual(
      [sent[0]?.request.taskWebhookUrl, last[0]?.values.callbacks.taskWebhookUrl],
      [taskWebhookUrl, taskWebhookUrl],
    );
  });

  it("replaces everything by chosen values, and restores it by Undo", async () => {
    const session = await open();
    tools = { ...tools, fillIn: () => Promise.resolve({ inputs: { other: 1 } }) };
    change(session, typed("cities"));
    await use(session, "fillIn");
    assert.deepEqual(
      form().draft.values.inputs.map(({ name, text }) => [name, text]),
      [
        ["topic", ""],
        ["__proto__", ""],
        ["other", "1"],
      ],
    );
    receive(session, { type: "undo" });
    assert.deepEqual(form().draft.values.inputs.slice(0, 2), typed("cities").inputs);
  });

  it("sets one input's value from elsewhere; Undo restores only that one", async () => {
    const session = await open();
    taken = { value: "rivers", from: "notes.md (6 bytes)" };
    change(session, typed("cities", "a"));
    await takeTopic(session);
    assert.deepEqual(form().draft.values.inputs, typed("rivers", "a").inputs);
    assert.deepEqual(form().origin, { kind: "taken", input: "topic", from: "notes.md (6 bytes)" });
    assert.equal(form().focus, 0);
    change(session, typed("rivers", "b"));
    receive(session, { type: "undo" });
    assert.deepEqual(form().draft.values.inputs, typed("cities", "b").inputs);
  });

  it("reports that a tool failed, and continues", async () => {
    const session = await open();
    const failure = new UserError("There is no room left.");
    tools = { ...tools, copyAsCurl: () => Promise.reject(failure) };
    await use(session, "copyAsCurl");
    assert.deepEqual(problems, [failure]);
  });

  it("sends secrets with their callbacks, stores them in no draft and shows them to no page", async () => {
    const session = await open();
    const values = {
      ...typed("cities"),
      callbacks: { ...typed("").callbacks, humanInputWebhookUrl: "https://a.test/h" },
      humanInput: { strategy: "bearer" as const, username: "" },
    };
    const draft = { id: form().draft.id, values };
    receive(session, { type: "submit", draft });
    await settle();
    assert.equal(sent.length, 0, "without its secret");
    enterSecret(session, "https://a.test", "s3cret");
    receive(session, { type: "changed", draft });
    receive(session, { type: "tool", tool: "copyAsCurl" });
    receive(session, { type: "ready" });
    assert.deepEqual(form().secrets, { humanInput: "bearer https://a.test" });
    receive(session, { type: "submit", draft });
    await settle();
    assert.deepEqual(sent[0]?.request.humanInputWebhook, {
      url: "https://a.test/h",
      authentication: { strategy: "bearer", token: "s3cret" },
    });
    assert.ok(saved.length > 0 && last.length > 0 && asked.length > 0);
    assert.doesNotMatch(JSON.stringify([posted, saved, last, asked]), /s3cret/);
  });

  it("forgets secrets when the form is cleared", async () => {
    const session = await open();
    const secret = { type: "secret", name: "streaming", target: "bearer ", text: "s3cret" };
    receive(session, secret);
    receive(session, { type: "ready" });
    assert.deepEqual(form().secrets, { streaming: "bearer " });
    receive(session, { type: "clear" });
    assert.deepEqual(form().secrets, {});
  });

  const authenticated = (url: string, strategy: "bearer" | "basic" = "bearer") => ({
    ...typed("cities"),
    callbacks: { ...typed("").callbacks, humanInputWebhookUrl: url },
    humanInput: { strategy, username: strategy === "basic" ? "me" : "" },
  });

  it("sends a secret to no other host than the one it was entered for, whatever is typed in the meantime", async () => {
    const session = await open();
    change(session, authenticated("https://a.test/h"));
    enterSecret(session, "https://a.test", "of-a");
    for (const url of ["https://b.test/h", "http://a.test/h", "https://a.test:8443/h"])
      await submit(session, authenticated(url));
    await submit(session, authenticated("https://a.test/h", "basic"));
    assert.equal(sent.length, 0);
    change(session, authenticated("https://a.t"));
    await submit(session, authenticated("https://a.test/other"));
    assert.deepEqual(sent[0]?.request.humanInputWebhook, {
      url: "https://a.test/other",
      authentication: { strategy: "bearer", token: "of-a" },
    });
  });

  it("forgets a secret when other values or Undo replace the values it was entered for", async () => {
    const session = await open();
    tools = {
      ...tools,
      fillIn: () =>
        Promise.resolve({
          inputs: {},
          humanInputWebhook: { url: "https://b.test/h", authentication: { strategy: "bearer" } },
        }),
    };
    change(session, authenticated("https://a.test/h"));
    enterSecret(session, "https://a.test", "of-a");
    await use(session, "fillIn");
    assert.deepEqual(form().secrets, {});
    enterSecret(session, "https://b.test", "of-b");
    receive(session, { type: "undo" });
    assert.deepEqual(
      [form().secrets, form().draft.values.callbacks.humanInputWebhookUrl],
      [{}, "https://a.test/h"],
    );
    receive(session, { type: "submit", draft: form().draft });
    await settle();
    assert.deepEqual(sent, []);
  });

  it("keeps a secret while an input's value comes from elsewhere", async () => {
    const session = await open();
    taken = { value: "rivers", from: "notes.md (6 bytes)" };
    change(session, authenticated("https://a.test/h"));
    enterSecret(session, "https://a.test", "of-a");
    await takeTopic(session);
    assert.deepEqual(form().secrets, { humanInput: "bearer https://a.test" });
  });

  it("replaces everything by a pasted kickoff with its secrets, which go nowhere else; Undo restores what was typed", async () => {
    const from = { executionId: "e", taskId: "draft", title: "tea", outputs: [] };
    const session = await open({ instead: { inputs: { topic: "tea" }, from } });
    change(session, { ...typed("cities"), from });
    const humanInputWebhook = {
      url: "https://a.test/h",
      authentication: { strategy: "bearer", token: "s3cret" },
    };
    const text = JSON.stringify({ inputs: { topic: "winds" }, humanInputWebhook });
    receive(session, { type: "paste", text });
    receive(session, { type: "paste", text: "no kickoff" });
    assert.deepEqual(
      [form().origin, form().draft.values.from, form().secrets],
      [{ kind: "pasted", moved: [] }, from, { humanInput: "bearer https://a.test" }],
    );
    receive(session, { type: "undo" });
    assert.deepEqual([form().draft.values, form().secrets], [{ ...typed("cities"), from }, {}]);
    assert.doesNotMatch(JSON.stringify([posted, saved]), /s3cret/);
  });
});
