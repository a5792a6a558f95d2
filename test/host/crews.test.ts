import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import { connectCrew } from "../../src/crews/connect.ts";
import type { Crews } from "../../src/crews/crews.ts";
import { MissingTokenError } from "../../src/crews/errors.ts";
import type { CrewReplacement } from "../../src/crews/types.ts";
import { actionsOf, UserError } from "../../src/base/errors.ts";
import { waitFor } from "../support/wait.ts";
import type { MemorySecrets } from "./memory.ts";
import { set, withReplaced } from "./extension.ts";
import { eachWithSmallCrews, type SmallCrew } from "./small-crew.ts";

const savedCrews = (): unknown =>
  vscode.workspace.getConfiguration("crewdeck").inspect("crews")?.globalValue;

describe("connected crews", () => {
  let crew: SmallCrew;
  let other: SmallCrew;
  let secrets: MemorySecrets;
  let crews: Crews;
  const entry = (name: string, url = crew.url) => ({ name, url });
  const secretOf = (url: string) => secrets.kept.get(`crewdeck.token.url:${url}`);
  const names = () => crews.list().map(({ name }) => name);
  const addTravel = () => crews.add({ ...entry("Travel"), token: "right" });
  const right = { token: "right", type: "bearer" } as const;

  eachWithSmallCrews((fresh) => ({ crew, other, secrets, crews } = fresh));

  it("saves a crew that responds: the address in the user settings, the token only in SecretStorage", async () => {
    let changes = 0;
    crews.onDidChange(() => changes++);
    const added = await crews.add({
      name: "Travel",
      url: ` ${crew.url}/kickoff `,
      token: "Bearer right",
      tokenType: "userBearer",
    });
    assert.deepEqual(added, { id: `url:${crew.url}`, name: "Travel", url: crew.url });
    assert.deepEqual(savedCrews(), [entry("Travel")]);
    assert.deepEqual(crews.list(), [added]);
    assert.ok(changes > 0, "a change is reported");
    assert.deepEqual(await crews.token(added.id), { token: "right", type: "userBearer" });
    assert.ok(!JSON.stringify(savedCrews()).includes("right"));
  });

  it("saves nothing when the crew refuses the token", async () => {
    await assert.rejects(
      crews.add({ ...entry("Travel"), token: "wrong" }),
      (error) => error instanceof CrewApiError && error.kind === "unauthorized",
    );
    assert.equal(savedCrews(), undefined);
    assert.equal(secrets.kept.size, 0);
  });

  it("keeps two crews that are added at the same time", async () => {
    await Promise.all([
      crews.add({ ...entry("One"), token: "right" }),
      crews.add({ ...entry("Two", other.url), token: "right" }),
    ]);
    assert.deepEqual(names().sort(), ["One", "Two"]);
    assert.equal((savedCrews() as unknown[]).length, 2);
  });

  it("keeps a crew that another window overwrites when it adds its own, but not one that the other window removes", async () => {
    await crews.add({ ...entry("One"), token: "right" });
    // Written by a window that hasn't noticed the first crew yet.
    await set("crews", [entry("Two", other.url)]);
    await waitFor("both to be there", () => names().sort().join() === "One,Two");
    await set("crews", [entry("Two", other.url)]);
    await set("crews", [entry("Two", other.url), entry("Three", `${other.url}/v3`)]);
    await waitFor("the third to be there", () => crews.find("Three") !== undefined);
    assert.equal(crews.find("One"), undefined);
  });

  it("reports that this machine has no token if only the settings were synced", async () => {
    await set("crews", [entry("Synced")]);
    const synced = crews.get("Synced");
    await assert.rejects(crews.inputs(synced), (error) => {
      assert.ok(error instanceof MissingTokenError);
      return error.message.includes("There is no token for “Synced” on this machine");
    });
    assert.equal(crew.tokens.length, 0);
    await crews.setToken(synced.id, right);
    assert.equal((await crews.inputs(synced)).fields.length, 2);
  });

  it("reads the token for each request", async () => {
    const added = await addTravel();
    const client = await crews.client(added);
    await client.inputs();
    await secrets.store(
      `crewdeck.token.${added.id}`,
      JSON.stringify({ inUse: "bearer", bearer: "changed-elsewhere" }),
    );
    await assert.rejects(client.inputs(), /./);
    assert.deepEqual(crew.tokens.slice(-2), ["Bearer right", "Bearer changed-elsewhere"]);
    await crews.setTokens(added.id, undefined);
    await assert.rejects(client.inputs(), MissingTokenError);
  });

  it("distinguishes a missing, invalid or unreadable secret from a refused token, before any request", async () => {
    const added = await addTravel();
    const asked = crew.tokens.length;
    const losses: readonly (() => unknown)[] = [
      () => secrets.kept.clear(),
      () => secrets.store(`crewdeck.token.${added.id}`, "half a secr"),
      () => (secrets.get = () => Promise.reject(new Error("the keychain is locked"))),
    ];
    for (const lose of losses) {
      await lose();
      await assert.rejects((await crews.client(added)).kickoff({ inputs: {} }), (error) => {
        assert.ok(error instanceof MissingTokenError);
        assert.match(
          error.message,
          /^There is no token for “Travel” on this machine\.|^The token of “Travel” can't be read from this machine's secret storage\./,
        );
        assert.ok(!error.message.includes("half"));
        return error.actions.map(({ command }) => command).join() === "crewdeck.setToken";
      });
      assert.match((await crews.tokenState(added.id)).kind, /^(none|locked)$/);
    }
    assert.equal(crew.tokens.length, asked);
    await crews.setToken(added.id, { token: "new", type: "bearer" });
    Reflect.deleteProperty(secrets, "get");
    assert.equal((await crews.token(added.id))?.token, "new");
  });

  it("holds both tokens of a crew, sends the one in use, and deletes both with the crew", async () => {
    const added = await addTravel();
    await assert.rejects(crews.useToken(added, "userBearer"), (error) => {
      assert.match(String(error), /no User Bearer Token/);
      return actionsOf(error)[0]?.command === "crewdeck.setToken";
    });
    await crews.setToken(added.id, { token: "of-the-user", type: "userBearer" });
    await assert.rejects((await crews.client(added)).inputs(), (error) => {
      assert.match(String(error), /does not accept the token/);
      return error instanceof CrewApiError && error.tokenType === "userBearer";
    });
    await crews.useToken(added, "bearer");
    await (await crews.client(added)).inputs();
    assert.deepEqual(crew.tokens.slice(-2), ["Bearer of-the-user", "Bearer right"]);
    const moved = await crews.change(added, { url: `${crew.url}/v2` });
    assert.deepEqual(await crews.tokenState(moved.id), {
      kind: "stored",
      inUse: "bearer",
      types: ["bearer", "userBearer"],
    });
    await crews.remove(moved);
    assert.equal(secrets.kept.size, 0);
    assert.deepEqual(await crews.tokenState(moved.id), { kind: "none" });
  });

  it("reports which crew's token changed", async () => {
    const reported: string[] = [];
    crews.onDidChangeToken((id) => reported.push(id));
    await crews.setToken("url:https://a.example.com", { token: "x", type: "bearer" });
    await secrets.store("another.extension", "y");
    assert.deepEqual(reported, ["url:https://a.example.com"]);
  });

  it("keeps ID and token when a crew is renamed", async () => {
    const added = await addTravel();
    const reported: CrewReplacement[] = [];
    crews.onDidReplace((replacement) => reported.push(replacement));
    const change = { name: "Journeys", dashboardUrl: "https://app.example.com/7" };
    const renamed = await crews.change(added, change);
    assert.deepEqual(renamed, { ...added, ...change });
    assert.deepEqual(crews.list(), [renamed]);
    assert.equal((await crews.token(renamed.id))?.token, "right");
    assert.deepEqual(reported, [{ from: added, to: renamed }]);
    const bare = await crews.change(renamed, { dashboardUrl: "" });
    assert.equal(bare.dashboardUrl, undefined);
    assert.deepEqual(savedCrews(), [entry("Journeys")]);
  });

  it("keeps the token for another path of the same host, never for another host", async () => {
    const added = await addTravel();
    const samePlace = await crews.change(added, { url: `${crew.url}/v2` });
    assert.equal((await crews.token(samePlace.id))?.token, "right");
    assert.equal(secretOf(crew.url), undefined, "the old entry is gone");
    const elsewhere = await crews.change(samePlace, { url: other.url });
    assert.equal(secrets.kept.size, 0);
    await assert.rejects(crews.inputs(elsewhere), MissingTokenError);
    assert.equal(other.tokens.length, 0);
    const back = await crews.change(elsewhere, { url: crew.url, token: right });
    assert.equal((await crews.inputs(back)).fields.length, 2);
    assert.deepEqual(savedCrews(), [entry("Travel")]);
  });

  it("deletes the token with the crew and fires an event", async () => {
    const added = await addTravel();
    const gone: string[] = [];
    crews.onDidRemove(({ id }) => gone.push(id));
    const client = await crews.client(added);
    await crews.remove(added);
    assert.deepEqual(crews.list(), []);
    assert.equal(secrets.kept.size, 0);
    assert.deepEqual(savedCrews(), []);
    assert.deepEqual(gone, [added.id]);
    await assert.rejects(crews.client(added), /is not connected/);
    await assert.rejects(client.inputs(), /is not connected/);
  });

  it("requests the inputs once, and again when fresh ones are required", async () => {
    const added = await addTravel();
    assert.deepEqual(
      (await crews.inputs(added)).fields.map(({ name }) => name),
      ["topic", "audience"],
    );
    await crews.inputs(added);
    const asked = crew.tokens.length;
    await crews.inputs(added, { fresh: true });
    assert.equal(crew.tokens.length, asked + 1);
  });

  it("keeps a malformed entry in the settings, connects the others and reports the problem once", async () => {
    const warnings: string[] = [];
    const showWarningMessage = (text: string) => Promise.resolve(void warnings.push(text));
    await withReplaced(vscode.window, { showWarningMessage }, async () => {
      await set("crews", [{ name: "Half" }, entry("Travel")]);
      const travel = crews.get("Travel");
      await crews.change(travel, { name: "Journeys" });
      assert.deepEqual(savedCrews(), [{ name: "Half" }, entry("Journeys")]);
    });
    // Both the test's crews and the extension's read the settings, and each reports once although the settings changed twice.
    assert.equal(warnings.length, 2);
    for (const warning of warnings) assert.match(warning, /Entry 1 .*needs a name/);
  });

  it("lists local crews under unique names, and sends their token only while they run at the same address", async () => {
    await crews.add({ ...entry("Example"), token: "right" });
    const local = {
      id: "local:file:///example",
      name: "Example",
      url: other.url,
      local: { folder: "file:///example", engine: "rehearsal" as const, running: true },
    };
    crews.setLocal([local]);
    await crews.setToken(local.id, right);
    const listed = crews.get(local.id);
    assert.equal(listed.name, "Example 2");
    assert.deepEqual(savedCrews(), [entry("Example")]);
    const client = await crews.client(listed);
    assert.equal((await client.inputs()).fields.length, 2);
    const asked = other.tokens.length;
    crews.setLocal([{ ...local, local: { ...local.local, running: false } }]);
    await assert.rejects(client.inputs(), (error) => {
      assert.ok(error instanceof UserError);
      assert.equal(error.message, "The local crew “Example 2” is stopped. Start it to continue.");
      const [{ title, command, arguments: given } = {}] = error.actions;
      assert.deepEqual([title, command], ["Serve This Crew", "crewdeck.startLocalCrew"]);
      assert.deepEqual(given, [{ folder: "file:///example" }]);
      return true;
    });
    crews.setLocal([{ ...local, url: crew.url }]);
    await assert.rejects(client.inputs(), UserError);
    assert.equal(other.tokens.length, asked, "nothing went to the port that was left");
    await assert.rejects(crews.remove(listed), /is a local crew/);
  });

  it("refuses a wrong argument of the command with a message for a person, without the token", async () => {
    const url = "https://travel.example.com";
    for (const [wrong, message] of [
      [url, /object/],
      [{ name: 7, url }, /“name” must be a non-empty string/],
      [{ name: "Travel", url, token: "t0ken", tokenType: "basic" }, /“tokenType” must be/],
    ] as const)
      await assert.rejects(connectCrew(crews, wrong), (error) => {
        assert.doesNotMatch(String(error), /t0ken/);
        return error instanceof Error && message.test(error.message);
      });
    assert.equal(savedCrews(), undefined);
  });
});
