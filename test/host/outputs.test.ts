import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { temporaryFolder } from "../support/folders.ts";
import { json, type MisbehavingServer, text } from "../support/misbehaving-server.ts";
import { waitFor } from "../support/wait.ts";
import { run } from "./extension.ts";
import { readAsText } from "./read-as-text.ts";
import { serveAnswers } from "./real-service.ts";
import { withPerson } from "./scripted-person.ts";

const crew = "Outputs";
const token = "tok-outputs-7f3a";
const openAnswer = () =>
  run<string>("exportExecution", { crew, kickoffId: "k-1", format: "rawAnswer" });
const big = `# Long\n\n[Approve](command:workbench.action.files.newUntitledFile) [Home](https://crew.test/home)\r\n${"All work and no play. ".repeat(57_000)}`;
/** One white pixel. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** The same as shown in an editor. */
const shownBig = `${big.replace("command:", "command\\:").replace("\r\n", "\n")}\n`;

describe("Commands about outputs", () => {
  readAsText();
  let server: MisbehavingServer;
  let folder: string;
  const tasks = [
    { task_id: "research", output: "# Found\n\nA lot." },
    { task_id: "plan", output: '```json\n{"steps":[1,2]}\n```' },
    { task_id: "write", output: big },
  ];
  const completed = {
    status: "completed",
    result: { output: "The end.", tasks },
    execution_time: 12,
    events: [{ id: "drawn", type: "image_generated", timestamp: 1_760_000_000, output: png }],
  };

  serveAnswers(
    crew,
    () => completed,
    (given) => (server = given),
    token,
  );

  before(async () => {
    folder = temporaryFolder("outputs");
    await run("trackExecution", { crew, kickoffId: "k-1" });
  });

  after(() => rm(folder, { recursive: true }));

  const active = () => vscode.window.activeTextEditor?.document;
  const path_ = (address: string) => vscode.Uri.parse(address).path;

  it("open a task's output or the result in its own document, as JSON or Markdown", async () => {
    for (const [more, at, language, text] of [
      [{ taskId: "plan" }, "tasks/plan (attempt 1).json", "json", /^\{\n {2}"steps": \[\n {4}1,/],
      [{}, "result.md", "markdown", /^The end\.\n$/],
    ] as const) {
      const address = await run<string>("openOutput", { crew, kickoffId: "k-1", ...more });
      assert.equal(path_(address), `/${crew}/${at}`);
      assert.equal(active()?.languageId, language);
      assert.match(active()?.getText() ?? "", text);
    }
    await assert.rejects(
      run("openOutput", { crew, kickoffId: "k-1", taskId: "nosuch" }),
      /has not returned this output/,
    );
  });

  it("open a picture that an agent drew, as a file", async () => {
    const address = await run<string>("openOutput", { crew, kickoffId: "k-1", picture: "drawn" });
    const file = vscode.Uri.parse(address);
    assert.equal(path.extname(file.path), ".png");
    assert.deepEqual(await readFile(file.fsPath), Buffer.from(png, "base64"));
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    assert.ok(activeTab?.input instanceof vscode.TabInputCustom);
    assert.equal(activeTab.input.uri.path, file.path);
    await assert.rejects(
      run("openOutput", { crew, kickoffId: "k-1", picture: "nosuch" }),
      /is not kept/,
    );
  });

  it("show only the start of a large output in the execution's document, and all of it in a file that is kept while the execution is tracked", async () => {
    await run("openExecution", { crew, kickoffId: "k-1" });
    assert.match(active()!.getText(), /## Task: write[^]*> This output is large: 1\.3 MB\./);
    assert.ok(active()!.getText().length < 150_000);
    const open = async (kickoffId: string) =>
      vscode.Uri.parse(await run<string>("openOutput", { crew, kickoffId, taskId: "write" }));
    const uri = await open("k-1");
    assert.equal(uri.scheme, "file");
    assert.equal(await readFile(uri.fsPath, "utf8"), shownBig);
    await waitFor(
      "its tab",
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === "write (attempt 1).md",
    );
    const written = (await stat(uri.fsPath)).mtimeMs;
    const { mode } = await stat(path.join(uri.fsPath, "../.."));
    if (process.platform !== "win32") assert.equal(mode & 0o077, 0, "other users can't read it");
    await open("k-1");
    assert.equal((await stat(uri.fsPath)).mtimeMs, written, "it is written once");
    await run("trackExecution", { crew, kickoffId: "k-2" });
    const other = await open("k-2");
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await run("untrackExecution", { crew, kickoffId: "k-2" });
    await waitFor("the file of the other to be removed", () => !existsSync(other.fsPath));
    assert.ok(existsSync(uri.fsPath));
  });

  it("save an output unchanged to a file that the person chooses, and suggest its name", async () => {
    const file = path.join(folder, "saved.md");
    const save = (name: string, argument?: object) =>
      withPerson([{ saveAs: path.join(folder, name) }], () => run("saveOutput", argument));
    const saved = await save("saved.md", { crew, kickoffId: "k-1", taskId: "write" });
    assert.equal(path.basename(saved.shown[0]?.value ?? ""), "k-1 - write (attempt 1).md");
    assert.equal(await readFile(file, "utf8"), big);
    await save("plan.json", { crew, kickoffId: "k-1", taskId: "plan" });
    const plan = await readFile(path.join(folder, "plan.json"), "utf8");
    assert.deepEqual(JSON.parse(plan), { steps: [1, 2] });
    await run("openOutput", { crew, kickoffId: "k-1" });
    await writeFile(file, "before");
    const fromTab = await withPerson(["escape"], () => run("saveOutput"));
    assert.equal(path.basename(fromTab.shown[0]?.value ?? ""), "k-1 - result.md");
    assert.equal(
      await readFile(file, "utf8"),
      "before",
      "nothing is written where the person leaves",
    );
  });

  it("request the crew's raw response once, also after the end, and show it unchanged, without the token", async () => {
    const before = server.requests.length;
    const answer = {
      ...completed,
      result: { output: "The end." },
      echoed: `Bearer ${token}`,
      huge: 1,
      own_member: [null, "ü"],
    };
    server.next(
      text(200, JSON.stringify(answer).replace('"huge":1', '"huge":12345678901234567890'), {
        "content-type": "application/json",
      }),
    );
    const address = path_(await openAnswer());
    assert.match(
      address,
      /\/outputs\/[^/]+\/status at \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.\d{3}\.json$/,
    );
    assert.deepEqual(
      server.requests.slice(before).map(({ method, path: asked }) => `${method} ${asked}`),
      ["GET /k-1/status"],
    );
    const shown = active()!.getText();
    assert.match(shown, /\n {2}"huge": 12345678901234567890/);
    assert.match(shown, /"own_member": \[\n {4}null,\n {4}"ü"/);
    assert.ok(!shown.includes(token));
    assert.equal(statSync(active()!.uri.fsPath).mode & 0o777, 0o444);
  });

  it("show a response that is an error, and report it", async () => {
    server.next(json(404, { error: "Execution not found", message: `No execution with ${token}` }));
    await assert.rejects(openAnswer(), /not/);
    assert.match(active()!.uri.path, /\/status 404 at /);
    assert.equal(
      active()!.getText(),
      '{\n  "error": "Execution not found",\n  "message": "No execution with [token]"\n}\n',
    );
    server.next(text(200, "<html>[x](command:y)"));
    await assert.rejects(openAnswer(), /does not return what the Crew Execution API does/);
    assert.equal(active()!.getText(), "<html>[x](command\\:y)\n");
  });
});
