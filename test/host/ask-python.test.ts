import assert from "node:assert/strict";
import { CrewApiError } from "../../src/api/errors.ts";
import type { Crew } from "../../src/crews/types.ts";
import { inputsOf } from "../../src/kickoff/form/forms.ts";
import { withPerson } from "./scripted-person.ts";

const crew: Crew = { id: "local:poems", name: "poems", url: "http://127.0.0.1:9" };

describe("Asking a project's Python for its inputs", () => {
  it("runs it only after the person has agreed, and never for a form that comes back", async () => {
    const inputs = { fields: [{ name: "topic" }] };
    const details = { kind: "server", message: "", remedy: "", asksPython: true } as const;
    let asked = 0;
    const crews = {
      get: () => crew,
      ready: () => Promise.resolve(crew),
      inputs: (_: unknown, { ask = false } = {}) =>
        ask ? Promise.resolve((asked++, inputs)) : Promise.reject(new CrewApiError(details)),
    };
    const load = (startsCrew: boolean) => inputsOf(crews, crew, { fresh: true, startsCrew });
    await assert.rejects(load(false), CrewApiError);
    const { shown } = await withPerson(["escape"], () =>
      assert.rejects(load(true), /its Python was not asked/),
    );
    assert.match(shown[0]?.detail ?? "", /runs the project's code on this machine/);
    assert.equal(asked, 0);
    assert.equal((await withPerson([{ press: "Ask Python" }], () => load(true))).result, inputs);
  });
});
