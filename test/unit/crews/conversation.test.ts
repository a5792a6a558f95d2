import assert from "node:assert/strict";
import { converse, type AfterFailure, type Left } from "../../../src/crews/conversation.ts";

type Step = "address" | "token" | "name";

/** A conversation with prepared answers, and its log. */
function script(
  answers: readonly Left[],
  results: readonly (string | Error)[],
  afterFailures: readonly AfterFailure<Step>[] = [],
) {
  const happened: string[] = [];
  const left = [...answers];
  const ends = [...results];
  const decisions = [...afterFailures];
  return {
    happened,
    conversation: {
      steps: (): readonly Step[] => ["address", "token", "name"],
      ask(
        step: Step,
        { step: number, total, canGoBack }: { step: number; total: number; canGoBack: boolean },
      ) {
        happened.push(`${step} ${number}/${total}${canGoBack ? " back" : ""}`);
        return Promise.resolve(left.shift()!);
      },
      finish({ untested }: { untested: boolean }) {
        happened.push(untested ? "save untested" : "test");
        const end = ends.shift()!;
        return typeof end === "string" ? Promise.resolve(end) : Promise.reject(end);
      },
      failed(error: unknown) {
        happened.push((error as Error).message);
        return Promise.resolve(decisions.shift()!);
      },
    },
  };
}

describe("a conversation", () => {
  it("asks each question in order, then finishes", async () => {
    const { conversation, happened } = script(["next", "next", "next"], ["made"]);
    assert.equal(await converse(conversation), "made");
    assert.deepEqual(happened, ["address 1/3", "token 2/3 back", "name 3/3 back", "test"]);
  });

  it("goes back to the question before", async () => {
    const { conversation, happened } = script(["next", "back", "next", "next", "next"], ["made"]);
    assert.equal(await converse(conversation), "made");
    assert.deepEqual(happened, [
      "address 1/3",
      "token 2/3 back",
      "address 1/3",
      "token 2/3 back",
      "name 3/3 back",
      "test",
    ]);
  });

  it("ends without a result when the person cancels, and finishes nothing", async () => {
    const { conversation, happened } = script(["next", "cancel"], []);
    assert.equal(await converse(conversation), undefined);
    assert.deepEqual(happened, ["address 1/3", "token 2/3 back"]);
  });

  it("tries again without asking anything again", async () => {
    const { conversation, happened } = script(
      ["next", "next", "next"],
      [new Error("refused"), "made"],
      ["again"],
    );
    assert.equal(await converse(conversation), "made");
    assert.deepEqual(happened.slice(3), ["test", "refused", "test"]);
  });

  it("asks only the question to edit, then tests", async () => {
    const { conversation, happened } = script(
      ["next", "next", "next", "next"],
      [new Error("wrong token"), "made"],
      [{ edit: "token" }],
    );
    assert.equal(await converse(conversation), "made");
    assert.deepEqual(happened.slice(3), ["test", "wrong token", "token 1/1", "test"]);
  });

  it("saves without the test only if chosen, and tests again after another edit", async () => {
    const { conversation, happened } = script(
      ["next", "next", "next", "next"],
      [new Error("unreachable"), new Error("settings"), "made"],
      ["untested", { edit: "name" }],
    );
    assert.equal(await converse(conversation), "made");
    assert.deepEqual(happened.slice(3), [
      "test",
      "unreachable",
      "save untested",
      "settings",
      "name 1/1",
      "test",
    ]);
  });

  it("ends when the person gives up after a failure", async () => {
    const { conversation } = script(["next", "next", "next"], [new Error("refused")], ["cancel"]);
    assert.equal(await converse(conversation), undefined);
  });

  it("skips questions that an answer made unnecessary", async () => {
    let known = false;
    const asked: string[] = [];
    const result = await converse<Step, string>({
      steps: () => (known ? ["address", "token"] : ["address", "token", "name"]),
      ask(step) {
        asked.push(step);
        known = true;
        return Promise.resolve("next");
      },
      finish: () => Promise.resolve("made"),
      failed: () => Promise.resolve("cancel"),
    });
    assert.equal(result, "made");
    assert.deepEqual(asked, ["address", "token"]);
  });
});
