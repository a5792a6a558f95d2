import assert from "node:assert/strict";
import { rm, symlink } from "node:fs/promises";
import * as vscode from "vscode";
import type { CallbackUrls, PlainCallbacks } from "../../src/api/types.ts";
import type { Crew } from "../../src/crews/types.ts";
import { asObject } from "../../src/base/json.ts";
import type { UserError } from "../../src/base/errors.ts";
import { forgetCrewValues } from "../../src/store/crew-values.ts";
import { allowCallbacks, crewInFile, openUnsaved } from "../../src/kickoff/request-files/files.ts";
import {
  type RequestFiles,
  requestFiles,
  type RequestFilesOptions,
} from "../../src/kickoff/request-files/request-files.ts";
import { waitFor } from "../support/wait.ts";
import { FakeClock } from "../unit/executions/fake-clock.ts";
import { anExecution } from "../unit/views/executions.ts";
import { testDatabase } from "../support/database.ts";
import { closeEditors, codeLensesIn, run, set } from "./extension.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { startSmallCrew, type SmallCrew } from "./small-crew.ts";

const byClick = { isPerson: true };
const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };
const fileIn = (name: string) =>
  vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, name);
const write = async (name: string, content: string | object) => {
  const text = typeof content === "string" ? content : JSON.stringify(content, undefined, 2);
  await vscode.workspace.fs.writeFile(fileIn(name), Buffer.from(text));
  return fileIn(name);
};

const file = (name: string, more: object = {}) =>
  write(`${name}.kickoff.json`, { crew: "Travel", inputs: { city: "Oslo" }, ...more });

