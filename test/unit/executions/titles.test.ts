import assert from "node:assert/strict";
import type { JsonObject } from "../../../src/api/types.ts";
import { type Execution, without } from "../../../src/executions/model.ts";
import type { ExecutionStore } from "../../../src/executions/store.ts";
import { titleOf } from "../../../src/executions/title.ts";
import { anExecution, time } from "./samples.ts";
import { Windows } from "./windows.ts";

describe("Titles of a crew's executions", () => {
  let windows: Windows;
  let store: ExecutionStore;
  let seconds: number;

  beforeEach(() => {
    windows = new Windows();
    store = windows.open();
    seconds = 0;
  });

  /** Adds an execution that started after the others. @returns its local ID */
  const start = (inputs: JsonObject | undefined, changes: Partial<Execution> = {}): string => {
    const localId = `e${seconds}`;
    const startedAt = time(seconds++);
    const known = { localId, kickoffIds: [`id-of-${localId}`], startedAt, ...changes };
    const execution = without(anExecution(known), "request");
    store.add({ ...execution, ...(inputs && { request: { inputs, callbacks: {} } }) });
    return localId;
  };
  /** The titles, oldest first. */
  const titles = (of = store) => of.list().toReversed().map(titleOf);

  it("are short, even if a label is long", () => {
    start({ topic: "e-bikes" }, { label: "l".repeat(5_000) });
    start({ topic: "e".repeat(5_000) });
    const lengths = titles().map(({ length }) => length);
    assert.deepEqual(lengths, [120, 60]);
  });

  it("are made from the inputs in which they differ from earlier ones", () => {
    for (const audience of ["commuters", "seniors", "children"])
      start({ topic: "e-bikes", audience, tone: "dry" });
    start({ topic: "trams", audience: "children", tone: "dry" });
    assert.deepEqual(titles(), ["e-bikes", "seniors", "children", "trams · children"]);
  });

  it("are the input that says most, else the first", () => {
    const page = "https://a.test/a-long-page";
    const [notes, topic] = ["Long notes. ".repeat(20), "Small language models"];
    for (const [inputs, title] of [
      [{ audience: "renters", topic }, topic],
      [{ notes, topic, audience: "people who rent" }, topic],
      [{ current_year: "2026", page, isDraft: true, list: '["a b"]', topic: "Tea" }, "Tea"],
      [{ audience: "renters", topic: "Tea" }, "renters"],
    ] as const) {
      const crew = { ...anExecution().crew, id: `url:${seconds}` };
      start(inputs, { crew });
      assert.equal(titles().at(-1), title);
    }
  });

  it("include the input's name if the value is a number, a Boolean or an object", () => {
    for (const budget of ["cheap", 100, "2,000 €", true, { max: 3 }, ""])
      start({ topic: "e-bikes", budget });
    assert.deepEqual(titles(), [
      "e-bikes",
      "budget: 100",
      "budget: 2,000 €",
      "budget: true",
      'budget: {"max":3}',
      "e-bikes (2)",
    ]);
  });

  it("use an input that only some executions have, and ignore executions started elsewhere", () => {
    start({ topic: "e-bikes" });
    start(undefined, { origin: "tracked" });
    start({ topic: "e-bikes", audience: "seniors" });
    assert.deepEqual(titles(), ["e-bikes", "id-of-e1", "seniors"]);
  });

  it("show part of each input, however long the first is", () => {
    start({ topic: "x".repeat(500), audience: "commuters" });
    start({ topic: "y".repeat(500), audience: "seniors" });
    assert.equal(titles()[1], `${"y".repeat(49)}… · seniors`);
  });

  it("are numbered by start if they are the same, labels included", () => {
    for (const label of [undefined, undefined, "e-bikes", "The one for the board"])
      start({ topic: "e-bikes" }, label === undefined ? {} : { label });
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)", "e-bikes (3)", "The one for the board"]);
  });

  it("don't differ in the order of names in an object", () => {
    start({ topic: "e-bikes", limits: { max: { a: 1, b: 2 }, min: 1 } });
    start({ topic: "e-bikes", limits: { min: 1, max: { b: 2, a: 1 } } });
    assert.deepEqual(titles(), ["e-bikes", "e-bikes (2)"]);
  });

  it("never change when another execution is added, changed or removed, and are the same in every window", () => {
    const [first, second] = [1, 2].map(() => start({ topic: "e-bikes", audience: "seniors" }));
    start({ topic: "e-bikes", audience: "commuters" });
    const before = ["e-bikes", "e-bikes (2)", "commuters"];
    assert.deepEqual(titles(), before);
    store.update(second!, (execution) => ({ ...execution, state: "running" }));
    store.remove(first!);
    assert.deepEqual(titles(), before.slice(1));
    assert.deepEqual(titles(windows.open()), before.slice(1));
    start({ topic: "e-bikes", audience: "seniors" });
    assert.equal(titles().at(-1), "seniors");
  });

  it("follow the person's label, also after the end, and return when it is removed", () => {
    start({ topic: "e-bikes" }, { label: "Mine" });
    const localId = start({ topic: "e-bikes" }, { state: "completed" });
    const changed = (change: (execution: Execution) => Execution) =>
      titleOf(store.update(localId, change) ?? assert.fail());
    const label = (text: string) => changed((execution) => ({ ...execution, label: text }));
    assert.deepEqual([label("Mine"), label("Yours")], ["Mine (2)", "Yours"]);
    const title = changed((execution) => without(execution, "label"));
    assert.equal(title, "e-bikes");
  });
});

describe("titleOf", () => {
  const inputs = (values: NonNullable<Execution["request"]>["inputs"]) => ({
    request: { inputs: values, callbacks: {} },
  });
  const table: readonly [string, Partial<Execution>, string][] = [
    ["the person's label", { label: " My run ", ...inputs({ topic: "Otters" }) }, "My run"],
    ["the first input that isn't blank", inputs({ a: "  ", b: null, c: "Seals" }), "Seals"],
    ["a value that isn't text", inputs({ budget: { max: 3 } }), '{"max":3}'],
    [
      "one line, without control or direction marks",
      inputs({ topic: "One\n two\u0007\u202e three" }),
      "One two three",
    ],
    ["a long text, shortened", inputs({ topic: "x".repeat(100) }), `${"x".repeat(59)}…`],
    ["whole characters", inputs({ topic: "🦦".repeat(100) }), `${"🦦".repeat(59)}…`],
    ["the beginning of the id", { ...inputs({}), kickoffIds: ["abcdefgh-ijkl"] }, "abcdefgh"],
    [
      "the local id while there is no other",
      { ...inputs({}), kickoffIds: [], label: " " },
      "11111111",
    ],
  ];
  for (const [what, changes, title] of table)
    it(`is ${what}`, () => assert.equal(titleOf(anExecution(changes)), title));
});
