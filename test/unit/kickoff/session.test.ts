import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import type { CrewInputs, KickoffRequest } from "../../../src/api/types.ts";
import { UserError, type ErrorAction } from "../../../src/base/errors.ts";
import type { Execution } from "../../../src/executions/model.ts";
import type { Seed } from "../../../src/kickoff/form/content.ts";
import { formFields } from "../../../src/kickoff/form/fields.ts";
import type { Draft, ToForm } from "../../../src/kickoff/form/messages.ts";
import { FormSession, type LoadOptions } from "../../../src/kickoff/form/session.ts";
import { MaybeStartedError } from "../../../src/sending/kickoff.ts";
import { FakeClock, settle } from "../executions/fake-clock.ts";
import { anExecution } from "../executions/samples.ts";
import type { FormValues } from "../../../src/kickoff/form/values.ts";
import { crew, deferred, keep, sessionOptions, shownForm, typed } from "./support.ts";
import { receive } from "../../support/form/receive.ts";

const refusal = (missing: string[] = []) =>
  new CrewApiError({
    kind: "validation",
    message: "Missing.",
    remedy: "Fill in.",
    missingInputs: missing,
    sent: "no",
  });

describe("A kickoff form's session", () => {
  let clock: FakeClock;
  let posted: ToForm[];
  let saved: Draft[];
  let dropped: string[];
  let last: Draft[];
  let sent: { request: KickoffRequest; localId: string }[];
  let started: Execution[];
  let opened: (Execution | undefined)[];
  let acted: ErrorAction[];
  let late: unknown[];
  let inputs: (options: LoadOptions) => Promise<CrewInputs>;
  let send: () => Promise<Execution>;
  let keeps: boolean;

  beforeEach(() => {
    clock = new FakeClock();
    [posted, saved, dropped, last, sent, started, opened, acted, late] = [
      [],
      [],
      [],
      [],
      [],
      [],
      [],
      [],
      [],
    ];
    keeps = true;
    inputs = () => Promise.resolve({ fields: [{ name: "topic" }, { name: "__proto__" }] });
    send = () => Promise.resolve(anExecution());
  });

  function make(seed: Seed, takesFocus = true): FormSession {
    const session = new FormSession(
      crew,
      seed,
      sessionOptions({
        clock,
        takesFocus,
        memory: {
          saveDraft: (_, draft) => void keep(saved, draft),
          dropDraft: (_, id) => void keep(dropped, id),
          sent: (_, draft) => void keep(last, draft),
          keeps: () => keeps,
        },
        inputs: (options) => inputs(options),
        send: (request, localId) => {
          sent.push({ request, localId });
          return send();
        },
        post: (message) => posted.push(message),
        onStarted: (execution) => started.push(execution),
        onOpenExecution: (execution) => opened.push(execution),
        onAction: (action) => acted.push(action),
        onLateProblem: (error) => late.push(error),
      }),
    );
    return session;
  }

  async function open(seed: Seed = {}, takesFocus = true): Promise<FormSession> {
    const session = make(seed, takesFocus);
    receive(session, { type: "ready" });
    await session.load({ fresh: false, startsCrew: false });
    return session;
  }

  const form = () => shownForm(posted);

  it("shows that it loads, then the form with focus, once", async () => {
    const session = await open();
    assert.deepEqual(
      posted.map(({ view }) => view.kind),
      ["loading", "form"],
    );
    assert.equal(form().focus, 0);
    assert.deepEqual(
      form().fields.map(({ name }) => name),
      ["topic", "__proto__"],
    );
    receive(session, { type: "ready" });
    assert.equal(form().focus, undefined, "a page that is shown again must not take focus");
  });

  it("posts nothing to a page that is not ready", async () => {
    inputs = () => Promise.resolve({ fields: [] });
    const session = await open();
    posted = [];
    await session.close();
    receive(session, { type: "ready" });
    assert.deepEqual(posted, []);
  });

  it("shows why the inputs are unavailable, with buttons, and tries again", async () => {
    const action = { title: "Set Token", command: "crewdeck.setToken", arguments: [{ crew: "a" }] };
    const asked: boolean[] = [];
    inputs = ({ fresh }) => {
      asked.push(fresh);
      return fresh
        ? Promise.resolve({ fields: [] })
        : Promise.reject(new UserError("There is no token.", [action]));
    };
    const session = await open();
    const shown = posted.at(-1);
    assert.ok(shown?.view.kind === "unavailable");
    assert.deepEqual(
      [shown.view.message, shown.view.actions],
      ["There is no token.", ["Set Token"]],
    );
    receive(session, { type: "act", index: 0 });
    receive(session, { type: "act", index: 7 });
    assert.deepEqual(acted, [action], "only a shown action can be chosen");
    receive(session, { type: "tryAgain" });
    await settle();
    assert.deepEqual([asked, form().fields], [[false, true], []]);
  });

  it("stores what is typed: after a pause, and at once when it closes", async () => {
    const session = await open();
    const { id } = form().draft;
    receive(session, { type: "changed", draft: { id, values: typed("a") } });
    receive(session, { type: "changed", draft: { id, values: typed("ab") } });
    await clock.pass(299);
    assert.equal(saved.length, 0);
    await clock.pass(1);
    assert.deepEqual(saved, [{ id, values: typed("ab") }]);
    receive(session, { type: "changed", draft: { id, values: typed("abc") } });
    await session.close();
    assert.deepEqual(saved.at(-1)?.values, typed("abc"));
    await clock.pass(1000);
    assert.equal(saved.length, 2);
  });

  it("shows that a draft can't be stored as soon as that is known, until it is stored, and loses nothing", async () => {
    const session = await open();
    assert.equal(form().isNotKept, undefined);
    const draft = { id: form().draft.id, values: typed("a") };
    receive(session, { type: "changed", draft });
    keeps = false;
    posted = [];
    await clock.pass(300);
    assert.deepEqual([form().isNotKept, form().draft, form().focus], [true, draft, undefined]);
    posted = [];
    receive(session, { type: "changed", draft: { ...draft, values: typed("ab") } });
    await clock.pass(300);
    assert.deepEqual(posted, [], "it is shown once");
    keeps = true;
    receive(session, { type: "changed", draft: { ...draft, values: typed("abc") } });
    await clock.pass(300);
    assert.deepEqual([form().isNotKept, form().draft.values], [undefined, typed("abc")]);
  });

  it("no longer shows that it has the last sent values once one is changed, and can be cleared while there is something to clear", async () => {
    const session = await open({ last: typed("sent") });
    const { id } = form().draft;
    const change = (values: FormValues) =>
      receive(session, { type: "changed", draft: { id, values } });
    change(typed("sent"));
    assert.deepEqual([form().origin, form().canClear], [{ kind: "last" }, true]);
    change(typed("mine"));
    assert.deepEqual(
      [form().origin, form().canClear, form().draft],
      [undefined, true, { id, values: typed("mine") }],
    );
    posted = [];
    change(typed("mine, too"));
    assert.deepEqual(posted, [], "nothing new is shown");
    change(typed("", ""));
    assert.equal(form().canClear, false);
    change(typed("mine, too"));
    receive(session, { type: "clear" });
    assert.deepEqual(
      [form().draft.values.inputs[0]?.text, form().origin, form().canUndo, form().canClear],
      ["", { kind: "cleared" }, true, false],
    );
    receive(session, { type: "undo" });
    assert.deepEqual([form().draft.values, form().canUndo], [typed("mine, too"), false]);
  });

  it("stores no draft of an untouched form", async () => {
    const session = await open({ last: typed("sent") });
    assert.deepEqual([form().origin, form().canUndo], [{ kind: "last" }, false]);
    await clock.pass(1000);
    await session.close();
    assert.deepEqual(saved, []);
  });

  it("keeps for a page that is shown again what may not be stored", async () => {
    const session = await open();
    const { id } = form().draft;
    const callbacks = { ...typed("").callbacks, taskWebhookUrl: "https://me:pw@a.test" };
    receive(session, { type: "changed", draft: { id, values: { ...typed("a"), callbacks } } });
    receive(session, { type: "ready" });
    assert.deepEqual(form().draft.values, { ...typed("a"), callbacks });
  });

  it("marks what is wrong at once, what is missing when it is sent, and says so until it is solved", async () => {
    const session = await open();
    const { id } = form().draft;
    const change = (values: FormValues) => {
      receive(session, { type: "changed", draft: { id, values } });
      return [form().problems, form().blocked];
    };
    assert.deepEqual(change({ ...typed(""), meta: "[]" }), [
      { meta: 'A JSON object is expected, such as {"ticket": 7}.' },
      undefined,
    ]);
    const shown = posted.length;
    change({ ...typed("", "more"), meta: "[]" });
    assert.equal(posted.length, shown, "what is typed isn't sent back");
    receive(session, { type: "submit", draft: { id, values: typed("") } });
    assert.equal(form().focus, "invalid");
    assert.match(form().problems[0] ?? "", /^This input is required/);
    assert.equal(form().blocked, "Nothing was sent. Check the marked fields.");
    assert.deepEqual(change(typed("a")), [{}, undefined]);
    receive(session, { type: "paste", text: '{"inputs": {}, "token": "hush"}' });
    assert.match(form().blocked ?? "", /^The pasted kickoff was not taken: Remove “token”/);
    assert.deepEqual(change(typed("ab")), [{}, undefined]);
    assert.deepEqual(sent, []);
  });

  it("restores a draft completely, even an input that the crew no longer lists", async () => {
    const draft = {
      id: "22222222-0000-4000-8000-000000000001",
      values: {
        ...typed("a"),
        inputs: [...typed("a").inputs, { name: "gone", mode: "json" as const, text: "[1" }],
      },
    };
    await open({ draft, last: typed("sent") }, false);
    const { fields, draft: shown, origin, canUndo, focus } = form();
    assert.deepEqual([shown, origin, canUndo, focus], [draft, { kind: "draft" }, false, undefined]);
    assert.deepEqual(
      fields.map(({ name, listed }) => [name, listed]),
      [
        ["topic", true],
        ["__proto__", true],
        ["gone", false],
      ],
    );
  });

  it("is restored after a reload with what was typed, without a request", async () => {
    inputs = () => assert.fail("a request");
    const draft = { id: "22222222-0000-4000-8000-000000000001", values: typed("a") };
    const session = make({ draft });
    session.resume(formFields({ fields: [{ name: "topic" }, { name: "__proto__" }] }));
    receive(session, { type: "ready" });
    assert.deepEqual(form().draft, draft);
    receive(session, { type: "submit", draft });
    await settle();
    assert.equal(started.length, 1);
  });

  it("starts a local crew only if the person asks", async () => {
    const asked: LoadOptions[] = [];
    inputs = (options) => {
      asked.push(options);
      return Promise.reject(new UserError("It is stopped."));
    };
    const session = await open();
    receive(session, { type: "tryAgain" });
    await settle();
    assert.deepEqual(asked, [
      { fresh: false, startsCrew: false },
      { fresh: true, startsCrew: true },
    ]);
  });

  it("shows the crew's new name without replacing the form", async () => {
    const session = await open();
    const { draft } = form();
    const renamed = { ...crew, name: "Journeys" };
    session.update(renamed);
    assert.deepEqual([form().crew, form().draft], [renamed, draft]);
    posted = [];
    session.update(renamed);
    assert.deepEqual(posted, [], "nothing new is shown");
  });

  it("says at once that the crew is no longer rehearsed", async () => {
    const session = await open();
    session.update({ ...crew, rehearsal: "No model is called." });
    assert.equal(form().crew.rehearsal, "No model is called.");
    session.update(crew);
    assert.equal(form().crew.rehearsal, undefined);
  });

  it("is cleared, and restored by Undo", async () => {
    const session = await open({
      draft: { id: "22222222-0000-4000-8000-000000000001", values: typed("mine") },
    });
    receive(session, { type: "clear" });
    assert.deepEqual(
      [form().draft.values.inputs[0]?.text, form().origin, form().canUndo],
      ["", { kind: "cleared" }, true],
    );
    assert.deepEqual(dropped, ["22222222-0000-4000-8000-000000000001"]);
    receive(session, {
      type: "changed",
      draft: { id: "22222222-0000-4000-8000-000000000001", values: typed("late") },
    });
    receive(session, { type: "undo" });
    assert.deepEqual([form().draft.values, form().origin], [typed("mine"), undefined]);
    await session.close();
    assert.deepEqual(saved.at(-1)?.values, typed("mine"));
  });

  it("sends what is typed once, however often it is submitted", async () => {
    const gate = deferred<Execution>();
    send = () => gate.promise;
    const session = await open();
    const draft = { id: form().draft.id, values: typed("Otters", "1") };
    for (let click = 0; click < 5; click++) receive(session, { type: "submit", draft });
    receive(session, {
      type: "changed",
      draft: { id: draft.id, values: typed("changed later") },
    });
    receive(session, { type: "clear" });
    await settle();
    receive(session, { type: "submit", draft });
    gate.resolve(anExecution());
    await settle();
    receive(session, { type: "submit", draft });
    await settle();
    assert.deepEqual(
      sent.map(({ localId }) => localId),
      [draft.id],
    );
    assert.deepEqual(Object.entries(sent[0]!.request.inputs), [
      ["topic", "Otters"],
      ["__proto__", "1"],
    ]);
    assert.deepEqual([started.length, last], [1, [draft]]);
    await session.close();
    await clock.pass(1000);
    assert.equal(saved.length, 1, "the draft was written before sending, and not again");
  });

  it("sends nothing invalid", async () => {
    const session = await open();
    receive(session, { type: "submit", draft: { id: form().draft.id, values: typed("") } });
    await settle();
    assert.deepEqual([sent, form().isSending], [[], false]);
  });

  it("reports missing inputs, gives unknown ones a field, and can be sent again as another kickoff", async () => {
    send = () => Promise.reject(refusal(["topic", "budget"]));
    const session = await open();
    const { id } = form().draft;
    receive(session, { type: "submit", draft: { id, values: typed("a") } });
    await settle();
    const { outcome, fields, draft, focus } = form();
    assert.ok(outcome?.kind === "refused");
    assert.deepEqual(
      [form().problems[0], outcome.remedy, focus],
      ["The crew reports that this input is missing.", "Fill in.", "outcome"],
    );
    assert.deepEqual(
      fields.map(({ name }) => name),
      ["topic", "__proto__", "budget"],
    );
    assert.notEqual(draft.id, id, "the refused id is used up");
    receive(session, { type: "ready" });
    assert.deepEqual(
      [form().outcome?.kind, form().isSending, form().draft.id, form().focus],
      ["refused", false, draft.id, undefined],
    );
    send = () => Promise.resolve(anExecution());
    receive(session, { type: "submit", draft: { id: draft.id, values: typed("b") } });
    await settle();
    assert.deepEqual([sent.length, started.length], [2, 1]);
  });

  it("does not send again what may have started, until the person confirms", async () => {
    const unconfirmed = anExecution({ state: "unconfirmed", kickoffIds: [] });
    send = () =>
      Promise.reject(
        new MaybeStartedError("It may have started.", { id: "url:https://crew.test" }, unconfirmed),
      );
    const session = await open();
    const draft = { id: form().draft.id, values: typed("a") };
    receive(session, { type: "submit", draft });
    await settle();
    receive(session, { type: "submit", draft });
    await settle();
    assert.equal(sent.length, 1);
    receive(session, { type: "openExecution" });
    assert.deepEqual(opened, [unconfirmed]);
    send = () => Promise.resolve(anExecution());
    receive(session, { type: "sendAgain" });
    assert.deepEqual(
      [form().focus, form().outcome, form().draft.values],
      ["submit", undefined, typed("a")],
    );
    receive(session, { type: "submit", draft: form().draft });
    await settle();
    assert.notEqual(sent[1]?.localId, draft.id);
    assert.equal(started.length, 1);
  });

  describe("restored with a draft that was sent before", () => {
    const draft: Draft = { id: "11111111-0000-4000-8000-999999999999", values: typed("a") };
    const unconfirmed = anExecution({ state: "unconfirmed", kickoffIds: [] });
    const earlier = new MaybeStartedError(
      "A kickoff of this form was sent. It may have started.",
      { id: "url:https://crew.test" },
      unconfirmed,
    );

    for (const how of ["a reload", "an opening"]) {
      it(`says after ${how} that it may have started, and sends nothing until the person confirms`, async () => {
        const session = make({ draft, earlier });
        if (how === "a reload")
          session.resume(formFields({ fields: [{ name: "topic" }, { name: "__proto__" }] }));
        receive(session, { type: "ready", ...(how === "a reload" ? { draft } : {}) });
        if (how === "an opening") await session.load({ fresh: false, startsCrew: false });
        assert.deepEqual(
          [form().outcome?.kind, form().origin, form().draft],
          ["maybeStarted", undefined, draft],
        );
        assert.match(form().outcome?.message ?? "", /It may have started/);
        receive(session, { type: "submit", draft });
        await settle();
        assert.equal(sent.length, 0);
        receive(session, { type: "openExecution" });
        assert.deepEqual(opened, [unconfirmed]);
        receive(session, { type: "sendAgain" });
        receive(session, { type: "submit", draft: form().draft });
        await settle();
        assert.deepEqual([sent.length, sent[0]?.localId === draft.id], [1, false]);
      });
    }

    it("says that a kickoff started, and sends another one under an id of its own", async () => {
      const session = await open({ draft, earlier: "started" });
      assert.deepEqual(
        [form().outcome, form().origin?.kind, form().draft.values],
        [undefined, "started", draft.values],
      );
      assert.notEqual(form().draft.id, draft.id);
      receive(session, { type: "submit", draft: form().draft });
      await settle();
      assert.notEqual(sent[0]?.localId, draft.id);
    });

    it("is another kickoff if values are given", async () => {
      await open({ draft, earlier, given: { inputs: { topic: "b" } } });
      assert.deepEqual([form().outcome, form().origin?.kind], [undefined, "given"]);
      assert.notEqual(form().draft.id, draft.id);
    });
  });

  it("settles when the execution has started, even if it was closed while sending", async () => {
    const answer = deferred<Execution>();
    send = () => answer.promise;
    const session = await open();
    receive(session, { type: "submit", draft: { ...form().draft, values: typed("tea") } });
    let isSettled = false;
    const closed = session.close().then(() => (isSettled = true));
    await settle();
    assert.deepEqual([sent.length, isSettled], [1, false]);
    answer.resolve(anExecution());
    await closed;
    assert.equal(started.length, 1);
  });

  it("reports a failure to a person who closed the form while it was being sent", async () => {
    const gate = deferred<Execution>();
    send = () => gate.promise;
    const session = await open();
    receive(session, { type: "submit", draft: { id: form().draft.id, values: typed("a") } });
    const closed = session.close();
    await settle();
    const failure = refusal();
    gate.reject(failure);
    await closed;
    assert.deepEqual(late, [failure]);
    assert.deepEqual(saved.at(-1)?.values, typed("a"), "nothing typed is lost");
  });

  it("refuses an invalid message", async () => {
    const session = await open();
    assert.equal(receive(session, { type: "eval", code: "1" }), false);
  });
});
