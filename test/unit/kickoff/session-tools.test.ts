import assert from "node:assert/strict";
import { UserError } from "../../../src/base/errors.ts";
import type { FormValues } from "../../../src/kickoff/form/values.ts";
import { settle } from "../executions/fake-clock.ts";
import { openForm, type TestedForm, typed } from "./support.ts";

let shown: TestedForm;
const open = async () => {
  shown = await openForm();
};

const from = { executionId: "e", taskId: "draft", title: "tea", outputs: [] };
const use = (type: string) => {
  shown.receive({ type });
  return settle();
};
const enterSecret = async (text: string, name = "humanInput") => {
  shown.receive({ type: "secret", id: shown.form.draft.id, name, text });
  await shown.clock.pass(300);
};
const calling = (url: string, strategy = "bearer", username = ""): FormValues => ({
  ...typed("cities"),
  humanInputWebhookUrl: url,
  strategy,
  username,
});

describe("A kickoff form's tools", () => {
  beforeEach(open);

  it("get its values, without blank ones, and only if all are valid", async () => {
    await shown.type(typed("", "1"));
    await use("copyAsCurl");
    await shown.type({ ...typed("cities"), meta: "[1" });
    await use("saveValues");
    assert.deepEqual(shown.asked, [
      ["copyAsCurl", { inputs: JSON.parse('{"__proto__": "1"}') as unknown }],
    ]);
    assert.equal(shown.note("blocked")?.text, "Nothing was sent. Check the marked fields.");
  });

  it("keep the task that it runs again from when other values are filled in, copy it as cURL, and store it in no file", async () => {
    const given = { values: { inputs: { topic: "tea" }, from }, replaces: true };
    shown = await openForm({ given });
    shown.chosen = { inputs: { topic: "winds" } };
    for (const tool of ["copyAsCurl", "openAsRequestFile", "saveValues", "fillIn"]) await use(tool);
    const values = { inputs: { topic: "tea" } };
    assert.deepEqual(shown.asked, [
      ["copyAsCurl", { ...values, from }],
      ["openAsRequestFile", values],
      ["saveValues", values],
      ["fillIn", undefined],
    ]);
    assert.equal(shown.form.draft.values.inputs[0]?.text, "winds");
    assert.deepEqual(shown.form.draft.values.from, from);
  });

  it("save nothing if an address has a password, which would be stored, too", async () => {
    const taskWebhookUrl = "https://relay.test/cb?to=https://key@a.test/42";
    for (const url of ["https://me:hush@a.test", taskWebhookUrl]) {
      await shown.type({ ...typed("cities"), taskWebhookUrl: url });
      await use("saveValues");
    }
    const inputs = JSON.parse('{"topic": "cities", "__proto__": "x"}') as unknown;
    assert.deepEqual(shown.asked, [["saveValues", { inputs, taskWebhookUrl }]]);
    await shown.submit({ ...typed("cities"), taskWebhookUrl });
    assert.equal(shown.sent[0]?.taskWebhookUrl, taskWebhookUrl, "it is sent as it was typed");
  });

  it("replace everything by chosen values, which Undo takes back", async () => {
    shown.chosen = { inputs: { other: 1 } };
    await shown.type(typed("cities"));
    await use("fillIn");
    const inputs = shown.form.draft.values.inputs.map(({ name, text }) => `${name}=${text}`);
    assert.deepEqual(inputs, ["topic=", "__proto__=", "other=1"]);
    shown.receive({ type: "undo" });
    assert.deepEqual(shown.form.draft.values.inputs.slice(0, 2), typed("cities").inputs);
  });

  it("set one input's value from elsewhere; Undo restores only that one", async () => {
    shown.taken = Promise.resolve({ value: "rivers", from: "“tea”" });
    await shown.type(typed("cities", "a"));
    shown.receive({ type: "take", input: "topic" });
    await settle();
    assert.deepEqual(shown.form.draft.values.inputs, typed("rivers", "a").inputs);
    const state = [shown.form.origin, shown.form.focus];
    assert.deepEqual(state, ["“topic” was filled in from “tea”.", 0]);
    await shown.type(typed("rivers", "b"));
    shown.receive({ type: "undo" });
    assert.deepEqual(shown.form.draft.values.inputs, typed("cities", "b").inputs);
  });

  it("report that they failed", async () => {
    const failure = new UserError("There is no room left.");
    shown.copyAsCurl = () => Promise.reject(failure);
    await use("copyAsCurl");
    shown.receive({ type: "paste", text: '{"inputs": {}, "token": "hush"}' });
    await settle();
    const [first, pasted] = shown.problems;
    assert.equal(first, failure);
    assert.match(String(pasted), /The pasted kickoff was not taken: Remove “token”/);
  });
});

