import assert from "node:assert/strict";
import { person, program } from "../../src/actions/asker.ts";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { systemClock } from "../../src/base/clock.ts";
import { FlowWebhooks } from "../../src/callbacks/flow-webhooks.ts";
import { deleteLocalData } from "../../src/actions/delete-local-data.ts";
import { watchClearing } from "../../src/actions/register.ts";
import { Crews } from "../../src/crews/crews.ts";
import { Executions } from "../../src/executions/executions.ts";
import { sendersOf } from "../../src/sending/senders.ts";
import { Database } from "../../src/store/database.ts";
import { resumeSending, resumeUnanswered } from "../../src/executions/resumes.ts";
import { Drafts } from "../../src/executions/drafts.ts";
import { formMemory } from "../../src/kickoff/form/memory.ts";
import { initialValues } from "../../src/kickoff/form/values.ts";
import { openKept } from "../../src/kickoff/form/forms.ts";
import { ProjectRecords } from "../../src/local/records.ts";
import { modelsOf } from "../../src/models/models.ts";
import { LocalCrews } from "../../src/local/local-crews.ts";
import { Arrangement } from "../../src/views/tree/arrangement.ts";
import { endsOf } from "../support/ends.ts";
import { temporaryFolder } from "../support/folders.ts";
import { noAddresses } from "../support/secret-memory.ts";
import { sendOpenly } from "../unit/sending/window.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { set } from "./extension.ts";
import { MemoryMemento, MemorySecrets } from "./memory.ts";
import { withPerson } from "./scripted-person.ts";

const fail = (message: string, error: unknown) => assert.fail(`${message} ${String(error)}`);
const log = { problem: fail };
const clock = systemClock;
const unconfirmed = (localId: string) =>
  notWaiting({
    localId,
    kickoffIds: [],
    state: "unconfirmed",
    startedAt: new Date().toISOString(),
  });

interface Deleted {
  readonly executions: number;
  readonly localCrews: number;
  readonly crews: number;
  readonly notDeleted: readonly { readonly path: string; readonly reason: string }[];
}

