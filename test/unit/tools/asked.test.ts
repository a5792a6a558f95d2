import assert from "node:assert/strict";
import { Asked } from "../../../src/tools/asked.ts";
import type { Confirmation } from "../../../src/tools/confirmation.ts";

const about = (text: string): Confirmation => ({ title: "Kick off Travel?", parts: [{ heading: "Inputs:", text }], allow: "Kick Off" });

describe("Asking before a tool sends", () => {
  let now: number;
  let allowsByItself: boolean;
  let answer: boolean;
  let questions: string[];
  let asked: Asked;

  beforeEach(() => {
    [now, allowsByItself, answer, questions] = [0, false, true, []];
    asked = new Asked({
      clock: { now: () => now },
      allowsByItself: () => allowsByItself,
      ask: (confirmation) => {
        questions.push(JSON.stringify(confirmation.parts));
        return Promise.resolve(answer);
      },
    });
  });

  it("leaves it to VS Code where the person had the time to read what is sent", async () => {
    asked.willShow(about("Oslo"));
    now += 1_000;
    assert.equal(await asked.allows(about("Oslo")), true);
    assert.deepEqual(questions, []);
  });

  it("asks by a dialog where VS Code allowed it by itself, faster than anybody reads", async () => {
    asked.willShow(about("Oslo"));
    now += 999;
    answer = false;
    assert.equal(await asked.allows(about("Oslo")), false);
    assert.equal(questions.length, 1);
  });

  it("asks where a setting lets VS Code allow everything, however long it took", async () => {
    allowsByItself = true;
    asked.willShow(about("Oslo"));
    now += 60_000;
    await asked.allows(about("Oslo"));
    assert.equal(questions.length, 1);
  });

  it("asks where other inputs are to be sent than were shown", async () => {
    const long = "x".repeat(20_000);
    asked.willShow(about(`${long}a`));
    now += 5_000;
    await asked.allows(about(`${long}b`));
    assert.equal(questions.length, 1);
    assert.match(questions[0] ?? "", /xb"/);
  });

  it("takes one answer for one sending, and none for a tool that was never prepared", async () => {
    asked.willShow(about("Oslo"));
    now += 5_000;
    await asked.allows(about("Oslo"));
    assert.equal(questions.length, 0);
    await asked.allows(about("Oslo"));
    await asked.allows(about("Bergen"));
    assert.equal(questions.length, 2);
  });

  it("forgets what was never answered", async () => {
    asked.willShow(about("first"));
    for (let number = 0; number < 50; number++) asked.willShow(about(String(number)));
    now += 5_000;
    await asked.allows(about("first"));
    assert.equal(questions.length, 1);
    await asked.allows(about("0"));
    assert.equal(questions.length, 1);
  });
});
