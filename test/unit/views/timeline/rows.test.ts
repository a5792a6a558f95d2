import assert from "node:assert/strict";
import { rowsOf } from "../../../../src/views/timeline/rows.ts";
import { contentOf } from "./contents.ts";

const { spans } = contentOf("varied");
const all = { closed: [], text: "", kinds: [] };
const rows = (look: Partial<Parameters<typeof rowsOf>[1]>) => rowsOf(spans, { ...all, ...look });
const outline = ({ rows }: Pick<ReturnType<typeof rowsOf>, "rows">) =>
  rows.map(
    ({ span, isContext }) =>
      `${"  ".repeat(span.depth)}${span.kind} ${span.name}${isContext ? " (context)" : ""}`,
  );
/** The spans that match, without those that they are part of. */
const hits = (look: Parameters<typeof rows>[0]) =>
  rows(look).rows.flatMap(({ span, isContext }) => (isContext ? [] : [span]));
const idOf = (name: string) => spans.find((span) => span.name === name)?.id ?? "";

describe("the rows of a timeline", () => {
  it("are tasks with their attempts, waits, agents and calls", () => {
    const { rows: shown, hits } = rows({});
    assert.equal(shown.length, spans.length);
    assert.equal(hits, undefined);
    assert.deepEqual(outline({ rows: shown }).slice(0, 5), [
      "crew Writers",
      "  queue ",
      "  task research",
      "    agent Senior Researcher",
      "      model gpt-5-mini",
    ]);
    const outlineTask = shown.find(({ span }) => span.name === "outline");
    assert.deepEqual([outlineTask?.position, outlineTask?.size], [3, 4]);
  });

  it("are hidden below a closed one", () => {
    const closed = rows({ closed: [idOf("research"), idOf("Senior Researcher")] }).rows;
    const research = closed.findIndex(({ span }) => span.name === "research");
    assert.equal(closed[research]!.isOpen, false);
    assert.equal(closed[research + 1]!.span.name, "outline");
  });

  it("that match a filter come with all that they are part of, also if it is closed", () => {
    const found = rows({ text: "404", closed: [idOf("research")] });
    assert.deepEqual(outline(found), [
      "crew Writers (context)",
      "  task research (context)",
      "    agent Senior Researcher (context)",
      "      tool read_page",
    ]);
    assert.equal(found.hits, 1);
    assert.ok(found.rows.every(({ position, size }) => position === 1 && size === 1));
  });

  it("are filtered by kind, and attempts with tasks", () => {
    const kinds = hits({ kinds: ["task"] }).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["task", "task", "attempt", "attempt", "task"]);
    assert.equal(rows({ kinds: ["tool", "wait"] }).hits, 4);
    assert.equal(rows({ kinds: ["tool"], text: "offices" }).hits, 1);
  });

  it("are found by their state, as it is shown, and by what their events say", () => {
    const found = (text: string) => hits({ text }).map(({ name }) => name);
    assert.deepEqual(found("FAILED"), ["Writers", "read_page", "write", "gpt-5"]);
    assert.deepEqual(found("no memory here"), ["Senior Researcher"]);
  });

  it("are none if nothing matches", () => {
    assert.deepEqual(rows({ text: "no such text" }), { rows: [], hits: 0 });
  });
});
