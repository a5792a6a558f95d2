import assert from "node:assert/strict";
import { askPython } from "../../src/kickoff/form/forms.ts";
import { withPerson } from "./scripted-person.ts";

describe("Asking a project's Python for its inputs", () => {
  it("runs the project's code only after a modal that says so", async () => {
    const crew = { id: "local:file:///poems", name: "Poems", url: "http://127.0.0.1:1" };
    const inputs = { fields: [{ name: "topic" }] };
    const asked: unknown[] = [];
    const crews = {
      inputs: (...[, options]: readonly [unknown, { readonly ask?: boolean }?]) => {
        asked.push(options?.ask);
        return Promise.resolve(inputs);
      },
    };
    const { shown } = await withPerson(["escape", { press: "Ask Python" }], async () => {
      assert.equal(await askPython(crews, crew), undefined);
      assert.deepEqual(asked, []);
      assert.equal(await askPython(crews, crew), inputs);
      assert.deepEqual(asked, [true]);
    });
    assert.match(shown[0]?.text ?? "", /Ask the Python of “Poems”/);
    assert.match(shown[0]?.detail ?? "", /runs the project's code on this machine/);
  });
});
