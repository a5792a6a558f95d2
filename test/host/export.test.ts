import assert from "node:assert/strict";
import { person } from "../../src/actions/asker.ts";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { activeDocument } from "../../src/editor/execution-uri.ts";
import { systemClock } from "../../src/base/clock.ts";
import { Emitter } from "../../src/base/events.ts";
import { exportVerb } from "../../src/actions/export.ts";
import type { CrewdeckApi } from "../../src/actions/crewdeck-api.ts";
import { headersKey } from "../../src/views/export/endpoint.ts";
import { watchEnds } from "../../src/views/export/register.ts";
import { MisbehavingServer, redirect, text } from "../support/misbehaving-server.ts";
import { temporaryFolder } from "../support/folders.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { crewsOf, noCircumstances, targetsIn } from "./execution-parts.ts";
import { closeEditors, kickOff, run, set, untilState } from "./extension.ts";
import { MemorySecrets } from "./memory.ts";
import { serveAnswers } from "./real-service.ts";
import { type Move, ScriptedPerson, withPerson } from "./scripted-person.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

const extension = vscode.extensions.getExtension<CrewdeckApi>("crewdeck.crewdeck")!;
const secret = "sk-lf-4711";

async function startReceiver(): Promise<MisbehavingServer> {
  const server = await MisbehavingServer.start();
  server.otherwise = text(200, "", { "content-type": "application/x-protobuf" });
  return server;
}

