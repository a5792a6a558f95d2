import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewClient } from "../../src/api/client.ts";
import { systemClock } from "../../src/base/clock.ts";
import { OpenComparison } from "../../src/views/comparison/open-comparison.ts";
import { outputUri } from "../../src/views/document/output-editors.ts";
import { OpenPage } from "../../src/views/page/open-page.ts";
import { Pages } from "../../src/views/page/register.ts";
import { aKeptCall, sampleCalls } from "../support/page/call-samples.ts";
import { aRichExecution, someEvents } from "../support/page/samples.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution, aTask, notWaiting } from "../unit/views/executions.ts";
import { set, withReplaced } from "./extension.ts";
import { ScriptedPerson } from "./scripted-person.ts";
import { crewsOf } from "./execution-parts.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

const extension = vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionUri;

/** A real panel, with messages that a test sends as its script does. */
function openPanel() {
  const panel = vscode.window.createWebviewPanel("crewdeck.test", "Closed", vscode.ViewColumn.One);
  const messages = new vscode.EventEmitter<unknown>();
  /** Members of the panel are bound to it, since they are private to its class. */
  const around = <T extends object>(of: T, replace: Readonly<Record<string, () => unknown>>): T =>
    new Proxy(of, {
      get(target, name) {
        const replaced = typeof name === "string" ? replace[name] : undefined;
        if (replaced !== undefined) return replaced();
        const value: unknown = Reflect.get(target, name, target);
        const bound: unknown = typeof value === "function" ? value.bind(target) : value;
        return bound;
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    });
  const posted: string[] = [];
  const webview = () =>
    around(panel.webview, {
      onDidReceiveMessage: () => messages.event,
      postMessage: () => (message: { readonly type: string }) => {
        posted.push(message.type);
        return panel.webview.postMessage(message);
      },
    });
  return { panel: around(panel, { webview }), messages, posted };
}

describe("A tab", () => {
  let parts: ViewParts;
  let person: ScriptedPerson;
  eachWithViewParts((made) => (parts = made));
  beforeEach(() => (person = new ScriptedPerson([])));
  afterEach(() => person.dispose());

  const common = () => ({
    ...{ ...parts, clock: systemClock, extension, ready: Promise.resolve() },
    act: () => assert.fail("no test presses a button"),
    crews: { ...crewsOf(), find: () => undefined, client: () => assert.fail("nothing is read") },
    onDidChange: () => ({ dispose: () => undefined }),
  });

  const openPage = () => {
    const { localId } = parts.store.add(anExecution());
    const uri = parts.documents.uriOf(parts.store.summary(localId)!);
    const opened = openPanel();
    new OpenPage(opened.panel, uri, common());
    return { ...opened, localId };
  };

  it("counts as the person's choice before it is shown as text", async () => {
    const { localId } = parts.store.add(anExecution());
    const pages = new Pages(common());
    const choices: unknown[] = [];
    const executeCommand = (command: string) => {
      if (command === "vscode.openWith")
        choices.push(vscode.workspace.getConfiguration("crewdeck").get("openExecutionsAs"));
      return Promise.resolve();
    };
    try {
      await withReplaced(vscode.commands, { executeCommand }, () =>
        pages.switchTo(parts.store.summary(localId)!, "text"),
      );
    } finally {
      await set("openExecutionsAs", undefined);
    }
    assert.deepEqual(choices, ["text"]);
  });

  it("of a page that is active already isn't opened again, which would take the focus from its box", async () => {
    const { localId } = parts.store.add(anExecution());
    const execution = parts.store.summary(localId)!;
    const uri = parts.documents.uriOf(execution);
    const pages = new Pages(common());
    const { panel } = openPanel();
    await pages.resolveCustomEditor({ uri }, panel);
    const activeTab = { input: new vscode.TabInputCustom(uri, "crewdeck.page"), isActive: true };
    const tabGroups = { activeTabGroup: { activeTab }, all: [{ tabs: [activeTab] }] };
    const real = Object.getOwnPropertyDescriptor(vscode.window, "tabGroups")!;
    const commands: string[] = [];
    const executeCommand = (command: string) => Promise.resolve(commands.push(command));
    try {
      Object.defineProperty(vscode.window, "tabGroups", { ...real, get: () => tabGroups });
      await withReplaced(vscode.commands, { executeCommand }, () =>
        pages.switchTo(execution, "page"),
      );
    } finally {
      Object.defineProperty(vscode.window, "tabGroups", real);
      await set("openExecutionsAs", undefined);
      panel.dispose();
    }
    assert.deepEqual(commands, []);
  });

  it("of a page has the execution's title, also after it is renamed", async () => {
    const { localId, panel, messages } = openPage();
    messages.fire({ type: "ready" });
    await waitFor("the title", () => panel.title === "Sea otters");
    parts.store.update(localId, (execution) => ({ ...execution, label: "Mine" }));
    await waitFor("the new title", () => panel.title === "Mine");
    panel.dispose();
  });

  it("of a page compares a call with the last one of its agent, and copies it without a key", async () => {
    const { localId } = parts.store.add(aRichExecution());
    parts.store.update(localId, (execution) => execution, someEvents());
    const uri = parts.documents.uriOf(parts.store.summary(localId)!);
    const { panel, messages, posted } = openPanel();
    const listed = [1, 5].map((second, at) => ({
      ...{ number: at + 1, kind: "model", name: "chat/completions" },
      at: `2026-10-21T12:00:0${second}.500Z`,
    }));
    const [first, last] = sampleCalls["chat/completions"]!;
    const bodies = [
      { ...aKeptCall(), ...first, at: 1 },
      { ...aKeptCall(), ...last, at: 2 },
    ];
    const fetch = (url: string) => {
      const number = Number(/\/calls\/(\d)$/.exec(url)?.[1] ?? 0);
      return Promise.resolve(Response.json(bodies[number - 1] ?? { calls: listed }));
    };
    const client = () => Promise.resolve(new CrewClient("http://127.0.0.1:1", "t", { fetch }));
    new OpenPage(panel, uri, { ...common(), crews: { ...crewsOf(aRichExecution().crew), client } });
    messages.fire({ type: "ready" });
    messages.fire({ type: "call", span: "m3" });
    await waitFor("the call", () => posted.includes("call"));
    messages.fire({ type: "call", span: "m3", action: "copyCallAsCurl" });
    await waitFor("the copy", async () =>
      (await vscode.env.clipboard.readText()).includes("Bearer $OPENAI_API_KEY"),
    );
    messages.fire({ type: "call", span: "m3", action: "compareCalls" });
    const input = await waitFor("the diff", () => {
      const shown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return shown instanceof vscode.TabInputTextDiff ? shown : undefined;
    });
    const [before, now] = await Promise.all(
      [input.original, input.modified].map(async (each) =>
        (await vscode.workspace.openTextDocument(each)).getText(),
      ),
    );
    assert.match(now?.slice(before?.length) ?? "", /^\n# tool result: lookup\n\nAssam/);
    panel.dispose();
  });

  // The page has up to 100 kB of each output.
  it("of a page is sent a stored draft alone, not the whole page", async () => {
    const { localId, panel, messages, posted } = openPage();
    messages.fire({ type: "ready" });
    await waitFor("the page", () => posted.includes("show"));
    const shown = posted.length;
    const target = { taskId: "review", attempt: 1 };
    messages.fire({ type: "draft", ...target, text: "Shorter.", number: Date.now() });
    const kept = () => parts.drafts.find({ localId, ...target })?.text === "Shorter.";
    await waitFor("the stored draft", () => kept() && posted.length > shown);
    assert.deepEqual([...new Set(posted.slice(shown))], ["drafts"]);
    panel.dispose();
  });

  it("of a page puts a canned answer below what is typed, leads to the setting if there is none, and discards a draft that was not sent", async () => {
    const half = "Half as long, $(please).";
    const answers = [{ label: "Fine", text: "Good." }, { text: " " }, 7, half];
    await set("feedback.cannedAnswers", answers);
    person.dispose();
    person = new ScriptedPerson([{ pick: "Half as long, \\$(please)." }, { press: "Discard" }]);
    const { localId, panel, messages } = openPage();
    const target = { taskId: "review", attempt: 1 };
    messages.fire({ type: "draft", ...target, text: "Shorter. ", number: Date.now() });
    messages.fire({ type: "insert", ...target });
    const kept = () => parts.drafts.find({ localId, ...target })?.text;
    await waitFor("the answer", () => kept() === `Shorter.\n\n${half}`);
    await set("feedback.cannedAnswers", undefined);
    assert.deepEqual(person.shown[0]?.choices, ["Fine", "Half as long, \\$(please)."]);
    const opened: unknown[] = [];
    const executeCommand = (...command: unknown[]) => Promise.resolve(opened.push(command));
    await withReplaced(vscode.commands, { executeCommand }, async () => {
      messages.fire({ type: "insert", ...target });
      await waitFor("the settings", () => opened.length > 0);
    });
    assert.deepEqual(opened, [
      ["workbench.action.openSettings", "@id:crewdeck.feedback.cannedAnswers"],
    ]);
    const old = { taskId: "publish", attempt: 2 };
    parts.drafts.keep({ localId, ...old, text: "Old words.", at: "2026-10-21T12:00:00.000Z" });
    messages.fire({ type: "discardDraft", ...old });
    await waitFor("its end", () => parts.drafts.find({ localId, ...old }) === undefined);
    assert.deepEqual(person.left, []);
    panel.dispose();
  });

  it("of a comparison has both titles, and opens an output's diff", async () => {
    const pair = ["tea", "coffee"].map((label) =>
      parts.store.add(
        notWaiting({
          ...{ localId: label, kickoffIds: [label], label },
          tasks: [aTask("outline", "completed", { output: label })],
        }),
      ),
    );
    const [left = "", right = ""] = pair.map(({ localId }) => localId);
    const { panel, messages } = openPanel();
    const circumstances = { of: () => ({}), onDidChange: common().onDidChange };
    new OpenComparison(panel, { left, right }, { ...common(), circumstances });
    messages.fire({ type: "ready" });
    await waitFor("the title", () => panel.title === "tea ↔ coffee");
    const diffs: unknown[][] = [];
    const executeCommand = (...given: unknown[]) => Promise.resolve(diffs.push(given));
    await withReplaced(vscode.commands, { executeCommand }, async () => {
      messages.fire({ type: "openOutput", id: "outline\noutline" });
      await waitFor("the diff", () => diffs.length > 0);
    });
    const attempt = { kind: "attempt", taskId: "outline", attempt: 1 } as const;
    const [before, after] = pair.map((each) => outputUri(each, attempt));
    assert.deepEqual(diffs, [["vscode.diff", before, after, "outline: tea ↔ coffee"]]);
    panel.dispose();
  });

  it("that is closed shows no error if that happens while its feedback is being sent", async () => {
    const { panel, messages } = openPage();
    const target = { taskId: "review", attempt: 1 };
    messages.fire({ type: "answer", ...target, kind: "approve", text: "" });
    panel.dispose();
    // The extension's own commands don't know the execution of this test.
    await waitFor("the answer", () => Promise.resolve(person.shown.length > 0));
    assert.deepEqual(
      person.shown.filter(({ text }) => /disposed/.test(text)),
      [],
    );
  });
});
