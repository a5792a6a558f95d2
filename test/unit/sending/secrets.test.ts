import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { CrewClient } from "../../../src/api/client.ts";
import type { SecretCallbacks } from "../../../src/api/types.ts";
import { LostSecretsError } from "../../../src/sending/errors.ts";
import { type FeedbackToSend, sendFeedback } from "../../../src/sending/feedback.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { plainCallbacks } from "../../../src/api/callbacks.ts";
import { type CallbackSecrets, callbackSecrets } from "../../../src/sending/secrets.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { sendKickoff } from "../../../src/sending/kickoff.ts";
import { CallbackReceiver } from "../../support/callback-receiver.ts";
import { SecretMemory } from "../../support/secret-memory.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait.ts";
import { crew } from "../kickoff/support.ts";
import { anExecution, failure } from "../executions/samples.ts";
import { anApproval } from "../views/executions.ts";
import { senderParts, type Window, Windows } from "./window.ts";

const secretCallbacks: SecretCallbacks = {
  humanInputWebhook: {
    url: "https://a.test/h",
    authentication: { strategy: "basic", username: "ann", password: "s3cret-password" },
  },
  webhooks: {
    events: ["crew_kickoff_started"],
    url: "https://a.test/e",
    realtime: true,
    authentication: { strategy: "bearer", token: "s3cret-token" },
  },
};
const withSecrets = (changes: Partial<Execution> = {}) =>
  anExecution({
    request: {
      inputs: {},
      callbacks: { taskWebhookUrl: "https://a.test/t", ...plainCallbacks(secretCallbacks) },
    },
    ...changes,
  });