describe("A kickoff form's secrets", () => {
  beforeEach(open);

  it("are sent with their callbacks, stored in no draft and shown to no page", async () => {
    const values = calling("https://a.test/h");
    await shown.submit(values);
    assert.match(shown.form.problems["humanInput"] ?? "", /^Enter it\. /);
    await enterSecret("s3cret");
    await shown.type(values);
    await use("copyAsCurl");
    shown.receive({ type: "ready" });
    assert.deepEqual(shown.form.secrets, ["humanInput"]);
    await shown.submit(values);
    assert.deepEqual(
      shown.sent.map((request) => request.humanInputWebhook),
      [{ url: "https://a.test/h", authentication: { strategy: "bearer", token: "s3cret" } }],
    );
    const { views, saved, last, asked } = shown;
    assert.ok(saved.length > 0 && last.length > 0 && asked.length > 0);
    assert.doesNotMatch(JSON.stringify([views, saved, last, asked]), /s3cret/);
  });

  it("are sent to no other host than the one they were entered for, whatever is typed in the meantime", async () => {
    await shown.type(calling(" https://A.test/h?x=1 "));
    await enterSecret("of-a");
    for (const url of [
      ...["https://b.test/h", "http://a.test/h", "https://a.test:8443/h", "https://a.test.b.test"],
      ...["https:/", ""],
    ]) {
      await shown.type(calling(url));
      assert.deepEqual(shown.form.secrets, [], url);
    }
    await shown.submit(calling("https://b.test/h"));
    const problem = shown.form.problems["humanInput"] ?? "";
    assert.match(problem, /only to the host that it was entered for/);
    await shown.submit(calling("https://a.test/h", "basic", "me"));
    assert.equal(shown.sent.length, 0);
    await shown.submit(calling("https://a.test:443/other"));
    assert.deepEqual(shown.sent[0]?.humanInputWebhook, {
      url: "https://a.test:443/other",
      authentication: { strategy: "bearer", token: "of-a" },
    });
  });

  it("are forgotten when the form is cleared, and when other values or Undo replace the values they were entered for", async () => {
    await shown.type({ ...typed("a"), streamingStrategy: "bearer" });
    await enterSecret("s3cret", "streaming");
    assert.deepEqual(shown.form.secrets, ["streaming"]);
    shown.receive({ type: "clear" });
    assert.deepEqual(shown.form.secrets, []);
    await shown.type(calling("https://a.test/h", "basic", "me"));
    await enterSecret("of-me");
    const authentication = { strategy: "basic", username: "you" } as const;
    shown.chosen = { humanInputWebhook: { url: "https://a.test/h", authentication } };
    await use("fillIn");
    assert.deepEqual(shown.form.secrets, [], "it belongs to another user name");
    await enterSecret("of-you");
    shown.receive({ type: "undo" });
    assert.deepEqual([shown.form.secrets, shown.form.draft.values.username], [[], "me"]);
    await shown.submit();
    assert.deepEqual(shown.sent, []);
  });

  it("are kept while an input's value comes from elsewhere, and removed with their text", async () => {
    shown.taken = Promise.resolve({ value: "rivers", from: "“tea”" });
    await shown.type(calling("https://a.test/h"));
    await enterSecret("of-a");
    const { id } = shown.form.draft;
    shown.receive({ type: "take", input: "topic" });
    await settle();
    assert.deepEqual(shown.form.secrets, ["humanInput"]);
    shown.receive({ type: "secret", id, name: "humanInput", text: "" });
    assert.deepEqual(shown.form.secrets, ["humanInput"], "that was of the earlier page");
    await enterSecret("");
    assert.deepEqual(shown.form.secrets, []);
  });

  it("come with a pasted kickoff, which replaces everything, and go nowhere else; Undo restores what was typed", async () => {
    const given = { values: { inputs: { topic: "tea" }, from }, replaces: true };
    shown = await openForm({ given });
    await shown.type({ ...typed("cities"), from });
    const humanInputWebhook = {
      url: "https://a.test/h",
      authentication: { strategy: "bearer", token: "s3cret" },
    };
    const text = JSON.stringify({ inputs: { topic: "winds" }, humanInputWebhook });
    shown.receive({ type: "paste", text });
    shown.receive({ type: "paste", text: "no kickoff" });
    const state = [shown.form.origin, shown.form.draft.values.from, shown.form.secrets];
    assert.deepEqual(state, ["Filled in.", from, ["humanInput"]]);
    shown.receive({ type: "undo" });
    const values = [shown.form.draft.values, shown.form.secrets];
    assert.deepEqual(values, [{ ...typed("cities"), from }, []]);
    assert.doesNotMatch(JSON.stringify([shown.views, shown.saved]), /s3cret/);
  });
});
