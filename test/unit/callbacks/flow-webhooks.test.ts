import assert from "node:assert/strict";
import { systemClock } from "../../../src/base/clock.ts";
import type { Delivery } from "../../../src/callbacks/routes.ts";
import { FlowWebhooks } from "../../../src/callbacks/flow-webhooks.ts";
import { applyReading } from "../../../src/executions/reduce.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { forgetCrewValues, moveCrewValues } from "../../../src/store/crew-values.ts";
import { StoreError } from "../../../src/store/errors.ts";
import { anExecution, aReading } from "../executions/samples.ts";
import { SecretMemory } from "../../support/secret-memory.ts";
import { type Window, Windows } from "../sending/window.ts";
import { aRequest, secret, signed } from "./flow-samples.ts";

const crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };
const other = { id: "url:https://other.test", name: "Others", url: "https://other.test" };

describe("a flow's webhook", () => {
  let windows: Windows;
  let window: Window;
  let store: ExecutionStore;
  let secrets: SecretMemory;
  let problems: string[];
  let refused: string[];
  let webhooks: FlowWebhooks;
  let path: string;
  const now = Date.parse("2026-10-21T12:10:00Z");

  beforeEach(async () => {
    windows = new Windows();
    window = windows.open();
    ({ store } = window);
    secrets = new SecretMemory();
    problems = [];
    refused = [];
    webhooks = webhooksIn(window);
    await webhooks.setSecret(crew.id, secret);
    path = webhooks.path(crew.id);
  });

  function webhooksIn({ database, store }: Window): FlowWebhooks {
    return new FlowWebhooks({
      database,
      store,
      clock: { ...systemClock, now: () => now },
      log: { problem: (doing, error) => problems.push(`${doing} ${String(error)}`) },
      crews: { find: (id) => [crew, other].find((each) => each.id === id) },
      storage: secrets,
      onRefused: ({ name }, why) => refused.push(`${name}: ${why}`),
    });
  }

  const only = () => store.find(store.list()[0]?.localId ?? "");

  it("has an address for each crew that can't be guessed and stays the same, also in another window", () => {
    assert.match(path, /^[\w-]{43}$/);
    assert.equal(webhooks.path(crew.id), path);
    assert.equal(webhooksIn(windows.open()).path(crew.id), path);
    assert.notEqual(webhooks.path(other.id), path);
  });

  it("is accepted once its signature holds and the request is stored", async () => {
    assert.equal(await webhooks.receive(signed(path, aRequest(), now)), 200);
    const execution = only();
    assert.equal(execution?.state, "waiting");
    assert.deepEqual(execution.kickoffIds, ["flow-1"]);
    assert.equal(execution.waiting?.taskId, "review_article");
    assert.deepEqual(execution.waiting.options, ["approved", "rejected", "request_changes"]);
    assert.match(execution.waiting.output ?? "", /^Please review this article\./);
    assert.match(execution.waiting.output ?? "", /"title": "Otters"/);
    assert.deepEqual(execution.requests, [
      {
        id: "request-1",
        taskId: "review_article",
        attempt: 1,
        since: new Date(now).toISOString(),
        options: ["approved", "rejected", "request_changes"],
        callbackUrl: "https://app.crew.test/callback/abc",
      },
    ]);
    assert.equal(windows.open().store.find("flow-1")?.state, "waiting");
  });

  it("is accepted below a path of a reverse proxy, and isn't its own without a crew's path", async () => {
    assert.equal(await webhooks.receive(signed(`/tunnel/${path}?x=1`, aRequest(), now)), 200);
    assert.equal(await webhooks.receive(signed("/another", aRequest(), now)), undefined);
  });

  const bad: Readonly<Record<string, (good: Delivery) => Delivery>> = {
    "without a signature": (good) => changed(good, "x-signature"),
    "without a timestamp": (good) => changed(good, "x-timestamp"),
    "signed with another secret": () => signed(path, aRequest(), now, "guessed"),
    "with a changed body": (good) => ({ ...good, body: Buffer.from("{}") }),
    "with a changed timestamp": (good) => changed(good, "x-timestamp", String(now / 1000 + 1)),
    "with a signature of another length": (good) => changed(good, "x-signature", "sha256=00"),
    "with a signature that isn't hexadecimal": (good) =>
      changed(good, "x-signature", `sha256=${"ü".repeat(64)}`),
    "signed more than 5 minutes ago": () => signed(path, aRequest(), now - 301_000),
    "signed for more than 5 minutes later": () => signed(path, aRequest(), now + 301_000),
    "signed at no time": () => signed(path, aRequest(), NaN),
  };
  for (const [name, change] of Object.entries(bad))
    it(`is refused ${name}, and stores nothing`, async () => {
      assert.equal(await webhooks.receive(change(signed(path, aRequest(), now))), 401);
      assert.equal(store.list().length, 0);
      assert.equal(problems.length, 1);
      const told = [...problems, ...refused].join();
      assert.ok(!told.includes(secret) && !told.includes(path));
    });

  it("is refused and reported to the person, because the deployment sends nothing again", async () => {
    await webhooks.receive(signed(path, aRequest(), now, "theirs"));
    await webhooks.receive({ ...signed(path, aRequest(), now, "theirs"), isRewritten: true });
    assert.deepEqual(refused, [
      "Writers: Its signature doesn't fit the crew's feedback secret.",
      "Writers: Its signature can't be checked, because a relay such as smee.io doesn't pass on what was signed. Flows need a tunnel, or a relay of your own.",
    ]);
  });

  it("is logged if it asks no person", async () => {
    const unasked = aRequest({}, { callback_url: undefined });
    assert.equal(await webhooks.receive(signed(path, unasked, now)), 200);
    assert.match(problems.join(), /asks no person.*no address for an answer/);
  });

  it("is accepted up to 5 minutes late, or later if a relay received it in time", async () => {
    assert.equal(await webhooks.receive(signed(path, aRequest(), now - 299_000)), 200);
    const late = signed(path, aRequest({ id: "late" }), now - 3_600_000);
    assert.equal(await webhooks.receive(late), 401);
    assert.equal(await webhooks.receive({ ...late, arrivedAt: now - 3_590_000 }), 200);
  });

  it("is not accepted without the crew's secret, or with that of another crew", async () => {
    await webhooks.setSecret(other.id, "theirs");
    assert.equal(await webhooks.receive(signed(path, aRequest(), now, "theirs")), 401);
    await secrets.delete(`crewdeck.feedbackSecret.${crew.id}`);
    assert.equal(await webhooks.receive(signed(path, aRequest(), now)), 401);
    assert.equal(store.list().length, 0);
  });

  const broken: Readonly<Record<string, () => void>> = {
    "it can't be stored": () => void window.database.all("PRAGMA query_only = ON"),
    "its path can't be looked up": () => {
      window.database.get = () => {
        throw new StoreError("busy", "The database is busy.");
      };
    },
    "its secret can't be read": () => {
      secrets.get = () => Promise.reject(new Error("The keyring is locked."));
    },
  };
  for (const [name, breakIt] of Object.entries(broken))
    it(`is answered with 503 if ${name}`, async () => {
      breakIt();
      assert.equal(await webhooks.receive(signed(path, aRequest(), now)), 503);
    });

  it("is answered with 422 if it can't be read, so that a relay goes on with the next", async () => {
    store.add = () => {
      throw new Error("Poison.");
    };
    assert.equal(await webhooks.receive(signed(path, aRequest(), now)), 422);
    assert.deepEqual(problems, ["A flow's request can't be read, and is left out. Error: Poison."]);
  });

  it("counts once, however often and with whatever signature it comes, in whatever window", async () => {
    const elsewhere = webhooksIn(windows.open());
    const again = signed(path, aRequest({ message: "Again" }), now - 5_000);
    for (const each of [webhooks, elsewhere, webhooks])
      assert.equal(await each.receive(signed(path, aRequest(), now)), 200);
    assert.equal(await webhooks.receive(again), 200);
    store.refresh();
    assert.equal(store.list().length, 1);
    assert.equal(only()?.requests?.length, 1);
    assert.match(only()?.waiting?.output ?? "", /^Please review/);
  });

  for (const [name, changes] of Object.entries({
    "the flow's": { flow_id: "k1" },
    "its kickoff's in the metadata": { metadata: { kickoff_id: "k1" } },
    "its state's": { flow_id: "unknown", state: { id: "k1" } },
  }))
    it(`belongs to the execution whose ID is ${name}`, async () => {
      store.add(anExecution({ crew }));
      await webhooks.receive(signed(path, aRequest(changes), now));
      assert.equal(store.list().length, 1);
      assert.equal(store.find("k1")?.state, "waiting");
    });

  it("belongs to the execution whose status named the flow", async () => {
    store.add(anExecution({ crew }));
    store.update(store.find("k1")?.localId ?? "", (known) =>
      applyReading(known, aReading({ state: "running", flowId: "flow-1" }), now),
    );
    await webhooks.receive(signed(path, aRequest(), now));
    assert.equal(store.list().length, 1);
    assert.equal(store.find("k1")?.state, "waiting");
  });

  it("doesn't touch another crew's execution with the ID that it names", async () => {
    store.add(anExecution({ crew: other, kickoffIds: ["flow-1"] }));
    await webhooks.receive(signed(path, aRequest(), now));
    assert.equal(store.find("flow-1", other.id)?.state, "queued");
    assert.equal(store.find("flow-1", crew.id)?.state, "waiting");
  });

  it("of another kind, or without an address for the answer, is accepted and changes nothing", async () => {
    for (const payload of [
      aRequest({}, { event: "request_answered" }),
      aRequest({}, { callback_url: null }),
      aRequest({ id: null }),
      {},
      [],
      "no JSON",
      "[".repeat(50_000),
    ])
      assert.equal(await webhooks.receive(signed(path, payload, now)), 200);
    assert.equal(store.list().length, 0);
  });

  it("is read without most of its members, whatever their types", async () => {
    const request = { id: 7, emit_options: ["yes", "yes", " ", 3, null, { no: 1 }], state: "x" };
    const payload = { request, callback_url: "https://a.test/" };
    assert.equal(await webhooks.receive(signed(path, payload, now)), 200);
    assert.deepEqual(only()?.waiting?.options, ["yes"]);
    assert.deepEqual(only()?.kickoffIds, ["7"]);
  });

  it("moves with its crew, and is gone with it and its secret", async () => {
    // What else is known of the crew moves and goes before.
    moveCrewValues(window.database, crew.id, other.id);
    await webhooks.move(crew.id, other.id);
    assert.equal(webhooks.path(other.id), path);
    assert.equal(await webhooks.receive(signed(path, aRequest(), now)), 200);
    forgetCrewValues(window.database, other.id);
    assert.deepEqual(webhooks.crewIds(), [other.id], "the extension looks whether there are any");
    await webhooks.forget(other.id);
    assert.equal(secrets.entries.size, 0);
    assert.deepEqual(webhooks.crewIds(), []);
    assert.equal(await webhooks.receive(signed(path, aRequest(), now)), undefined);
  });
});

/** Without the header if there is no value. */
function changed(delivery: Delivery, name: string, value?: string): Delivery {
  const others = Object.entries(delivery.headers).filter(([each]) => each !== name);
  const headers = value === undefined ? others : [...others, [name, value] as const];
  return { ...delivery, headers: Object.fromEntries(headers) };
}
