import assert from "node:assert/strict";
import { CrewApiError } from "../../../src/api/errors.ts";
import { UserError } from "../../../src/base/errors.ts";
import type { Execution } from "../../../src/executions/model.ts";
import { formFields } from "../../../src/kickoff/form/fields.ts";
import type { Draft } from "../../../src/kickoff/form/messages.ts";
import type { LoadOptions } from "../../../src/kickoff/form/session.ts";
import type { FormValues } from "../../../src/kickoff/form/values.ts";
import { MaybeStartedError } from "../../../src/sending/kickoff.ts";
import { settle } from "../executions/fake-clock.ts";
import { anExecution } from "../executions/samples.ts";
import { openForm, type TestedForm, testForm, typed } from "./support.ts";

const refusal = (missing: string[] = []) =>
  new CrewApiError({
    kind: "validation",
    message: "Missing.",
    remedy: "Fill in.",
    missingInputs: missing,
    sent: "no",
  });
const draft: Draft = { id: "22222222-0000-4000-8000-000000000001", values: typed("mine") };

describe("A kickoff form's session", () => {
  let shown: TestedForm;

  beforeEach(async () => (shown = await openForm()));

  it("shows that it loads, then the form with focus, once", () => {
    const focus = shown.views.map(({ form }) => form?.focus);
    assert.deepEqual(focus, [undefined, 0]);
    assert.deepEqual(shown.names(), ["topic", "__proto__"]);
    shown.receive({ type: "ready" });
    assert.equal(shown.form.focus, undefined, "a page that is shown again must not take focus");
  });

  it("shows why the inputs are unavailable, with buttons, and tries again, which starts a stopped local crew", async () => {
    const action = { title: "Set Token", command: "crewdeck.setToken", arguments: [{ crew: "a" }] };
    const asked: LoadOptions[] = [];
    shown = testForm();
    shown.inputs = (options) => {
      asked.push(options);
      return options.fresh
        ? Promise.resolve({ fields: [] })
        : Promise.reject(new UserError("There is no token.", [action]));
    };
    shown.receive({ type: "ready" });
    await shown.session.load({ fresh: false, startsCrew: false });
    const note = shown.note("unavailable");
    const said = [note?.text, note?.actions];
    assert.deepEqual(said, ["There is no token.", ["Try Again", "Set Token"]]);
    for (const title of ["Set Token", "Set It"])
      shown.receive({ type: "act", kind: "unavailable", title });
    assert.deepEqual(shown.acted, [action], "only a shown action can be chosen");
    shown.receive({ type: "act", kind: "unavailable", title: "Try Again" });
    await settle();
    assert.deepEqual(shown.form.fields, []);
    assert.deepEqual(asked, [
      { fresh: false, startsCrew: false },
      { fresh: true, startsCrew: true },
    ]);
  });

  it("stores what is typed: after a pause, and at once when it closes", async () => {
    const { id } = shown.form.draft;
    for (const text of ["a", "ab"]) shown.change(typed(text));
    await shown.clock.pass(299);
    assert.equal(shown.saved.length, 0);
    await shown.clock.pass(1);
    assert.deepEqual(shown.saved, [{ id, values: typed("ab") }]);
    shown.change(typed("abc"));
    await shown.session.close();
    assert.deepEqual(shown.saved.at(-1)?.values, typed("abc"));
    await shown.clock.pass(1000);
    assert.equal(shown.saved.length, 2);
  });

  it("shows that a draft can't be stored as soon as that is known, until it is stored, and loses nothing", async () => {
    const type = async (text: string) => {
      await shown.type(typed(text));
      return [shown.note("notKept") !== undefined, shown.form.draft.values, shown.form.focus];
    };
    assert.equal(shown.note("notKept"), undefined);
    shown.keeps = false;
    assert.deepEqual(await type("a"), [true, typed("a"), undefined]);
    const { length } = shown.views;
    await type("ab");
    assert.equal(shown.views.length, length, "it is shown once");
    shown.keeps = true;
    assert.deepEqual(await type("abc"), [false, typed("abc"), undefined]);
  });

  it("no longer shows that it has the last sent values once one is changed, and can be cleared while there is something to clear", async () => {
    shown = await openForm({ last: typed("sent") });
    const { id } = shown.form.draft;
    await shown.type(typed("sent"));
    const lastSent = "Filled in with the last sent values.";
    assert.deepEqual([shown.form.origin, shown.form.canClear], [lastSent, true]);
    await shown.type(typed("mine"));
    const state = [shown.form.origin, shown.form.canClear, shown.form.draft];
    assert.deepEqual(state, [undefined, true, { id, values: typed("mine") }]);
    const { length } = shown.views;
    await shown.type(typed("mine, too"));
    assert.equal(shown.views.length, length, "nothing new is shown");
    await shown.type(typed("", ""));
    assert.equal(shown.form.canClear, false);
  });

  it("is cleared, and restored by Undo", async () => {
    shown = await openForm({ draft });
    shown.receive({ type: "clear" });
    const { origin, canUndo, canClear } = shown.form;
    const now = [shown.form.draft.values.inputs[0]?.text, origin, canUndo, canClear];
    assert.deepEqual(now, ["", "Cleared.", true, false]);
    shown.receive({ type: "changed", draft: { id: draft.id, values: typed("late") } });
    shown.receive({ type: "undo" });
    const state = [shown.form.draft.values, shown.form.origin, shown.form.canUndo];
    assert.deepEqual(state, [typed("mine"), undefined, false]);
    await shown.session.close();
    assert.deepEqual(shown.saved.at(-1)?.values, typed("mine"));
  });

  it("stores no draft of an untouched form", async () => {
    shown = await openForm({ last: typed("sent") });
    assert.equal(shown.form.canUndo, false);
    await shown.clock.pass(1000);
    await shown.session.close();
    assert.deepEqual(shown.saved, []);
  });

  it("marks what is wrong at once, what is missing when it is sent, and says so until it is solved", async () => {
    const change = async (values: FormValues) => {
      await shown.type(values);
      return [shown.form.problems, shown.note("blocked")?.text];
    };
    assert.deepEqual(await change({ ...typed(""), meta: "[]" }), [
      { meta: 'A JSON object is expected, such as {"ticket": 7}.' },
      undefined,
    ]);
    const { length } = shown.views;
    await change({ ...typed("", "more"), meta: "[]" });
    assert.equal(shown.views.length, length, "what is typed isn't sent back");
    await shown.submit(typed(""));
    assert.equal(shown.form.focus, "invalid");
    assert.match(shown.form.problems[0] ?? "", /^This input is required/);
    assert.equal(shown.note("blocked")?.text, "Nothing was sent. Check the marked fields.");
    assert.deepEqual(await change(typed("a")), [{}, undefined]);
    assert.deepEqual(shown.sent, []);
  });

  it("restores a draft completely, even an input that the crew no longer lists", async () => {
    const gone = { name: "gone", mode: "json" as const, text: "[1" };
    const values = { ...typed("a"), inputs: [...typed("a").inputs, gone] };
    shown = await openForm(
      { draft: { ...draft, values }, last: typed("sent") },
      { takesFocus: false },
    );
    const { fields, draft: present, origin, canUndo, focus } = shown.form;
    const state = [present, origin, canUndo, focus];
    assert.deepEqual(state, [{ ...draft, values }, "Draft restored.", false, undefined]);
    const names = fields.map(({ name, isUnlisted }) => (isUnlisted ? `unlisted ${name}` : name));
    assert.deepEqual(names, ["topic", "__proto__", "unlisted gone"]);
  });

  it("is restored after a reload with what was typed, without a request", async () => {
    shown = testForm({ draft });
    shown.inputs = () => assert.fail("a request");
    shown.session.resume(formFields({ fields: [{ name: "topic" }, { name: "__proto__" }] }));
    shown.receive({ type: "ready" });
    assert.deepEqual(shown.form.draft, draft);
    await shown.submit();
    assert.equal(shown.started.length, 1);
  });

  it("shows the crew's new name and what is to say of it, without replacing the form", () => {
    const { draft: before } = shown.form;
    const renamed = { id: "url:https://crew.test", name: "Journeys", url: "https://crew.test" };
    shown.session.crew = renamed;
    assert.deepEqual([shown.views.at(-1)?.crew, shown.form.draft], [renamed, before]);
    const { length } = shown.views;
    shown.session.crew = { ...renamed };
    assert.equal(shown.views.length, length, "nothing new is shown");
    shown.session.tell("rehearsal", { text: "No model is called." });
    assert.equal(shown.note("rehearsal")?.text, "No model is called.");
    shown.session.tell("rehearsal", undefined);
    assert.equal(shown.note("rehearsal"), undefined);
  });

  it("sends what is typed once, however often it is submitted", async () => {
    const gate = Promise.withResolvers<Execution>();
    shown.start = () => gate.promise;
    const sent = { id: shown.form.draft.id, values: typed("Otters", "1") };
    for (let click = 0; click < 5; click++) shown.receive({ type: "submit", draft: sent });
    shown.receive({ type: "changed", draft: { id: sent.id, values: typed("changed later") } });
    shown.receive({ type: "clear" });
    await settle();
    shown.receive({ type: "submit", draft: sent });
    gate.resolve(anExecution());
    await settle();
    shown.receive({ type: "submit", draft: sent });
    await settle();
    assert.deepEqual(shown.localIds, [sent.id]);
    assert.deepEqual(Object.entries(shown.sent[0]!.inputs), [
      ["topic", "Otters"],
      ["__proto__", "1"],
    ]);
    assert.deepEqual([shown.started.length, shown.last], [1, [sent]]);
    await shown.session.close();
    await shown.clock.pass(1000);
    assert.equal(shown.saved.length, 1, "the draft was written before sending, and not again");
  });

  it("reports missing inputs, gives unknown ones a field, and can be sent again as another kickoff", async () => {
    shown.start = () => Promise.reject(refusal(["topic", "budget"]));
    const { id } = shown.form.draft;
    await shown.submit(typed("a"));
    assert.deepEqual(
      [shown.form.problems[0], shown.note("refused")?.remedy, shown.form.focus],
      ["The crew reports that this input is missing.", "Fill in.", "outcome"],
    );
    assert.deepEqual(shown.names(), ["topic", "__proto__", "budget"]);
    const next = shown.form.draft.id;
    assert.notEqual(next, id, "the refused id is used up");
    shown.receive({ type: "ready" });
    assert.deepEqual(
      [shown.note("refused")?.text, shown.form.isSending, shown.form.draft.id, shown.form.focus],
      ["Missing.", false, next, undefined],
    );
    shown.start = () => Promise.resolve(anExecution());
    await shown.submit(typed("b"));
    assert.deepEqual([shown.sent.length, shown.started.length], [2, 1]);
  });

  it("shows what the crew reported of an input until that input changes", async () => {
    shown.start = () => Promise.reject(refusal(["topic", "__proto__"]));
    await shown.submit(typed("a"));
    await shown.type({ ...typed("b"), meta: "[" });
    assert.deepEqual(Object.keys(shown.form.problems), ["1", "meta"]);
    assert.notEqual(shown.note("refused"), undefined);
  });

  it("names what no longer fits an execution that runs again, and keeps it if the person runs it anyway", async () => {
    const from = { executionId: "e1", taskId: "draft", title: "Tea time", outputs: [] };
    const inputs = { topic: "tea", ["__proto__"]: "x" };
    shown = await openForm({ given: { values: { inputs, from }, replaces: true } });
    const unfit = { kind: "badRequest", message: "It changed.", remedy: "", canKeepChanged: true };
    shown.start = () => Promise.reject(new CrewApiError({ ...unfit, kind: "badRequest" }));
    for (let run = 0; run < 2; run++) await shown.submit();
    assert.match(shown.note("refused")?.remedy ?? "", /^If you run it anyway/);
    const again = { executionId: "e1", taskId: "draft" };
    const runs = shown.sent.map(({ runAgain }) => runAgain);
    assert.deepEqual(runs, [again, { ...again, keepChanged: true }]);
  });

  const unconfirmed = anExecution({ state: "unconfirmed", kickoffIds: [] });
  const earlier = new MaybeStartedError("It may have started.", unconfirmed);
  const act = (title: string) => ({ type: "act", kind: "maybeStarted", title });

  it("sends a kickoff for a debugger where the person wants one", async () => {
    shown.receive({
      type: "submit",
      draft: { id: shown.form.draft.id, values: typed("a") },
      isDebugged: true,
    });
    await settle();
    assert.deepEqual(shown.debugged, [true]);
  });

  it("does not send again what may have started, until the person confirms", async () => {
    shown.start = () => Promise.reject(earlier);
    const sent = { id: shown.form.draft.id, values: typed("a") };
    for (let click = 0; click < 2; click++) {
      shown.receive({ type: "submit", draft: sent });
      await settle();
    }
    assert.equal(shown.sent.length, 1);
    shown.receive(act("Open Execution"));
    assert.deepEqual(shown.opened, [unconfirmed]);
    shown.start = () => Promise.resolve(anExecution());
    shown.receive(act("Kick Off Again"));
    const state = [shown.form.focus, shown.note("maybeStarted"), shown.form.draft.values];
    assert.deepEqual(state, ["submit", undefined, typed("a")]);
    await shown.submit();
    assert.notEqual(shown.localIds[1], sent.id);
    assert.equal(shown.started.length, 1);
  });

  describe("restored with a draft that was sent before", () => {
    for (const how of ["a reload", "an opening"])
      it(`says after ${how} that it may have started, and sends nothing until the person confirms`, async () => {
        shown = testForm({ draft, earlier });
        if (how === "a reload")
          shown.session.resume(formFields({ fields: [{ name: "topic" }, { name: "__proto__" }] }));
        shown.receive({ type: "ready" });
        if (how === "an opening") await shown.session.load({ fresh: false, startsCrew: false });
        const state = [shown.note("maybeStarted")?.text, shown.form.origin, shown.form.draft];
        assert.deepEqual(state, ["It may have started.", undefined, draft]);
        shown.receive({ type: "submit", draft });
        await settle();
        assert.equal(shown.sent.length, 0);
        shown.receive(act("Open Execution"));
        assert.deepEqual(shown.opened, [unconfirmed]);
        shown.receive(act("Kick Off Again"));
        await shown.submit();
        assert.deepEqual([shown.sent.length, shown.localIds[0] === draft.id], [1, false]);
      });

    it("says that a kickoff started, and sends another one under an id of its own", async () => {
      shown = await openForm({ draft, earlier: "started" });
      assert.match(shown.form.origin ?? "", /^Values of a kickoff that started/);
      const state = [shown.note("maybeStarted"), shown.form.draft.values];
      assert.deepEqual(state, [undefined, draft.values]);
      await shown.submit();
      assert.notEqual(shown.localIds[0], draft.id);
    });

    it("is another kickoff if values are given", async () => {
      const given = { values: { inputs: { topic: "b" } }, replaces: false };
      shown = await openForm({ draft, earlier, given });
      assert.deepEqual([shown.note("maybeStarted"), shown.form.origin], [undefined, "Filled in."]);
      assert.notEqual(shown.form.draft.id, draft.id);
    });
  });

  it("settles when the execution has started, even if it was closed while sending", async () => {
    const answer = Promise.withResolvers<Execution>();
    shown.start = () => answer.promise;
    void shown.submit(typed("tea"));
    let isSettled = false;
    const closed = shown.session.close().then(() => (isSettled = true));
    await settle();
    assert.deepEqual([shown.sent.length, isSettled], [1, false]);
    answer.resolve(anExecution());
    await closed;
    assert.equal(shown.started.length, 1);
  });

  it("reports a failure to a person who closed the form while it was being sent", async () => {
    const gate = Promise.withResolvers<Execution>();
    shown.start = () => gate.promise;
    void shown.submit(typed("a"));
    const closed = shown.session.close();
    await settle();
    const failure = refusal();
    gate.reject(failure);
    await closed;
    assert.deepEqual(shown.late, [failure]);
    assert.deepEqual(shown.saved.at(-1)?.values, typed("a"), "nothing typed is lost");
  });
});