describe("Kicking off a request file", () => {
  let sent: Parameters<RequestFilesOptions["sending"]["send"]>[];
  let opened: unknown[][];
  const made: RequestFiles[] = [];
  let shown: string[];
  let machine: ReturnType<typeof testDatabase>;
  let clock: FakeClock;

  beforeEach(() => {
    [sent, opened, shown, machine, clock] = [[], [], [], testDatabase(), new FakeClock()];
  });

  afterEach(() => {
    for (const files of made.splice(0)) files.dispose();
    machine.end();
  });

  after(closeEditors);

  const fields = [{ name: "city" }, { name: "days", type: "integer", required: false }] as const;
  const crewsOf = (one: Crew): RequestFilesOptions["crews"] => ({
    find: (name) => (name === crew.name ? one : undefined),
    get: (name) => assert.fail(name),
    ready: ({ id }) => Promise.resolve(id === crew.id ? one : assert.fail(id)),
    inputs: () => Promise.resolve({ fields }),
    knownInputs: () => undefined,
    list: () => [one],
    onDidChange: new vscode.EventEmitter<void>().event,
  });
  const open = (changes: Partial<RequestFilesOptions> = {}) => {
    const files = requestFiles({
      crews: crewsOf(crew),
      sending: { send: (...what) => Promise.resolve(sent.push(what)).then(() => anExecution()) },
      forms: { open: (...what) => Promise.resolve(void opened.push(what)) },
      documents: { show: ({ localId }) => Promise.resolve(shown.push(localId)) },
      database: machine.database,
      clock,
      isTrusted: () => true,
      ...changes,
    });
    made.push(files);
    return files;
  };

  const asksFor = async (uri: vscode.Uri, move: Move, files = open()) =>
    (await withPerson([move], () => files.kickOff(uri, byClick))).shown[0];
  const allows = { press: "Allow" };
  const inputsSent = () => sent.map(([, { inputs }]) => inputs);

  it("sends the file's values and label without a question, once for a double click", async () => {
    const uri = await file("oslo", { label: "Demo", meta: { a: 1 } });
    const files = open();
    await withPerson([], () =>
      Promise.all([files.kickOff(uri, byClick), files.kickOff(uri, byClick)]),
    );
    assert.deepEqual(sent, [
      [crew, { inputs: { city: "Oslo" }, meta: { a: 1 } }, { label: "Demo" }],
    ]);
    await clock.pass(500);
    await files.kickOff(uri, byClick);
    assert.equal(sent.length, 1, "a quick crew has answered before the second click");
    await clock.pass(1_000);
    await files.kickOff(uri, byClick);
    assert.equal(sent.length, 2);
    await files.kickOff(uri, { isPerson: false });
    assert.equal(sent.length, 3, "a program means another");
    assert.equal(shown.length, 2, "each start of a person");
  });

  it("sends the values of a form that were opened as a file and not saved", async () => {
    await openUnsaved({ crew, values: { inputs: { city: "Oslo" } } });
    await open().kickOff(vscode.window.activeTextEditor!.document.uri, byClick);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    assert.deepEqual(sent, [[crew, { inputs: { city: "Oslo" } }, {}]]);
  });

  it("never reads a device or a large file that a request file leads to", async () => {
    const large = await file("large", { inputs: { city: "x".repeat(1_000_000) } });
    await assert.rejects(open().kickOff(large, byClick), /is not a regular file of at most 1 MB/);
    const uri = fileIn("endless.kickoff.json");
    await symlink("/dev/zero", uri.fsPath);
    await assert.rejects(open().kickOff(uri, byClick), /is not a regular file/);
    await rm(uri.fsPath);
  });

  it("includes unsaved changes, and is another kickoff with them", async () => {
    const uri = await file("unsaved");
    const files = open();
    await files.kickOff(uri, byClick);
    const document = await vscode.workspace.openTextDocument(uri);
    const at = document.getText().indexOf("Oslo");
    const range = new vscode.Range(document.positionAt(at), document.positionAt(at + 4));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, range, "Bergen");
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.isDirty, true);
    await files.kickOff(uri, byClick);
    assert.deepEqual(inputsSent(), [{ city: "Oslo" }, { city: "Bergen" }]);
    await document.save();
  });

  it("names a crew of the workspace by its project's folder, and offers to start it where it isn't known", async () => {
    const project = fileIn("crews/home");
    const local = {
      id: `local:${project.toString()}#Boiler`,
      name: "home 2",
      url: "http://a.test",
    };
    const known: Crew = { ...local, local: { folder: "", engine: "rehearsal", running: true } };
    const beside = fileIn("a.json");
    for (const [of, uri, named] of [
      [local, beside, "./crews/home#Boiler"],
      [local, fileIn("crews/home/flows/a.json"), "..#Boiler"],
      [local, vscode.Uri.file("/a.json"), "home 2"],
      [{ ...local, id: `local:${project.toString()}` }, fileIn("crews/home/a"), "./"],
      [crew, beside, "Travel"],
    ] as const)
      assert.equal(crewInFile(of, uri), named);
    const uri = await file("folder", { crew: "./crews/home#Boiler" });
    const find = (name: string) => (name === local.id ? known : undefined);
    const crews = { ...crewsOf(known), ready: () => Promise.resolve(known), find };
    await open({ crews }).kickOff(uri, byClick);
    assert.equal(sent[0]?.[0], known);
    await assert.rejects(open().kickOff(uri, byClick), (error: UserError) => {
      assert.match(
        error.message,
        /The crew in the folder “\.\/crews\/home#Boiler” was not started/,
      );
      assert.deepEqual(error.actions[0], {
        title: "Serve This Crew",
        command: "crewdeck.startLocalCrew",
        arguments: [{ folder: project.toString(), class: "Boiler" }],
      });
      return true;
    });
  });

  it("refuses a secret, a missing input and an unknown crew, names the line, and sends nothing", async () => {
    for (const [content, message] of [
      [
        { crew: "Travel", inputs: { city: "O" }, token: "hush" },
        /line 6: Remove “token”: .* no secrets/,
      ],
      [{ crew: "Travel", inputs: { days: 3 } }, /line 3: The input “city” is missing/],
      [{ crew: "Nobody", inputs: {} }, /line 2: No crew named “Nobody”/],
    ] as const) {
      const document = await vscode.workspace.openTextDocument(
        await write("wrong.kickoff.json", content),
      );
      const text = JSON.stringify(content, undefined, 2);
      await waitFor("the file's text", () => document.getText() === text);
      await assert.rejects(open().kickOff(document.uri, byClick), (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hush/);
        return error.message.endsWith("Nothing was sent.");
      });
    }
    assert.deepEqual(sent, []);
  });

  it("asks once to allow a crew's callbacks, by kind and full address, whichever file names them, and otherwise sends nothing", async () => {
    const callbacks = {
      crewWebhookUrl: "https://hooks.test/a?to=me",
      stepWebhookUrl: "https://hooks.test/b",
      taskWebhookUrl: "http://127.0.0.1:9/c",
    };
    const uri = await file("callback", callbacks);
    const question = await asksFor(uri, "escape");
    assert.equal(question?.text, "Let “Travel” call these addresses?");
    for (const url of Object.values(callbacks)) assert.ok(question.detail?.includes(`, to ${url}`));
    assert.equal(sent.length, 0);
    await asksFor(uri, allows);
    const other = await file("other", { crewWebhookUrl: callbacks.crewWebhookUrl });
    await withPerson([], () => open().kickOff(other, byClick));
    assert.deepEqual(
      sent.map(([, { crewWebhookUrl, stepWebhookUrl }]) => [crewWebhookUrl, stepWebhookUrl]),
      [
        ["https://hooks.test/a?to=me", "https://hooks.test/b"],
        ["https://hooks.test/a?to=me", undefined],
      ],
    );
  });

  it("asks again for another path, query, kind or crew, even if the host was allowed, and shows only what is new", async () => {
    const asked = async (callbacks: CallbackUrls & PlainCallbacks, by = crew) => {
      const { shown } = await withPerson([allows], () =>
        allowCallbacks(machine.database, by, callbacks),
      );
      const { detail = "" } = shown[0] ?? {};
      return detail.split("\n").filter((line) => line.startsWith("•"));
    };
    const allowed = { crewWebhookUrl: "https://webhook.site/mine" };
    await asked(allowed);
    for (const url of ["https://webhook.site/theirs", "https://webhook.site/mine?copy=theirs"])
      assert.deepEqual(await asked({ crewWebhookUrl: url }), [`• the result, to ${url}`]);
    assert.deepEqual(await asked({ ...allowed, stepWebhookUrl: "https://webhook.site/mine" }), [
      "• each step of an agent, with its thoughts and tools, to https://webhook.site/mine",
    ]);
    assert.equal((await asked(allowed, { ...crew, id: "url:https://other.test" })).length, 1);
    await withPerson([], async () =>
      assert.equal(await allowCallbacks(machine.database, crew, allowed), true),
    );
    const kept = machine.database.all("SELECT * FROM crew_values");
    assert.equal(kept.length, 2);
    assert.doesNotMatch(JSON.stringify(kept), /webhook\.site/);
    forgetCrewValues(machine.database, crew.id);
    assert.equal((await asked(allowed)).length, 1, "a crew that was removed is asked for again");
  });

  it("opens the form in an untrusted workspace, after the question about its callbacks, and sends nothing", async () => {
    const uri = await file("untrusted", { crewWebhookUrl: "https://hooks.test/a" });
    const files = open({ isTrusted: () => false });
    const { shown } = await withPerson([allows], () => files.kickOff(uri, byClick));
    assert.match(
      shown[0]?.text ?? "",
      /^You have not trusted this workspace\. .*untrusted\.kickoff/,
    );
    assert.match(shown[1]?.detail ?? "", /• the result, to https:\/\/hooks\.test\/a/);
    await assert.rejects(files.kickOff(uri, { isPerson: false }), /not trusted/);
    assert.deepEqual([sent.length, opened.length], [0, 1]);
  });

  it("opens a file in the form in place of the form's values, also with missing inputs, after the question about its callbacks", async () => {
    const uri = await file("form", { inputs: {}, crewWebhookUrl: "https://hooks.test/a" });
    await withPerson(["escape"], () => open().openInForm(uri));
    assert.deepEqual(opened, []);
    await withPerson([allows], () => open().openInForm(uri));
    assert.deepEqual(opened, [
      [crew, { inputs: {}, crewWebhookUrl: "https://hooks.test/a" }, { replaces: true }],
    ]);
    assert.deepEqual(sent, []);
  });

  it("opens the form with a message if a callback needs a secret; a program gets an error", async () => {
    const humanInputWebhook = {
      url: "https://hooks.test/h",
      authentication: { strategy: "basic", username: "me" },
    };
    const webhooks = { events: ["task_started"], url: "https://events.test/e", realtime: false };
    const uri = await file("secret", { humanInputWebhook, webhooks });
    const { shown } = await withPerson([allows], () => open().kickOff(uri, byClick));
    assert.deepEqual(
      shown.map(({ text }) => text),
      [
        "secret.kickoff.json names a callback that needs a secret, which no file holds. Enter it in the form; nothing was sent yet.",
        "Let “Travel” call these addresses?",
      ],
    );
    assert.deepEqual(opened, [
      [crew, { inputs: { city: "Oslo" }, humanInputWebhook, webhooks }, { replaces: true }],
    ]);
    await assert.rejects(open().kickOff(uri, { isPerson: false }), /Enter it in the form/);
    assert.deepEqual(sent, []);
    const whole = await file("whole", { webhooks });
    await withPerson([], () => open().kickOff(whole, byClick));
    assert.deepEqual(sent, [[crew, { inputs: { city: "Oslo" }, webhooks }, {}]]);
  });
});

