import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { stopVerb } from "../../src/actions/executions.ts";
import { invokeTool, toolsOf } from "../../src/actions/tools.ts";
import type { Execution } from "../../src/executions/model.ts";
import { MaybeSentError } from "../../src/sending/errors.ts";
import { person } from "../../src/actions/asker.ts";
import { anExecution } from "../unit/views/executions.ts";
import { crewsOf, executionParts, noCircumstances, targetsIn } from "./execution-parts.ts";
import { withPerson, type Move } from "./scripted-person.ts";

const deployed = anExecution();
const local = anExecution({
  crew: { id: "local:file:///crew", name: "Local", url: "http://127.0.0.1:1" },
});

describe("Stopping an execution", () => {
  let sent: string[];
  let answer: () => Promise<{ status: string }>;
  beforeEach(() => {
    sent = [];
    answer = () => Promise.resolve({ status: "stopped" });
  });

  const partsOf = (execution: Execution) => {
    const silent = () => ({ dispose: () => undefined });
    const store = {
      ...{ find: () => execution, list: () => [execution], refresh: () => undefined },
      ...{ summary: () => execution, onDidChange: silent },
    };
    const crews = { ...crewsOf(execution.crew), canStop: () => true };
    return {
      ...executionParts(store),
      crews,
      targets: targetsIn(store, crews, { of: () => ({ canStop: true }) }),
      sending: {
        stop: ({ localId }: Pick<Execution, "localId">) => (sent.push(localId), answer()),
      },
    };
  };

  describe("by a row's menu", () => {
    const run = async (execution: Execution, ...moves: Move[]) => {
      const row = { kind: "execution", crew: execution.crew.id, kickoffId: "11111111-aaaa" };
      const { shown } = await withPerson(moves, () => stopVerb(partsOf(execution))(row, person));
      return shown.map(({ text, detail = "" }) => `${text}\n${detail}`);
    };

    it("asks first, and says what it means for a local and for a deployed crew", async () => {
      assert.match(
        (await run(local, "escape"))[0] ?? "",
        /^Stop “Sea otters”\?\n“Local” \(local, on this machine\) ends it for good: the task under way is abandoned/,
      );
      assert.match(
        (await run(deployed, "escape"))[0] ?? "",
        /^Stop “Sea otters”\?\nA request to stop is sent to “Writers” \(crew\.test\)\. Not every deployed crew/,
      );
      assert.deepEqual(sent, []);
      await run(local, { press: "Stop Execution" });
      await run(deployed, { press: "Stop Execution" });
      assert.deepEqual(sent, ["local-1", "local-1"]);
    });
  });

  describe("by a language model", () => {
    const { signal } = new AbortController();
    const input = { executionId: "11111111-aaaa" };
    const tools = () => {
      const other = () => assert.fail("it only stops");
      const parts = partsOf(deployed);
      return toolsOf({
        ...parts,
        circumstances: noCircumstances,
        crews: { ...parts.crews, inputs: other },
        sending: { send: other },
        poller: {
          ...{ pollNow: other, onDidChange: other },
        },
        verbs: { approve: other, reject: other, stop: stopVerb(parts) },
      });
    };
    const invoke = async (...moves: Move[]) => {
      const call = () => invokeTool(tools()["crewdeck_stopExecution"]!, input, signal);
      const [part] = (await withPerson(moves, call)).result.content;
      return (part as vscode.LanguageModelTextPart).value;
    };

    it("is confirmed in a dialog that says what it means, and sent once", async () => {
      assert.match(await invoke("escape"), /did not allow it/);
      assert.deepEqual(sent, []);
      assert.match(
        await invoke({ press: "Stop Execution" }),
        /Only the state .*"status": "stopped"/s,
      );
      answer = () => Promise.reject(new MaybeSentError("No answer."));
      assert.match(
        await invoke({ press: "Stop Execution" }),
        /not known whether it was sent.*No answer\./s,
      );
      assert.deepEqual(sent, ["local-1", "local-1"]);
    });
  });
});
