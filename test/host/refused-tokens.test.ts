import assert from "node:assert/strict";
import { askerOf } from "../../src/actions/asker.ts";
import * as vscode from "vscode";
import { CrewApiError } from "../../src/api/errors.ts";
import type { Crew } from "../../src/crews/types.ts";
import { refresh as refreshCommand } from "../../src/actions/executions.ts";
import { offer } from "../../src/base/errors.ts";
import { refusedToken, watchRefusedTokens } from "../../src/views/notifications.ts";
import { testDatabase } from "../support/database.ts";
import { waitFor } from "../support/wait.ts";
import { anExecution, working } from "../unit/executions/samples.ts";
import { Scene } from "../unit/executions/poller-support.ts";
import { crewsOf, targetsIn } from "./execution-parts.ts";

const crew: Crew = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };

interface Park {
  readonly crew: Crew;
  readonly error: CrewApiError;
}

describe("a crew that refuses its token while it is watched", () => {
  const { showErrorMessage } = vscode.window;
  let machine: ReturnType<typeof testDatabase>;
  let shown: string[][];
  let tokenChanged: vscode.EventEmitter<string>;
  let windows: {
    readonly refused: vscode.Disposable;
    readonly refusals: vscode.EventEmitter<Park>;
  }[];
  const error = new CrewApiError({
    kind: "unauthorized",
    status: 401,
    tokenType: "userBearer",
    message: "No.",
    remedy: "Set it.",
  });

  beforeEach(() => {
    machine = testDatabase();
    shown = [];
    tokenChanged = new vscode.EventEmitter();
    const crews = { onDidChangeToken: tokenChanged.event };
    Object.assign(vscode.window, {
      showErrorMessage: (...said: string[]) => (shown.push(said), Promise.resolve("Ran")),
    });
    windows = [1, 2].map(() => {
      const refusals = new vscode.EventEmitter<Park>();
      const poller = {
        onDidRefuse: refusals.event,
        refusingCrews: () => new Map([[crew.id, error]]),
      };
      return {
        refusals,
        refused: watchRefusedTokens(poller, { confirm: () => true }, crews, machine.database),
      };
    });
  });

  afterEach(() => {
    for (const { refused } of windows) refused.dispose();
    machine.end();
    Object.assign(vscode.window, { showErrorMessage });
  });

  it("is reported once, in one window, with the kind of token and buttons that work", async () => {
    const ran: unknown[] = [];
    const command = vscode.commands.registerCommand(
      "crewdeck-test.replaceToken",
      (argument: unknown) => ran.push(argument),
    );
    try {
      offer(error, [
        {
          title: "Ran",
          command: "crewdeck-test.replaceToken",
          arguments: [{ crew: crew.id, tokenType: "userBearer" }],
        },
        { title: "Other", command: "crewdeck-test.other" },
      ]);
      for (const { refusals } of windows) refusals.fire({ crew, error });
      await waitFor("the button's command", () => ran.length > 0);
      for (const { refusals } of windows) refusals.fire({ crew, error });
      assert.deepEqual(shown, [
        [
          "“Writers” no longer accepts its token (User Bearer Token), so its executions are not watched.",
          "Ran",
          "Other",
        ],
      ]);
      assert.deepEqual(ran, [{ crew: crew.id, tokenType: "userBearer" }]);
      tokenChanged.fire(crew.id);
      for (const { refusals } of windows) refusals.fire({ crew, error });
      await waitFor("the report of the next token", () => shown.length === 2);
    } finally {
      command.dispose();
    }
  });
});

describe("Refreshing crews that refuse their token", () => {
  const refused = new CrewApiError({
    kind: "unauthorized",
    status: 401,
    message: "The token is refused.",
    remedy: "Set it.",
  });
  const other = { id: "url:https://other.test", name: "Other", url: "https://other.test" };
  let scene: Scene;

  beforeEach(async () => {
    scene = new Scene(() => refused);
    // Another window polls, so only the person's requests are sent here.
    scene.leader.isThisWindow = false;
    scene.poller.start();
    for (const number of [1, 2, 3])
      scene.store.put(anExecution({ localId: `e${number}`, kickoffIds: [`k${number}`] }));
    scene.store.put(anExecution({ localId: "o1", kickoffIds: ["ok1"], crew: other }));
    for (const localId of ["e1", "o1"]) await scene.poller.pollNow(localId);
    assert.equal(scene.poller.refusingCrews().size, 2);
    scene.asked.length = 0;
  });

  afterEach(() => scene.poller.dispose());

  const refresh = async (argument?: unknown) => {
    const store = {
      list: scene.store.list,
      find: scene.store.find,
      refresh: () => Promise.resolve(),
    };
    const crews = crewsOf(anExecution().crew, other);
    const parts = { crews, store, targets: targetsIn(store, crews), poller: scene.poller };
    await refreshCommand(parts, argument, askerOf(argument));
  };
  const asked = () => scene.asked.splice(0).map(({ kickoffId }) => kickoffId);
  const crewRow = { kind: "crew", crew: anExecution().crew.id };

  it("sends the token of the row's crew once, and reports that it is still refused in the words of the watching window, which VS Code shows once", async () => {
    const said = refusedToken(anExecution().crew, refused).message;
    await assert.rejects(
      refresh({ kind: "execution", crew: anExecution().crew.id, kickoffId: "k2" }),
      { message: said },
    );
    assert.deepEqual(asked(), ["k2"]);
    await assert.rejects(refresh(crewRow), { message: said });
    assert.equal(asked().length, 1);
    await refresh({ crew: anExecution().crew.id });
    assert.equal(asked().length, 1, "a program sees it in the execution");
  });

  it("polls all of the crew's executions when its token is accepted again, and none of the other crew's", async () => {
    scene.answer = () => working("a", 0);
    await refresh(crewRow);
    assert.deepEqual(
      [asked().sort(), [...scene.poller.refusingCrews().keys()]],
      [["k1", "k2", "k3"], [other.id]],
    );
  });

  it("doesn't report a refused token if nothing is watched; the next request does", async () => {
    for (const number of [1, 2, 3]) scene.store.remove(`e${number}`);
    await refresh(crewRow);
    assert.deepEqual([asked(), [...scene.poller.refusingCrews().keys()]], [[], [other.id]]);
  });
});