describe("Writing a request file in the editor", () => {
  let small: SmallCrew;
  const described = [
    { name: "size", type: "string", enum: ["small", "large"], description: "How big" },
    { name: "days", type: "integer", default: 3 },
    { name: "note" },
  ];

  before(async () => {
    small = await startSmallCrew(described);
    await run("addCrew", { name: "Described", url: small.url, token: "right" });
  });

  after(async () => {
    await closeEditors();
    await set("crews", undefined);
    await small.stop();
  });

  const offeredAt = async (name: string, marked: string) => {
    const uri = await write(name, marked.replace("|", ""));
    const document = await vscode.workspace.openTextDocument(uri);
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      "vscode.executeCompletionItemProvider",
      uri,
      document.positionAt(marked.indexOf("|")),
    );
    return new Map(
      list.items.map((item) => [
        typeof item.label === "string" ? item.label : item.label.label,
        item,
      ]),
    );
  };
  const inserted = (item: vscode.CompletionItem | undefined) =>
    item?.insertText instanceof vscode.SnippetString ? item.insertText.value : item?.insertText;
  const marksIn = (uri: vscode.Uri) =>
    vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "Crewdeck");

  it("requests the inputs only to complete them, offers them with type, values and default, and then checks them", async () => {
    const asked = small.tokens.length;
    const uri = await write("described.kickoff.json", {
      crew: "Described",
      inputs: { size: "huge", other: 1 },
      password: "x",
    });
    await vscode.window.showTextDocument(uri);
    await waitFor("the first marks", () => marksIn(uri).length === 1);
    assert.match(marksIn(uri)[0]?.message ?? "", /^Remove “password”/);
    assert.ok((await offeredAt("crew.kickoff.json", '{"crew": |}')).has("Described"));
    assert.equal(small.tokens.length, asked, "opening a file or completing a crew asks nothing");
    const names = await offeredAt(
      "names.kickoff.json",
      '{"crew": "Described", "inputs": {"note": "", |}}',
    );
    assert.deepEqual(
      ["size", "days", "note"].map((name) => inserted(names.get(name))),
      ['"size": ${1|"small","large"|}', '"days": ${1:3}', undefined],
    );
    const renamed = await offeredAt(
      "renamed.kickoff.json",
      '{"crew": "Described", "inputs": {"da|": 7}}',
    );
    assert.equal(inserted(renamed.get("days")), '"days"', "its value stays");
    assert.deepEqual(
      [names.get("size")?.detail, names.get("size")?.documentation, names.get("days")?.detail],
      ["string", "How big", "integer"],
    );
    assert.equal(small.tokens.length, asked + 1, "the crew is asked once");
    await waitFor("marks at the inputs", () => marksIn(uri).length === 4);
    const { Error, Warning } = vscode.DiagnosticSeverity;
    const marked = marksIn(uri).map(({ message, severity, range }) => [
      ...[range.start.line, severity, message],
    ]);
    assert.deepEqual(marked.slice(1), [
      [3, Error, 'The crew accepts only this for “size”: "small", "large".'],
      [2, Error, "The input “note” is missing: the crew needs it."],
      [4, Warning, "The crew doesn't list the input “other”. It will still be sent."],
    ]);
  });

  it("marks a crew that isn't connected; the schema checks JSON and types", async () => {
    const uri = await write(
      "unknown.kickoff.json",
      '{"crew": "Nobody", // a comment\n "inputs": []}',
    );
    const { document } = await vscode.window.showTextDocument(uri);
    assert.equal(document.languageId, "jsonc");
    await waitFor("the mark", () => marksIn(uri).length === 1);
    assert.equal(marksIn(uri)[0]?.message, "No crew named “Nobody” is connected here.");
    await waitFor(
      "the schema's mark",
      () =>
        vscode.languages.getDiagnostics(uri).some(({ message }) => /Incorrect type/.test(message)),
      80_000,
    );
  });

  it("opens unsaved with a form's values, each time in an editor of its own, with the same support", async () => {
    const request = { crew: { ...crew, name: "Nobody" }, values: { inputs: { topic: "tea" } } };
    for (const name of ["nobody-tea.kickoff.json", "nobody-tea-2.kickoff.json"]) {
      await openUnsaved(request);
      const { document } = vscode.window.activeTextEditor ?? assert.fail("no editor");
      assert.equal(document.uri.toString(), fileIn(name).with({ scheme: "untitled" }).toString());
      assert.deepEqual(JSON.parse(document.getText()), { crew: "Nobody", ...request.values });
      await waitFor("the mark", () => marksIn(document.uri).length === 1);
    }
    const { uri } = vscode.window.activeTextEditor!.document;
    const lenses = await codeLensesIn(uri);
    assert.ok(lenses.some(({ command }) => command?.title === "Open in Form"));
    for (const closed of [1, 2])
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor", closed);
  });

  it("has lenses that kick off the file, open it in the form and copy it as cURL", async () => {
    const uri = await write("lenses.kickoff.json", { crew: "Described" });
    await vscode.workspace.openTextDocument(uri);
    const lenses = await codeLensesIn(uri);
    assert.deepEqual(
      lenses.map(({ command }) => [
        command?.title,
        command?.command,
        asObject(command?.arguments?.[0])["form"],
      ]),
      [
        ["Kick Off", "crewdeck.kickoffFile", undefined],
        ["Open in Form", "crewdeck.kickoffFile", true],
        ["Copy as cURL", "crewdeck.copyAsCurl", undefined],
      ],
    );
  });
});
