import assert from "node:assert/strict";
import type { Crew } from "../../src/crews/types.ts";
import { choosePreset } from "../../src/kickoff/presets/choose.ts";
import { forgetCrewValues } from "../../src/kickoff/crew-values.ts";
import { Presets } from "../../src/kickoff/presets/presets.ts";
import { testDatabase } from "../support/database.ts";
import { waitFor } from "../support/wait.ts";
import { formsOf } from "./restored-form.ts";
import { ScriptedPerson, withPerson, type Move } from "./scripted-person.ts";
import { viewParts } from "./view-parts.ts";

const crew: Crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };
const saveItem = "$(add) Save the Form's Values as a Preset…";

describe("Choosing presets", () => {
  let machine: ReturnType<typeof testDatabase>;
  let presets: Presets;

  beforeEach(() => {
    machine = testDatabase();
    presets = new Presets(machine.database, (error) => assert.fail(String(error)));
  });

  afterEach(() => machine.end());

  const choose = async (
    moves: readonly Move[],
    values?: Parameters<typeof choosePreset>[0]["values"],
  ) => {
    const { result: chosen, shown } = await withPerson(moves, () =>
      choosePreset({ presets, crew, values }),
    );
    return { chosen, shown };
  };
  const names = () => presets.list(crew.id).map(({ name }) => name);

  it("saves the form's values under a name made from the first input, and asks before it replaces a preset", async () => {
    const { chosen, shown } = await choose([{ pick: saveItem }, { type: " " }, { type: "Oslo" }], {
      inputs: { city: "Oslo", days: 3 },
    });
    assert.equal(chosen, undefined);
    assert.deepEqual(
      [shown[0]?.choices, shown[1]?.value, shown[1]?.complaint],
      [[saveItem], "Oslo", "A preset needs a name."],
    );
    await choose([{ pick: saveItem }, { type: "Oslo" }, "escape", "escape"], {
      inputs: { city: "Bergen" },
    });
    assert.deepEqual(presets.list(crew.id)[0]?.values, {
      inputs: { city: "Oslo", days: 3 },
    });
    await choose([{ pick: saveItem }, { type: "Oslo" }, { press: "Replace" }], {
      inputs: { city: "Bergen" },
    });
    assert.deepEqual(presets.list(crew.id), [
      { name: "Oslo", values: { inputs: { city: "Bergen" } } },
    ]);
    assert.deepEqual(
      [shown[0]?.active, (await choose(["escape"], { inputs: {} })).shown[0]?.active],
      [saveItem, "Oslo"],
      "Enter takes a preset where there is one",
    );
  });

  it("returns the chosen preset's values, and offers nothing to save without a form", async () => {
    presets.save(crew.id, "$(flame) hot", {
      inputs: { city: "Oslo" },
      crewWebhookUrl: "https://h.test",
    });
    const { chosen, shown } = await choose([{ pick: "\\$(flame) hot" }]);
    assert.deepEqual(chosen, { inputs: { city: "Oslo" }, crewWebhookUrl: "https://h.test" });
    assert.deepEqual(shown[0]?.choices, ["\\$(flame) hot"]);
  });

  it("renames and deletes with a row's buttons, and returns to the list", async () => {
    presets.save(crew.id, "a", { inputs: {} });
    presets.save(crew.id, "b", { inputs: {} });
    const { shown } = await choose([
      { press: "Rename Preset…", on: "a" },
      { type: "b" },
      { type: "c" },
      { press: "Delete Preset", on: "b" },
      "escape",
      { press: "Delete Preset", on: "b" },
      { press: "Delete" },
      "escape",
    ]);
    assert.equal(shown[1]?.complaint, "There is already a preset of this name.");
    assert.deepEqual(shown.at(-1)?.choices, ["c"]);
    assert.deepEqual(names(), ["c"]);
  });

  it("shows no link in the box that asks for a new name", async () => {
    presets.save(crew.id, "[a](command:crewdeck.kickoff)", { inputs: {} });
    const { shown } = await choose([
      { press: "Rename Preset…", on: "[a](command:crewdeck.kickoff)" },
      "escape",
      "escape",
    ]);
    assert.equal(shown[1]?.text, "New name of the preset “[a]\u200b(command:crewdeck.kickoff)”");
  });

  it("keeps presets when a crew's address changes, removes them with the crew, and reports invalid ones", async () => {
    const parts = viewParts();
    const forms = formsOf(parts, crew, () => true);
    const kept = forms.presets;
    const to: Crew = { id: "url:https://new.test", name: "Travel", url: "https://new.test" };
    const person = new ScriptedPerson([]);
    try {
      kept.save(crew.id, "a", { inputs: {} });
      await forms.move(crew, to);
      assert.equal(kept.list(to.id).length, 1);
      parts.database.run("UPDATE crew_values SET json = '{' WHERE kind = 'presets'");
      assert.deepEqual(kept.list(to.id), []);
      await waitFor("the message", () => person.shown[0]);
      assert.match(person.shown[0]?.text ?? "", /are invalid and were set aside/);
      kept.save(to.id, "b", { inputs: {} });
      forgetCrewValues(parts.database, to.id);
      assert.deepEqual(kept.list(to.id), []);
    } finally {
      person.dispose();
      forms.dispose();
      await parts.dispose();
    }
  });
});
