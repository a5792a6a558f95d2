import assert from "node:assert/strict";
import { systemClock } from "../../../src/base/clock.ts";
import { Emitter } from "../../../src/base/events.ts";
import type { SentResume } from "../../../src/executions/model.ts";
import { type Senders, sendersOf } from "../../../src/sending/senders.ts";
import { noAddresses, SecretMemory } from "../../support/secret-memory.ts";
import { FakeLeader } from "../executions/poller-support.ts";
import { anExecution } from "../executions/samples.ts";
import { anApproval } from "../views/executions.ts";
import { intentsIn, kill, sendOpenly, type Window, Windows } from "./window.ts";

describe("The senders", () => {
  let windows: Windows;
  let window: Window;
  let sending: Senders;
  let problems: string[];
  let leader: FakeLeader;
  const polls = new Emitter<string>((error) => assert.fail(String(error)));
  const lost = anApproval("sending");

  beforeEach(() => {
    windows = new Windows();
    window = windows.open();
    [problems, leader] = [[], new FakeLeader()];
    sending = sendersOf({
      ...window,
      leader,
      poller: { pollNow: () => Promise.resolve(), onDidPoll: polls.event },
      clock: systemClock,
      crews: { client: () => assert.fail("Nothing is sent here.") },
      storage: new SecretMemory(),
      addresses: noAddresses,
      log: { problem: (message) => problems.push(message) },
    });
  });
  afterEach(() => sending.dispose());

  const add = (localId: string, resumes: readonly SentResume[] = []) =>
    window.store.add(anExecution({ localId, kickoffIds: [`k-${localId}`], resumes }));
  const outcomes = () => window.store.list().map(({ resumes }) => resumes[0]?.outcome);

  it("recovers interrupted requests when watching starts, and when this window starts to poll", () => {
    add("one", [lost]);
    sending.begin();
    assert.deepEqual(outcomes(), ["unanswered"]);
    add("two", [lost]);
    leader.give(false);
    assert.deepEqual(outcomes().sort(), ["sending", "unanswered"]);
    leader.give(true);
    assert.deepEqual(outcomes(), ["unanswered", "unanswered"]);
  });

  it("ends a request to stop whose process has gone, after a poll by the window that polls", async () => {
    add("one");
    const stop = { at: new Date().toISOString(), outcome: "sending" } as const;
    const record = () => window.store.update("one", (known) => ({ ...known, stop }));
    const send = (post: () => Promise<void>) =>
      sendOpenly(window.outbox, { kind: "stop", localId: "one" }, record, post);
    void send(() => new Promise(() => undefined));
    const outcomeAfterPoll = () => {
      polls.fire("one");
      return window.store.find("one")?.stop?.outcome;
    };
    assert.equal(outcomeAfterPoll(), "sending", "it is under way");
    kill(window);
    leader.isThisWindow = false;
    assert.equal(outcomeAfterPoll(), "sending", "another window polls");
    leader.isThisWindow = true;
    assert.equal(outcomeAfterPoll(), "unanswered");
    assert.deepEqual(intentsIn(window), []);
    await send(() => Promise.resolve());
    // The outcome of this one was not stored here either.
    assert.equal(outcomeAfterPoll(), "unanswered");
  });

  it("reports a failed recovery without throwing", () => {
    add("one", [lost]);
    window.database.all("PRAGMA query_only = ON");
    sending.begin();
    assert.deepEqual(problems, ["Requests without an outcome could not be recovered."]);
  });
});