describe("Exporting an execution", () => {
  const crew = "Exports";
  const kickoffId = "e-1";
  let receiver: MisbehavingServer;
  let folder: string;
  let person: ScriptedPerson | undefined;

  const output = "The end.";
  const tasks = [
    { task_id: "research", output: "# Found" },
    { task_id: "plan", output: '{"steps":[1,2]}' },
  ];
  const usage_metrics = { prompt_tokens: 300, completion_tokens: 30, total_tokens: 330 };
  const completed = { status: "completed", result: { output, tasks }, usage_metrics };
  let count = 1;
  serveAnswers(
    crew,
    (path) => (path === "/kickoff" ? { kickoff_id: `e-${++count}` } : completed),
    () => undefined,
    "tok-export",
  );

  before(async () => {
    await run("trackExecution", { crew, kickoffId });
    await untilState(kickoffId, "completed");
  });

  beforeEach(async () => {
    receiver = await startReceiver();
    folder = temporaryFolder("export");
  });

  afterEach(async () => {
    person?.dispose();
    person = undefined;
    await set("otlpEndpoint", receiver.url);
    await setHeaders({});
    await set("otlpEndpoint", undefined);
    await set("otlpContent", undefined);
    await closeEditors();
    await receiver.stop();
    await rm(folder, { recursive: true });
  });

  const does = (...moves: Move[]) => (person = new ScriptedPerson(moves));
  const target = { crew, kickoffId };
  const setHeaders = (headers: object) => run("exportExecution", { format: "headers", headers });
  const send = () => run<{ traceId: string }>("exportExecution", { ...target, format: "endpoint" });
  const rejects = async (promise: Promise<unknown>, message: RegExp) => {
    await assert.rejects(promise, (error: Error) => {
      assert.match(error.message, message);
      return !error.message.includes(secret);
    });
  };

  it("writes a new folder each time, and nothing else in the one that is named", async () => {
    await writeFile(path.join(folder, "e-1"), "mine");
    const write = async (to: string) =>
      vscode.Uri.parse(await run<string>("exportExecution", { ...target, folder: to }));
    const first = await write(folder);
    const second = await write(vscode.Uri.file(folder).toString());
    const names = [first, second].map(({ fsPath }) => path.basename(fsPath));
    assert.deepEqual((await readdir(folder)).sort(), ["e-1", ...names].sort());
    assert.notEqual(names[0], names[1]);
    assert.deepEqual((await readdir(first.fsPath, { recursive: true })).sort(), [
      "execution.md",
      "outputs",
      path.join("outputs", "01-research.md"),
      path.join("outputs", "02-plan.json"),
      "result.md",
      "timeline.svg",
    ]);
    const all = await readFile(path.join(first.fsPath, "execution.md"), "utf8");
    assert.ok(!all.includes("tok-export"));
    assert.equal(await readFile(path.join(folder, "e-1"), "utf8"), "mine");
  });

  it("asks a person for format and folder, and opens the document", async () => {
    const { shown } = does(
      { pick: "Markdown" },
      { open: folder },
      { press: "Open", isNotification: true },
    );
    const { uri } = await openDocument();
    const made = await run<string>("exportExecution", uri);
    assert.deepEqual(shown[0]?.choices, [
      ...["Markdown", "Timeline as Markdown"],
      ...["The crew's answer", "OpenTelemetry spans"],
    ]);
    await waitFor("the exported document", () =>
      vscode.window.activeTextEditor?.document.uri.toString().startsWith(made),
    );
  });

  it("leaves nothing behind if it can't write, and says why", async () => {
    const file = path.join(folder, "file");
    await writeFile(file, "");
    await rejects(run("exportExecution", { ...target, folder: file }), /^Nothing was exported to /);
    assert.deepEqual(await readdir(folder), ["file"]);
  });

  it("writes OpenTelemetry spans to a file, without texts unless they are asked for", async () => {
    const write = async () => {
      const argument = { ...target, folder, format: "opentelemetry" };
      const uri = vscode.Uri.parse(await run<string>("exportExecution", argument));
      assert.match(uri.path, /\.otlp\.jsonl$/);
      return await readFile(uri.fsPath, "utf8");
    };
    const plain = await write();
    assert.match(plain, /^\{"resourceSpans":.*"invoke_workflow Exports".*\}\n$/);
    assert.match(plain, /"gen_ai\.usage\.input_tokens","value":\{"intValue":300\}/);
    assert.doesNotMatch(plain, /The end\./);
    await set("otlpContent", true);
    assert.match(await write(), /The end\./);
  });

  it("sends spans by command, with headers from the secret storage to the endpoint's origin only", async () => {
    await rejects(send(), /must be the address of a receiver of spans/);
    await set("otlpEndpoint", receiver.url);
    const typed = does({ type: "nothing" }, { type: `Authorization=Basic pk-lf-1:${secret}` });
    await run("exportExecution", { kind: "endpoint", format: "headers" });
    assert.match(typed.shown[0]?.complaint ?? "", /Enter NAME=VALUE/);
    typed.dispose();
    const sent = await send();
    assert.match(sent.traceId, /^[\da-f]{32}$/);
    const [{ path: asked, headers, body } = assert.fail("no request")] = receiver.requests;
    const basic = Buffer.from(`pk-lf-1:${secret}`).toString("base64");
    assert.deepEqual(
      [asked, headers["content-type"], headers["authorization"]],
      ["/v1/traces", "application/x-protobuf", `Basic ${basic}`],
    );
    assert.match(String(headers["user-agent"]), /^crewdeck\//);
    assert.match(body, /invoke_workflow Exports/);
    assert.doesNotMatch(body, /The end\./);
    const other = await startReceiver();
    await set("otlpEndpoint", other.url);
    await rejects(send(), /are for http:\/\/127\.0\.0\.1:\d+, .* Nothing was sent/);
    await setHeaders({});
    await send();
    assert.equal(other.requests.length, 1);
    assert.equal(other.requests[0]?.headers["authorization"], undefined);
    const { uri } = await openDocument();
    does({ pick: "Send spans to the OTLP endpoint" });
    await run("exportExecution", uri);
    assert.equal(other.requests.length, 2);
    await other.stop();
  });

  it("says what is wrong with the endpoint, follows no redirect, and repeats no response", async () => {
    await set("otlpEndpoint", receiver.url);
    await setHeaders({ "x-key": secret });
    const other = await startReceiver();
    for (const [behaviour, says] of [
      [
        redirect(307, `${other.url}/v1/traces`),
        /\(HTTP 307\)\. Check that .* is the final address/,
      ],
      [text(401, secret), /headers with the key are missing or wrong/],
      [text(404, secret), /\(HTTP 404\)\. Check that/],
    ] as const) {
      receiver.next(behaviour);
      await rejects(send(), says);
    }
    assert.equal(other.requests.length, 0);
    await other.stop();
  });

  it("sends the spans of an execution that ends here, if there is an endpoint, and asks for no secret otherwise", async () => {
    const runToEnd = async () => {
      const id = await kickOff(crew, { topic: "Sea otters" });
      await untilState(id, "completed");
      return id;
    };
    const before = await runToEnd();
    await set("otlpEndpoint", receiver.url);
    const after = await runToEnd();
    await waitFor("its spans", () => receiver.requests.some(({ body }) => body.includes(after)));
    const bodies = receiver.requests.map(({ body }) => body);
    assert.equal(bodies.filter((body) => body.includes(after)).length, 1);
    assert.doesNotMatch(bodies.join(""), /Sea otters|The end\./);
    assert.ok(!bodies.some((body) => body.includes(before)), "it ended before");
  });

  async function openDocument(): Promise<{ uri: vscode.Uri }> {
    await run("openExecution", target);
    return { uri: await waitFor("the document", activeDocument) };
  }
});

describe("The execution that is exported without being named", () => {
  let parts: ViewParts;
  eachWithViewParts((made) => (parts = made));

  it("is the active editor's, else the timeline's", async () => {
    const { store, show } = parts;
    const [open] = ["open", "drawn"].map((id) =>
      store.add(notWaiting({ localId: id, label: id, kickoffIds: [id], state: "completed" })),
    );
    const exportExecution = exportVerb({
      ...{
        store,
        targets: targetsIn(store),
        context: { extension, secrets: new MemorySecrets() },
        circumstances: noCircumstances,
        clock: systemClock,
      },
      crews: { ...crewsOf(anExecution().crew), client: () => assert.fail("a request") },
      timeline: { shown: "drawn" },
      outputsFolder: "",
    });
    const chosen = async () =>
      (
        await withPerson([{ pick: "Timeline as Markdown" }], () =>
          exportExecution(undefined, person),
        )
      ).result;
    assert.match(String(await chosen()), /^## Timeline of drawn/);
    await show(open!);
    assert.match(String(await chosen()), /^## Timeline of open/);
  });
});

describe("Executions that end", () => {
  let parts: ViewParts;
  let receiver: MisbehavingServer;
  let secrets: MemorySecrets;
  let isThisWindow: boolean;
  const windows: vscode.Disposable[] = [];
  eachWithViewParts((made) => (parts = made));

  beforeEach(async () => {
    [receiver, secrets, isThisWindow] = [await startReceiver(), new MemorySecrets(), true];
  });

  afterEach(async () => {
    for (const window of windows.splice(0)) window.dispose();
    await set("otlpEndpoint", undefined);
    await receiver.stop();
  });

  const openWindow = () => {
    const changes = new Emitter<boolean>((error) => assert.fail(String(error)));
    windows.push(
      watchEnds({
        store: parts.store,
        leader: { isThisWindow, confirm: () => isThisWindow, onDidChange: changes.event },
        clock: systemClock,
        context: { extension, secrets },
      }),
    );
    return changes;
  };
  const end = (localId: string) =>
    parts.store.add(
      notWaiting({
        localId,
        kickoffIds: [localId],
        label: localId,
        state: "completed",
        endedAt: new Date().toISOString(),
      }),
    );
  const sent = (localId: string) =>
    receiver.requests.filter(({ body }) => body.includes(localId)).length;

  it("are sent once, by one window, also after it is opened again", async () => {
    await set("otlpEndpoint", receiver.url);
    openWindow();
    openWindow();
    end("first");
    await waitFor("the spans", () => sent("first") > 0);
    openWindow().fire(true);
    end("second");
    await waitFor("the next spans", () => sent("second") > 0);
    assert.deepEqual([sent("first"), sent("second")], [1, 1]);
  });

  it("are not sent without an endpoint, and no secret is read; nor by a window that does not poll", async () => {
    const read: string[] = [];
    const get = secrets.get.bind(secrets);
    Object.assign(secrets, { get: (key: string) => (read.push(key), get(key)) });
    openWindow();
    end("without");
    isThisWindow = false;
    openWindow();
    await set("otlpEndpoint", receiver.url);
    windows[0]?.dispose();
    end("elsewhere");
    isThisWindow = true;
    openWindow();
    end("here");
    await waitFor("the spans", () => sent("here") > 0);
    assert.deepEqual([sent("without"), sent("elsewhere")], [0, 0]);
    assert.deepEqual(read, [headersKey]);
  });

  it("report a problem once, with what to do, until spans arrive again", async () => {
    const person = new ScriptedPerson([]);
    try {
      await set("otlpEndpoint", receiver.url);
      receiver.next(text(401, ""), text(401, ""));
      openWindow();
      for (const id of ["one", "two", "three", "four"]) end(id);
      await waitFor("the last", () => sent("four") > 0);
      receiver.next(text(404, ""));
      end("five");
      await waitFor("the second message", () => person.shown.length > 1);
    } finally {
      person.dispose();
    }
    assert.deepEqual(
      person.shown.map(({ choices }) => choices),
      [
        ["Send Spans", "Set OTLP Headers…"],
        ["Send Spans", "Open Settings"],
      ],
    );
    const [first] = person.shown;
    assert.match(first?.text ?? "", /^The spans of “one” could not be sent\. .*only logged/);
    assert.match(person.shown[1]?.text ?? "", /“five” .* \(HTTP 404\)/);
  });
});