describe("Deleting local data", () => {
  type Window = ReturnType<typeof openWindow>;
  const extension = vscode.extensions.getExtension("crewdeck.crewdeck")!.extensionUri;
  let folder: string;
  let secrets: MemorySecrets;

  beforeEach(() => {
    folder = temporaryFolder("data");
    secrets = new MemorySecrets();
  });

  afterEach(async () => {
    await set("crews", undefined);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const atEnd = endsOf(afterEach);

  /** A window with the shared folder and secrets and its own memory. */
  const openWindow = () => {
    const globalState = new MemoryMemento();
    const storage = vscode.Uri.file(folder);
    const workspaceState = new MemoryMemento();
    const crews = new Crews({ secrets, globalState });
    const database = new Database({ folder, clock, log });
    database.setVisible(true);
    const executions = new Executions({ database, clock, crews, log, keepEnded: () => 0 });
    const { store, leader, poller } = executions;
    const locals = new LocalCrews({
      ...{ crews, database, storage, extension },
      hasOpenExecutions: () => false,
      titleOf: () => undefined,
      models: () => Promise.resolve(modelsOf({ secrets, globalState })),
    });
    const sending = sendersOf({
      ...{ database, store, leader, poller, clock, log, storage: secrets, addresses: noAddresses },
      crews: { client: () => assert.fail("Nothing is sent here.") },
    });
    const flows = new FlowWebhooks({
      ...{ database, store, clock, crews, log, storage: secrets },
      onRefused: () => assert.fail("No request is sent here."),
    });
    executions.open(() => (sending.begin(), Promise.resolve()));
    const closed: string[] = [];
    const context = { globalState, globalStorageUri: storage, secrets };
    const forms = { closeAll: () => Promise.resolve(void closed.push("forms")) };
    const tree = {
      arrangement: new Arrangement(workspaceState, () => undefined),
    };
    const clearing = watchClearing({ store, context, forms, tree });
    for (const part of [database, crews, executions, sending, locals, clearing])
      atEnd(() => part.dispose());
    const parts = {
      ...{ database, crews, executions, sending, locals, tree },
      ...{ context, forms },
      callbacks: () => Promise.resolve({ flows, forgetRoutes: () => Promise.resolve() }),
    };
    return {
      ...{ database, crews, executions, sending, locals, tree },
      ...{ globalState, workspaceState, flows, closed },
      ask: () => deleteLocalData(parts, undefined, person),
      delete: (what: string) => deleteLocalData(parts, { what }, program) as Promise<Deleted>,
    };
  };

  const url = "https://hook.test/x";
  const callbacks = { humanInputWebhook: { url, authentication: { strategy: "bearer" } } } as const;
  const authentication = { strategy: "bearer", token: "callback-secret" } as const;
  const add = async (
    { executions, sending }: Pick<Window, "executions" | "sending">,
    localId: string,
  ) => {
    const request = { inputs: { topic: "tea" }, callbacks };
    executions.store.add(notWaiting({ localId, kickoffIds: [localId], request }));
    await sending.secrets.keep(localId, { humanInputWebhook: { url, authentication } });
  };

  const fill = async (window: Window) => {
    const deployed = {
      name: "Deployed",
      url: "https://deployed.test",
      token: "organisation-token",
    };
    await window.crews.add(deployed, { untested: true });
    for (const localId of ["one", "two"]) await add(window, localId);
    window.executions.store.update("one", (execution) => execution, [
      { id: "e", type: "task_completed", at: 0, text: "a mark" },
    ]);
    window.executions.store.claim("waiting-one-review-1", "one");
    await sendOpenly(
      window.sending.outbox,
      { kind: "kickoff", localId: "gone" },
      () => undefined,
      () => Promise.resolve(),
    );
    const { database } = window;
    const crewId = "url:https://deployed.test";
    await openKept(database, vscode.Uri.file(folder)).save(crewId, "Mine", { inputs: {} });
    database.run("INSERT INTO crew_values VALUES ('callbacks', 'url:a', '[\"a mark\"]')");
    const target = { localId: "one", taskId: "review", attempt: 1 };
    new Drafts(database, fail).keep({ ...target, text: "Shorter", at: "2026-10-21T12:00:00.000Z" });
    formMemory(database, fail).saveDraft(crewId, { id: "d", values: initialValues([]) });
    const result = path.join(folder, "outputs", "one", "result.md");
    await mkdir(path.dirname(result), { recursive: true });
    await writeFile(result, "large");
    await chmod(result, 0o444);
    await writeFile(path.join(folder, "crewdeck.db.corrupt-1"), "secret topic");
    await window.globalState.update("crewdeck.remembered", "a mark");
    await window.tree.arrangement.groupBy("day");
  };

  const databaseFiles = ["", "-wal", "-shm", "-lock"].map((ending) => `crewdeck.db${ending}`);
  /** All files except the database's, by their paths in the folder. */
  const files = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter((name) => !databaseFiles.includes(name));
  const tablesWithRows = ({ database }: { readonly database: Database }) =>
    database
      .all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .map(({ name }) => String(name))
      .filter((name) => database.get(`SELECT 1 FROM ${name}`) !== undefined);

  it("leaves nothing of executions, saved values, drafts, forms, local crews, connected crews and secrets", async () => {
    const window = openWindow();
    await fill(window);
    const local = await window.locals.start({
      folder: vscode.Uri.joinPath(extension, "media", "example-crew").fsPath,
    });
    await waitFor("the leader", () => window.executions.leader.isThisWindow);
    await leaveToken(window);
    await secrets.store("crewdeck.otlpHeaders", "{}");
    await window.flows.setSecret("url:https://deployed.test", "feedback-secret");
    assert.equal(secrets.kept.size, 7);
    const deleted = await window.delete("everything");
    assert.deepEqual(deleted, { executions: 2, localCrews: 1, crews: 1, notDeleted: [] });
    assert.deepEqual([...secrets.kept.keys()], []);
    assert.deepEqual([window.globalState.keys(), window.workspaceState.keys()], [[], []]);
    const settings = vscode.workspace.getConfiguration("crewdeck");
    assert.equal(settings.inspect("crews")?.globalValue, undefined);
    assert.deepEqual(
      [window.crews.list(), window.executions.store.list(), window.executions.leader.isThisWindow],
      [[], [], false],
    );
    assert.deepEqual(window.closed, ["forms"]);
    await assert.rejects(fetch(local!.url), "its service has ended");
    assert.deepEqual(await files(), []);
    assert.deepEqual(tablesWithRows(window), ["clearings", "machine", "revisions"]);
    for (const name of databaseFiles)
      assert.doesNotMatch(
        await readFile(path.join(folder, name), "latin1"),
        /tea|a mark|Shorter|hook\.test|deployed\.test/,
        name,
      );
  });

  const leavesNothing = async (window: Window, state: vscode.Memento = window.globalState) => {
    assert.deepEqual((await window.delete("everything")).notDeleted, []);
    assert.deepEqual([[...secrets.kept.keys()], state.keys()], [[], []]);
  };
  /** Lets no secret be deleted whose key ends so. @returns a function that allows it */
  const lock = (ending: string) => {
    const original = secrets.delete.bind(secrets);
    const isLocked = () => Promise.reject(new Error("The keychain is locked."));
    secrets.delete = (key) => (key.endsWith(ending) ? isLocked() : original(key));
    return () => (secrets.delete = original);
  };

  /** Stores the token of a crew that was removed from the settings by hand. */
  const leaveToken = ({ crews }: Window) =>
    crews.setToken("url:https://forgotten.test", { token: "forgotten-token", type: "userBearer" });

  it("continues with other tokens if one can't be deleted, reports it, and finds it again", async () => {
    const window = openWindow();
    await leaveToken(window);
    await fill(window);
    const unlock = lock("forgotten.test");
    const { notDeleted } = await window.delete("everything");
    const reason =
      "The tokens of url:https://forgotten.test are still here: The keychain is locked.";
    assert.deepEqual(notDeleted, [{ path: "crewdeck.crews", reason }]);
    assert.deepEqual([...secrets.kept.keys()], ["crewdeck.token.url:https://forgotten.test"]);
    unlock();
    await leavesNothing(window);
  });

  const questionOf = async ({ ask }: Window) =>
    (await withPerson(["escape"], ask)).shown[0]?.detail ?? "";

  const noteLocal = ({ database }: Window, uri: string) =>
    new ProjectRecords(database, path.join(folder, "local")).write({
      ...{ folder: uri, name: "Crew", port: 0, wanted: false },
    });

  it("counts and removes a local crew whose folder is gone", async () => {
    const window = openWindow();
    noteLocal(window, vscode.Uri.file(path.join(folder, "gone")).toString());
    await window.locals.refresh();
    assert.deepEqual(window.locals.list(), []);
    assert.equal((await window.delete("data")).localCrews, 1);
    assert.deepEqual(
      (await files()).filter((name) => name.startsWith("local")),
      [],
    );
  });

  it("warns that what may have been sent can be sent again, only if there is any", async () => {
    const window = openWindow();
    const { store } = window.executions;
    const question = () => questionOf(window);
    const guard =
      /may have been sent without a response: the record that prevents sending it a second time is deleted, too\./;
    store.add(anExecution({ localId: "waits" }));
    assert.doesNotMatch(await question(), guard);
    const output = { taskId: "review", attempt: 1 };
    const feedback = { isApprove: true, text: "Good", at: "2026-10-21T12:02:00.000Z" };
    store.update("waits", (execution) =>
      resumeUnanswered(resumeSending(execution, output, feedback), output),
    );
    assert.match(await question(), guard);
    store.remove("waits");
    store.add(unconfirmed("lost"));
    assert.match(await question(), guard);
  });

  it("keeps connected crews with their tokens if only data is deleted", async () => {
    const window = openWindow();
    await fill(window);
    const deleted = await window.delete("data");
    assert.deepEqual([deleted.crews, deleted.notDeleted], [0, []]);
    assert.deepEqual([...secrets.kept.keys()], ["crewdeck.token.url:https://deployed.test"]);
    const kept = await window.crews.token("url:https://deployed.test");
    assert.equal(kept?.token, "organisation-token");
    assert.deepEqual(
      [window.globalState.keys(), window.workspaceState.keys()],
      [["crewdeck.storedTokens"], []],
    );
    assert.deepEqual(await files(), []);
  });

  it("is noticed by other windows, which write nothing back and keep working", async () => {
    const [window, other] = [openWindow(), openWindow()];
    await fill(window);
    await other.globalState.update("crewdeck.remembered", "a mark");
    await waitFor("the other window", () => other.executions.store.list().length === 2);
    await waitFor(
      "a leader",
      () => window.executions.leader.isThisWindow || other.executions.leader.isThisWindow,
    );
    // It hasn't noticed the deletion yet and is about to write.
    const late = window
      .delete("everything")
      .then(() =>
        other.executions.store.update("one", (execution) => ({ ...execution, label: "back" })),
      );
    assert.equal(await late, undefined);
    await waitFor(
      "the other window to forget",
      () => other.closed.length > 0 && other.globalState.keys().length === 0,
    );
    await waitFor(
      "the other window to rest",
      () => other.database.get("SELECT 1 FROM lease") === undefined,
    );
    assert.deepEqual([other.executions.store.list(), await files()], [[], []]);
    assert.deepEqual(tablesWithRows(other), ["clearings", "machine", "revisions"]);
    await add(other, "three");
    await waitFor("both to see what is new", () =>
      [window, other].every(({ executions }) => executions.store.list()[0]?.localId === "three"),
    );
    await waitFor(
      "one of them to watch",
      () => window.executions.leader.isThisWindow || other.executions.leader.isThisWindow,
    );
  });

  /** Starts a kickoff. @returns a function that ends it */
  const addKickoffUnderWay = ({ executions: { store }, sending }: Window): (() => void) => {
    let end: () => void = () => undefined;
    void sendOpenly(
      sending.outbox,
      { kind: "kickoff", localId: "starts" },
      () => store.add(unconfirmed("starts")),
      () => new Promise<void>((resolve) => (end = resolve)),
    );
    return () => end();
  };

  it("fails while a kickoff or feedback is being sent, but not for one that may have been sent", async () => {
    const window = openWindow();
    const { store } = window.executions;
    const { outbox } = window.sending;
    const end = addKickoffUnderWay(window);
    await assert.rejects(window.delete("data"), /is being sent to “Writers”.*Nothing was deleted/);
    end();
    store.remove("starts");
    store.add(anExecution({ localId: "waits" }));
    const target = { taskId: "review", attempt: 1 };
    const feedback = { isApprove: true, text: "Good", at: new Date().toISOString() };
    void sendOpenly(
      outbox,
      { kind: "resume", localId: "waits", ...target },
      () => store.update("waits", (execution) => resumeSending(execution, target, feedback)),
      () => new Promise(() => undefined),
    );
    await assert.rejects(window.delete("data"), /is being sent to “Writers”/);
    assert.equal(store.list().length, 1);
    store.remove("waits");
    // Its request ended without a response.
    await sendOpenly(
      outbox,
      { kind: "kickoff", localId: "lost" },
      () => store.add(unconfirmed("lost")),
      () => Promise.resolve(),
    );
    assert.deepEqual((await window.delete("data")).notDeleted, []);
  });

  it("reports what could not be deleted and why, and deletes the rest", async () => {
    const window = openWindow();
    await fill(window);
    const dataFolder = path.join(folder, "local", "busy");
    const error = new Error("It still runs in another window.");
    Object.assign(window.locals, { removeAll: () => Promise.resolve([{ dataFolder, error }]) });
    await mkdir(dataFolder, { recursive: true });
    await writeFile(path.join(dataFolder, "data.db"), "in use");
    lock("callbacks.one");
    const { notDeleted } = await window.delete("everything");
    assert.deepEqual(notDeleted, [
      { path: path.join(folder, "crewdeck.db"), reason: "The keychain is locked." },
      { path: dataFolder, reason: error.message },
    ]);
    assert.deepEqual([...secrets.kept.keys()], ["crewdeck.callbacks.one"]);
    assert.deepEqual(await files(), [path.join("local", "busy", "data.db")]);
    assert.deepEqual(
      window.database.all("SELECT * FROM callback_secrets").map((row) => row["local_id"]),
      ["one"],
      "the mark stays, so that the secret is deleted later",
    );
  });
});
