import assert from "node:assert/strict";
import * as vscode from "vscode";
import { systemClock } from "../../src/base/clock.ts";
import { actionsOf, UserError } from "../../src/base/errors.ts";
import type { Callbacks } from "../../src/callbacks/callbacks.ts";
import { callbackVerbs } from "../../src/actions/callbacks.ts";
import { receiveCallbacks } from "../../src/crews/receiving.ts";
import type { KickoffForms } from "../../src/kickoff/form/forms.ts";
import { CallbackReceiver } from "../support/callback-receiver.ts";
import { waitFor } from "../support/wait.ts";
import { deployedCrew } from "../unit/callbacks/support.ts";
import { anExecution } from "../unit/executions/samples.ts";
import { Windows } from "../unit/executions/windows.ts";
import { executionParts, runIn } from "./execution-parts.ts";
import { set } from "./extension.ts";
import { MemorySecrets } from "./memory.ts";
import { restoredForm } from "./restored-form.ts";
import { withPerson } from "./scripted-person.ts";
import { eachWithViewParts, type ViewParts } from "./view-parts.ts";

const setWay = (name: "publicUrl" | "relay", value: string | undefined) =>
  set(`callbacks.${name}`, value);

/** What buttons ran, in place of the commands themselves. */
function eachWithRecordedCommands(): unknown[][] {
  const ran: unknown[][] = [];
  const { executeCommand } = vscode.commands;
  const recording = (command: string, ...rest: unknown[]) =>
    /^crewdeck\.testCallbacks$|^workbench\.action\.open.*Settings$/.test(command)
      ? Promise.resolve(void ran.push([command, ...rest]))
      : executeCommand(command, ...rest);
  beforeEach(() => {
    ran.length = 0;
    Object.assign(vscode.commands, { executeCommand: recording });
  });
  afterEach(() => void Object.assign(vscode.commands, { executeCommand }));
  return ran;
}

describe("The notification that callbacks don't arrive", () => {
  const ran = eachWithRecordedCommands();
  let windows: Windows;
  let callbacks: Callbacks;
  let database: ReturnType<Windows["openBoth"]>["database"];
  let localId: string;

  beforeEach(() => {
    windows = new Windows();
    const window = windows.openBoth(systemClock);
    const { store } = window;
    ({ database } = window);
    ({ localId } = store.add(anExecution({ crew: deployedCrew })));
    callbacks = receiveCallbacks({
      ...{ store, database, clock: systemClock, userAgent: "test" },
      secrets: new MemorySecrets(),
      crews: { find: () => deployedCrew },
      poll: () => Promise.resolve(),
      log: { problem: () => undefined },
    });
  });

  afterEach(async () => {
    callbacks.dispose();
    for (const name of ["publicUrl", "relay"] as const) await setWay(name, undefined);
  });

  /** Presses a button of the notification that an action leads to, and returns what was shown. */
  async function press(button: string, action: () => unknown) {
    const { shown } = await withPerson([{ press: button, isNotification: true }], async () => {
      await action();
      await waitFor("the button's command", () => ran.length > 0);
    });
    return shown.find(({ choices }) => choices?.includes(button));
  }

  it("because another program has the port offers a test and another port", async () => {
    const program = new CallbackReceiver();
    program.behave = (response) => response.writeHead(404).end();
    await program.start();
    try {
      database.run("INSERT INTO receiver VALUES (1, ?)", program.port);
      await setWay("publicUrl", `http://127.0.0.1:${program.port}`);
      const kickOff = () => callbacks.for(deployedCrew, localId);
      const shown = await press("Use Another Port", kickOff);
      assert.match(shown?.text ?? "", RegExp(`^Another program uses the port ${program.port},`));
      assert.deepEqual(shown?.choices, ["Test Callbacks", "Use Another Port"]);
      assert.deepEqual(ran.splice(0), [
        ["crewdeck.testCallbacks", { by: "person", isNewPort: true }],
      ]);
      await press("Test Callbacks", kickOff);
      assert.deepEqual(ran, [["crewdeck.testCallbacks"]]);
    } finally {
      await program.stop();
    }
  });
});

