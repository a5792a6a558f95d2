import assert from "node:assert/strict";
import type { Database } from "../../../src/store/database.ts";
import { TokenPrompts } from "../../../src/views/token-prompts.ts";
import { Windows } from "../executions/windows.ts";

const crew = "url:https://crew.test";
const refusing = new Map([[crew, {}]]);

describe("asking for another token", () => {
  let machine: Windows;
  let databases: Database[];
  let windows: readonly TokenPrompts[];

  beforeEach(() => {
    machine = new Windows();
    databases = [1, 2, 3].map(() => machine.openBoth().database);
    windows = databases.map((database) => new TokenPrompts(database));
  });

  afterEach(async () => {
    await machine.close();
    assert.deepEqual(machine.problems, []);
  });

  const asking = () => windows.filter((window) => window.begin(crew)).length;

  it("is done once, by one window, however often the crew refuses the old one", () => {
    assert.equal(asking(), 1);
    for (const window of windows) window.keep(refusing);
    assert.equal(asking(), 0);
    assert.equal(windows[0]!.begin("url:https://other.test"), true);
  });

  it("is done again if the new token is refused", () => {
    asking();
    for (const window of windows) window.keep(new Map());
    assert.equal(asking(), 1);
  });

  it("isn't reset by a window that did not see the refusal", () => {
    assert.equal(windows[0]!.begin(crew), true);
    windows[1]!.keep(new Map());
    assert.equal(windows[1]!.begin(crew), false);
  });

  it("is done again if the window that asked has closed", () => {
    for (const gone of ["pid = 1073741824", "session = 'of an earlier process with this id'"]) {
      windows[2]!.begin(crew);
      databases[2]!.run(`UPDATE token_prompts SET ${gone}`);
      assert.equal(windows[1]!.begin(crew), true);
      assert.equal(windows[0]!.begin(crew), false);
    }
  });
});
