import assert from "node:assert/strict";
import { groupRow, isOpenAtFirst } from "../../../src/views/tree/rows.ts";
import { inOrder, partsOf } from "../../../src/views/tree/arrangement.ts";

const now = new Date(2026, 9, 21, 15, 30).getTime();

describe("groups of executions", () => {
  it("are sorted by urgency of the state, or newest day first", () => {
    assert.deepEqual(inOrder(["state completed", "state failed", "state running"], "state"), [
      "state running",
      "state failed",
      "state completed",
    ]);
    assert.deepEqual(inOrder(["day 2026-10-09", "day 2026-10-21", "day 2025-12-31"], "day"), [
      "day 2026-10-21",
      "day 2026-10-09",
      "day 2025-12-31",
    ]);
  });

  it("have keys that can be parsed", () => {
    const parts = [partsOf("crew url:https://a b"), partsOf("day 2026-10-21"), partsOf("waiting")];
    assert.deepEqual(parts, [
      { kind: "crew", of: "url:https://a b" },
      { kind: "day", of: "2026-10-21" },
      { kind: "waiting", of: "" },
    ]);
  });

  it("show label and count in the row and to screen readers", () => {
    const row = (group: string, size: number) => groupRow(group, size, "en-GB");
    assert.deepEqual(
      [row("waiting", 2).label, row("waiting", 2).description, row("waiting", 2).sentence],
      ["Waiting for you", "2", "Waiting for you, executions: 2"],
    );
    assert.match(row("day 2026-10-19", 1).label, /^Monday,? 19 October 2026$/);
    assert.deepEqual(
      [row("waiting", 1).facts, row("state failed", 1).facts, row("day 2026-10-21", 1).facts],
      ["group:waiting", "group:state", "group:day"],
    );
  });

  it("are expanded at first if they are active or recent", () => {
    const open = ["waiting", "state running", "state unknown", "day 2026-10-21", "day 2026-10-20"];
    const closed = ["state failed", "state completed", "state stopped", "day 2026-10-18"];
    const opened = [...open, ...closed].filter((group) => isOpenAtFirst(group, now));
    assert.deepEqual(opened, open);
  });
});