describe("Secrets of callbacks", () => {
  let windows: Windows;
  let memory: SecretMemory;
  let window: Window;
  let store: ExecutionStore;
  let secrets: CallbackSecrets;
  let problems: string[];

  beforeEach(() => {
    windows = new Windows();
    memory = new SecretMemory();
    problems = [];
    window = windows.open();
    ({ store } = window);
    secrets = make();
  });

  afterEach(() => secrets.dispose());

  function make(): CallbackSecrets {
    return callbackSecrets({
      ...window,
      storage: memory,
      log: { problem: (message, error) => problems.push(`${message} ${String(error)}`) },
    });
  }

  const rows = () => window.database.all("SELECT local_id FROM callback_secrets");

  async function kept(execution = withSecrets()): Promise<Execution> {
    store.add(execution);
    await secrets.keep(execution.localId, secretCallbacks);
    return execution;
  }

  const isForgotten = () =>
    waitFor("the secrets to be gone", () => memory.entries.size === 0 && rows().length === 0);

  it("are not in the record, and are complete again for a resume", async () => {
    const execution = await kept();
    assert.doesNotMatch(JSON.stringify(execution), /s3cret/);
    assert.deepEqual(await secrets.complete(execution), {
      callbacks: { taskWebhookUrl: "https://a.test/t", ...secretCallbacks },
      lost: [],
    });
  });

  it("are not read if a callback needs none", async () => {
    const open = {
      humanInputWebhook: { url: "https://a.test/h" },
      webhooks: { events: [], url: "https://a.test/e" },
    };
    const request = { inputs: {}, callbacks: plainCallbacks(open) };
    const execution = store.add(anExecution({ request }));
    await secrets.keep(execution.localId, open);
    assert.deepEqual(await secrets.complete(execution), { callbacks: open, lost: [] });
    assert.deepEqual([memory.reads, memory.entries.size, rows()], [[], 0, []]);
  });

  it("are reported by address if they can't be read, without what is stored", async () => {
    const execution = await kept();
    for (const [key] of memory.entries) memory.entries.set(key, "{s3cret");
    const { callbacks, lost } = await secrets.complete(execution);
    assert.deepEqual(lost, ["https://a.test/h", "https://a.test/e"]);
    assert.deepEqual(callbacks.webhooks, {
      events: ["crew_kickoff_started"],
      url: "https://a.test/e",
      realtime: true,
    });
    assert.equal(problems.length, 1);
    assert.doesNotMatch(problems[0]!, /s3cret/);
    memory.get = () => Promise.reject(new Error("locked"));
    assert.equal((await secrets.complete(execution)).lost.length, 2);
  });

  it("are deleted when the execution is no longer tracked", async () => {
    const { localId } = await kept();
    store.remove(localId);
    await isForgotten();
  });

  it("are deleted when the execution has ended, unless feedback is being sent that may continue it", async () => {
    const { localId } = await kept(withSecrets({ resumes: [anApproval("sending")] }));
    store.update(localId, (now) => ({ ...now, state: "completed" }));
    assert.equal(memory.entries.size, 1);
    store.update(localId, (now) => ({ ...now, resumes: [anApproval("refused")] }));
    await isForgotten();
  });

  it("are kept while the execution waits", async () => {
    const { localId } = await kept();
    store.update(localId, (now) => ({ ...now, state: "waiting" }));
    await secrets.sweep();
    assert.equal(memory.entries.size, 1);
  });

  it("are deleted if a crash left them behind, and kept for other executions", async () => {
    secrets.dispose();
    const ended = withSecrets({ state: "failed" });
    const running = withSecrets({ localId: "11111111-0000-4000-8000-000000000002" });
    for (const execution of [ended, running]) await kept(execution);
    await secrets.keep("11111111-0000-4000-8000-000000000003", secretCallbacks);
    secrets = make();
    await secrets.sweep();
    assert.deepEqual([...memory.entries.keys()], [`crewdeck.callbacks.${running.localId}`]);
  });

  describe("of a kickoff", () => {
    const localId = "11111111-0000-4000-8000-000000000009";
    const send = (kickoff: () => Promise<{ kickoffId: string }>) => {
      const crews = { client: () => Promise.resolve({ kickoff }) };
      const request = { inputs: {}, ...secretCallbacks };
      return sendKickoff({ ...senderParts(window), secrets, crews }, crew, request, { localId });
    };

    it("are stored before the request is sent", async () => {
      let atSending = 0;
      await send(() => {
        atSending = memory.entries.size;
        return Promise.resolve({ kickoffId: "k" });
      });
      assert.equal(atSending, 1);
    });

    it("are deleted if the crew refuses it", async () => {
      const refusal = failure("validation");
      const refused = send(() => Promise.reject(refusal));
      await assert.rejects(refused, refusal);
      await isForgotten();
    });

    it("block it if they can't be stored, and nothing of it is kept", async () => {
      memory.store = () => Promise.reject(new Error("The keychain is locked."));
      const sending = send(() => assert.fail("It was sent."));
      await assert.rejects(sending, /Nothing was sent.*The keychain is locked/);
      assert.deepEqual(store.list(), []);
      await isForgotten();
    });
  });

  it("reach the receiver after the kickoff and again after the resume, and are nowhere on disk", async () => {
    const service = await startService({ args: ["--task-seconds", "0.05"] });
    const receiver = new CallbackReceiver();
    const base = await receiver.start();
    const client = new CrewClient(service.url, service.token);
    const needed = await client.inputs();
    const request = {
      inputs: Object.fromEntries(needed.fields.map(({ name }) => [name, "tides"])),
      humanInputWebhook: {
        url: `${base}/human`,
        authentication: { strategy: "bearer", token: "s3cret-human" },
      },
      webhooks: {
        events: ["task_started", "task_completed", "crew_kickoff_completed"],
        url: `${base}/events`,
        authentication: { strategy: "bearer", token: "s3cret-stream" },
      },
    } as const;
    const parts = {
      ...senderParts(window),
      secrets,
      crews: { client: () => Promise.resolve(client) },
    };
    const started = await sendKickoff(parts, { ...crew, url: service.url }, request);
    const callbacksAt = (path: string) =>
      waitFor(`callbacks at ${path}`, () => receiver.at(path).length > 0 && receiver.at(path));
    const [asked] = await callbacksAt("/human");
    const streamed = await callbacksAt("/events");
    assert.equal(asked?.headers.authorization, "Bearer s3cret-human");
    assert.deepEqual(tokensOf(streamed), ["Bearer s3cret-stream"]);

    const taskId = String(asked.body["task_id"]);
    const give = (given: FeedbackToSend) => sendFeedback(parts, given);
    const before = receiver.at("/events").length;
    await give({ execution: started, taskId, isApprove: false, text: "Shorter." });
    await waitFor("the second human-input callback", () => receiver.at("/human").length > 1);
    await waitFor("events after the resume", () => receiver.at("/events").length > before);
    assert.deepEqual(
      new Set(
        receiver.received.map(({ path: at, headers }) => `${at} ${headers.authorization ?? ""}`),
      ),
      new Set(["/human Bearer s3cret-human", "/events Bearer s3cret-stream"]),
    );
    assert.doesNotMatch(await textOf(windows.folder), /s3cret/);

    memory.entries.clear();
    const execution = store.find(started.localId) ?? started;
    const again = { execution, taskId, isApprove: true, text: "" };
    await assert.rejects(give(again), LostSecretsError);
    await give({ ...again, withoutSecrets: true });
  });
});

const tokensOf = (callbacks: ReturnType<CallbackReceiver["at"]>) => [
  ...new Set(callbacks.map(({ headers }) => headers.authorization)),
];

async function textOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(path.join(entry.parentPath, entry.name), "utf8")),
  );
  assert.ok(texts.length > 0);
  return texts.join("\n");
}
