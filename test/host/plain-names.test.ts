import assert from "node:assert/strict";
import * as vscode from "vscode";
import { shortName } from "../../src/base/text.ts";
import { connectCrew, setToken } from "../../src/crews/connect.ts";
import { Crews } from "../../src/crews/crews.ts";
import { plainLabel } from "../../src/editor/messages.ts";
import { person as asker } from "../../src/actions/asker.ts";
import { askTask, doubtIn, feedbackQuestion } from "../../src/actions/feedback-questions.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { targetsIn } from "./execution-parts.ts";
import { set, withReplaced } from "./extension.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";
import { ScriptedPerson } from "./scripted-person.ts";

describe("names and texts of a crew", () => {
  const link = "[Retry](command:crewdeck.kickoff)";
  const crew = { id: "url:https://crew.test", name: "$(pass) Writers", url: "https://crew.test" };
  let crews: Crews;
  let person: ScriptedPerson;

  beforeEach(() => {
    crews = new Crews({ secrets: new MemorySecrets(), globalState: new MemoryMemento() });
    person = new ScriptedPerson(["escape"]);
  });

  afterEach(() => {
    person.dispose();
    crews.dispose();
  });

  it("draw no icons in a list of executions: state, crew's name and title", async () => {
    const execution = notWaiting({
      crew,
      label: "$(star)",
      state: "unknown",
      stateText: "$(pass) Completed",
    });
    const store = { list: () => [execution], find: () => execution, refresh: () => undefined };
    assert.equal(await targetsIn(store, crews).execution(undefined), undefined);
    const [{ choices, descriptions } = {}] = person.shown;
    assert.deepEqual(
      [choices, descriptions],
      [["\\$(star)"], ["\\$(pass) Writers · \\$(pass) Completed"]],
    );
  });

  it("draw no icons in the status bar", async () => {
    const said: string[] = [];
    const setStatusBarMessage = (text: string) => void said.push(text);
    await withReplaced(vscode.window, { setStatusBarMessage }, async () => {
      await crews.setTokens(crew.id, { inUse: "bearer", bearer: "one", userBearer: "two" });
      await setToken(crews, crew, { use: "userBearer" });
    });
    assert.match(said.join(), /^“\\\$\(pass\) Writers” now uses /);
  });

  it("are shortened to one line in questions about feedback, and sent back to the crew unchanged", async () => {
    const taskId = "evil\n\u001b[31m\u202e$(star) ".repeat(3_000);
    const execution = anExecution({
      tasks: [{ taskId, state: "waiting", attempts: [{ number: 1, output: "a" }] }],
      waiting: { taskId, attempt: 2, since: "2026-10-21T12:01:00.000Z" },
    });
    person.dispose();
    person = new ScriptedPerson(["escape", { pick: plainLabel(shortName(taskId)) }]);
    const sent = {
      taskId,
      attempt: 1,
      feedback: { isApprove: true, text: "Approved.", at: "2026-10-21T12:01:00.000Z" },
      outcome: "answered",
    } as const;
    assert.match(doubtIn(sent), /^[^\p{Cc}\u202e]{0,600}$/u);
    await asker.agrees(feedbackQuestion({ execution, taskId, isApprove: true, text: "" }));
    assert.equal(await askTask(execution), taskId);
    for (const { title = "", text, detail = "", choices = [] } of person.shown)
      for (const line of [title, text, ...detail.split("\n"), ...choices])
        assert.match(line, /^[^\p{Cc}\u202e]{0,400}$/u);
  });

  it("make no links in an input box's prompt or validation message", async () => {
    await crews.add({ name: link, url: crew.url, token: "one" }, { untested: true });
    person.dispose();
    person = new ScriptedPerson([{ type: crew.url }, "escape"]);
    assert.equal(await connectCrew(crews), undefined);
    const [{ complaint = "" } = {}] = person.shown;
    assert.ok(complaint.includes("Retry") && !complaint.includes(link), complaint);
    person.dispose();
    person = new ScriptedPerson([{ pick: "User Bearer Token" }, "escape"]);
    await setToken(crews, crews.get(link));
    const { text = "" } = person.shown.at(-1) ?? {};
    assert.ok(text.includes("Retry") && !text.includes(link), text);
    await set("crews", undefined);
  });
});
