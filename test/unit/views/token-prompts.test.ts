import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { Intents } from "../../../src/sending/sends.ts";
import { TokenPrompts } from "../../../src/views/token-prompts.ts";
import { temporaryFolder } from "../../support/folders.ts";

const crew = "url:https://crew.test";
const parked = new Map([[crew, {}]]);

describe("asking for another token", () => {
  let folder: string;
  let windows: readonly TokenPrompts[];

  beforeEach(() => {
    folder = temporaryFolder("prompts");
    windows = [1, 2, 3].map(() => new TokenPrompts(new Intents(folder)));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const asking = async () =>
    (await Promise.all(windows.map((window) => window.begin(crew)))).filter((asks) => asks).length;

  it("is done by one window, and once, however often the crew refuses the old one", async () => {
    assert.equal(await asking(), 1);
    await Promise.all(windows.map((window) => window.keep(parked)));
    assert.equal(await asking(), 0);
    assert.equal(await windows[0]!.begin("url:https://other.test"), true);
  });

  it("is done once more when a replaced token is refused, too", async () => {
    await asking();
    await Promise.all(windows.map((window) => window.keep(new Map())));
    assert.equal(await asking(), 1);
  });

  it("is not forgotten in between by a window that had nothing to do with it", async () => {
    assert.equal(await windows[0]!.begin(crew), true);
    await windows[1]!.keep(new Map());
    assert.equal(await windows[1]!.begin(crew), false);
  });

  it("takes an end and a new refusal in the order they came in", async () => {
    const [window] = windows;
    await window!.begin(crew);
    const end = window!.keep(new Map());
    assert.equal(await window!.begin(crew), true);
    await end;
    assert.equal(await windows[1]!.begin(crew), false);
  });

  it("is done again where the window that asked is gone", async () => {
    const told = new Intents(folder);
    await told.claim(`crew-token-${crew}`, {});
    const all = told.all.bind(told);
    told.all = async () =>
      (await all()).map((intent) => ({ ...intent, session: "of a process that ended" }));
    assert.equal(await new TokenPrompts(told).begin(crew), true);
    assert.equal(await windows[0]!.begin(crew), false);
  });
});