describe("The test of callbacks", () => {
  const ran = eachWithRecordedCommands();
  let parts: ViewParts;
  eachWithViewParts((made) => (parts = made));
  let forms: KickoffForms;
  let hasWay: boolean;
  afterEach(() => forms.dispose());

  /** The form of a deployed crew, with its line that the crew may need a person and no callback can come. */
  function open() {
    hasWay = false;
    const tested: string[] = [];
    const test = (crewId: string) => tested.push(crewId);
    const form = restoredForm(parts, deployedCrew, () => hasWay, undefined, test);
    ({ forms } = form);
    const isThere = (is: boolean) =>
      waitFor(`the line: ${is}`, () => (form.note("hint") !== undefined) === is);
    return { ...form, isThere, tested };
  }

  function commandsOf(test: () => Promise<{ readonly via: "relay" }>, done: unknown[] = []) {
    const given = executionParts(parts.store);
    return callbackVerbs({
      ...given,
      trackExecution: () => assert.fail("tracked"),
      forms: {
        advise() {
          forms.advise();
          return Promise.resolve();
        },
      },
      callbacks: () =>
        Promise.resolve({
          take: () => undefined,
          test,
          forFlows: ({ id }) => (done.push(id), Promise.resolve("https://flows.test")),
          flows: { setSecret: (...given) => Promise.resolve(void done.push(given)) },
        }),
    });
  }

  it("leads to its further entries also when it fails", async () => {
    open();
    const done: unknown[] = [];
    const { crew } = anExecution();
    const fails = () => Promise.reject(new UserError("They don't arrive."));
    const commands = commandsOf(fails, done);
    const error: unknown = await runIn(commands, "testCallbacks", {
      kind: "crew",
      crew: crew.id,
    }).catch((reason: unknown) => reason);
    const [settings, more] = actionsOf(error);
    assert.deepEqual([settings?.title, more?.title], ["Open Settings", "More…"]);
    assert.equal(more?.command, "crewdeck.testCallbacks");
    const { shown } = await withPerson([{ pick: "Copy Feedback Webhook Address" }], () =>
      runIn(commands, "testCallbacks", more.arguments?.[0]),
    );
    assert.deepEqual(shown[0]?.choices, [
      "Copy Feedback Webhook Address",
      "Set Feedback Secret…",
      "Paste Received Callback…",
    ]);
    assert.deepEqual(shown[1]?.choices, ["Set Feedback Secret…"]);
    assert.equal(await vscode.env.clipboard.readText(), "https://flows.test");
    const moves = [{ pick: "Set Feedback Secret…" }, { type: " " }, { type: "whsec" }];
    const asked = await withPerson(moves, () =>
      runIn(commands, "testCallbacks", more.arguments?.[0]),
    );
    assert.equal(asked.shown[1]?.complaint, "Enter the secret.");
    assert.deepEqual(done, [crew.id, [crew.id, "whsec"]]);
  });

  it("is offered by a line of the form, which goes when a test has asked for what was missing", async () => {
    const { isThere, press, tested } = open();
    await isThere(true);
    press("Set Up Callbacks…");
    press("Test Callbacks");
    await waitFor("both", () => ran.length === 1 && tested.length === 1);
    const kind = vscode.env.remoteName === undefined ? "" : "Remote";
    assert.deepEqual(ran, [
      [`workbench.action.open${kind}Settings`, { query: "crewdeck.callbacks" }],
    ]);
    assert.deepEqual(tested, [deployedCrew.id]);
    const commands = commandsOf(() => ((hasWay = true), Promise.resolve({ via: "relay" })));
    await runIn(commands, "testCallbacks", {});
    await isThere(false);
  });

  it("is no longer offered when the person has set up a way, and for good when they hide the line", async () => {
    const { isThere, press } = open();
    await isThere(true);
    hasWay = true;
    await setWay("publicUrl", "https://tunnel.test");
    await isThere(false);
    hasWay = false;
    await setWay("publicUrl", undefined);
    await isThere(true);
    press("Don't Show Again");
    await isThere(false);
  });
});
