import assert from "node:assert/strict";
import { without, type Execution } from "../../src/executions/model.ts";
import { documentLenses } from "../../src/views/document/document-lenses.ts";
import { nextLenses } from "../../src/views/document/next-lenses.ts";
import { anExecution, notWaiting } from "../unit/views/executions.ts";
import { viewParts, type ViewParts } from "./view-parts.ts";

describe("Over the title of an execution's document", () => {
  let parts: ViewParts;

  beforeEach(async () => {
    parts = await viewParts();
  });

  afterEach(() => parts.dispose());

  /** The lenses over an execution's title, each with the argument of its command. */
  async function lensesOf(execution: Execution) {
    const { document } = await parts.show(parts.store.add(execution));
    const lenses = documentLenses(parts.documents, nextLenses).provideCodeLenses(document);
    return lenses.map(({ range, command }) => ({
      line: range.start.line,
      title: command?.title,
      command: command?.command,
      argument: command?.arguments?.[0] as unknown,
    }));
  }

  it("what failed or was stopped can be run again, where it is known what was sent", async () => {
    const crew = anExecution().crew.id;
    for (const state of ["failed", "stopped"] as const) {
      const target = { crew, kickoffId: state, fromLens: true };
      assert.deepEqual(await lensesOf(notWaiting({ localId: state, kickoffIds: [state], state })), [
        { line: 0, title: "Run again…", command: "crewdeck.runAgain", argument: target },
        {
          line: 0,
          title: "Run again in form…",
          command: "crewdeck.runAgainInForm",
          argument: target,
        },
      ]);
    }
    assert.deepEqual(
      await lensesOf(
        without(
          notWaiting({
            localId: "tracked",
            kickoffIds: ["tracked"],
            state: "failed",
            origin: "tracked",
          }),
          "request",
        ),
      ),
      [],
    );
    assert.deepEqual(await lensesOf(anExecution({ localId: "waits", kickoffIds: ["waits"] })), []);
  });

  it("what may have started can be tracked by its ID, run again and removed from the list", async () => {
    const lenses = await lensesOf(
      notWaiting({ localId: "lost", kickoffIds: [], state: "unconfirmed" }),
    );
    assert.deepEqual(
      lenses.map(({ title, command }) => [title, command]),
      [
        ["Track by its ID…", "crewdeck.trackExecution"],
        ["Run again…", "crewdeck.runAgain"],
        ["Remove from list…", "crewdeck.untrackExecution"],
      ],
    );
    assert.deepEqual(lenses[0]?.argument, { crew: anExecution().crew.id, fromLens: true });
    assert.deepEqual(lenses.at(-1)?.argument, {
      crew: anExecution().crew.id,
      kickoffId: "lost",
      fromLens: true,
    });
  });
});
