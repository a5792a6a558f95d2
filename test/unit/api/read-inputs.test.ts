import assert from "node:assert/strict";
import { readInputs } from "../../../src/api/read-inputs.ts";
import type { InputField } from "../../../src/api/types.ts";

describe("the answer of GET /inputs", () => {
  const ofState =
    "Part of the flow's state. Send a number, true or false, a list or an object as JSON.";
  const odd = '"name": "Cholesterol", "value": "230 mg/dL"';
  const number = { type: "integer", description: "How many", required: false, default: 3 } as const;
  const topic = { type: "string", description: "What about", enum: ["sea", "moon"] } as const;
  const stateMember = (name: string) => ({ name, required: false, description: ofState });
  const names = (...all: readonly string[]) => all.map((name) => ({ name }));
  const read: readonly (readonly [what: string, raw: unknown, fields: readonly InputField[]])[] = [
    ["a list of names", { inputs: ["budget", "interests"] }, names("budget", "interests")],
    [
      "any text as a name",
      { inputs: [odd, "__proto__", "constructor"] },
      names(odd, "__proto__", "constructor"),
    ],
    [
      "a flow's state: nothing is required, and its ID is not sent",
      { inputs: ["id", "topic", "limits"] },
      ["topic", "limits"].map(stateMember),
    ],
    [
      "a local flow's state, which has no ID",
      { inputs: ["topic"], crewdeck: { kind: "flow" } },
      [stateMember("topic")],
    ],
    [
      "a local flow's state with its JSON Schema, which may not have all",
      {
        inputs: ["topic", "count", "other"],
        crewdeck: {
          kind: "flow",
          schema: {
            properties: { id: { type: "string" }, topic, count: { type: "integer", default: 1 } },
            required: ["topic"],
          },
        },
      },
      [
        { name: "topic", ...topic, required: true },
        { name: "count", type: "integer", required: false, default: 1 },
        stateMember("other"),
      ],
    ],
    ["no inputs", { inputs: [] }, []],
    ["an empty map", { inputs: {} }, []],
    ["a list alone", ["a"], names("a")],
    [
      "a JSON Schema alone",
      { type: "object", properties: { a: { type: "string" } } },
      [{ name: "a", type: "string", required: false }],
    ],
    ["a name twice", { inputs: ["a", "b", "a"] }, names("a", "b")],
    ["entries that name nothing", { inputs: ["a", 3, null, {}, { type: "string" }] }, names("a")],
    [
      "a list of objects",
      { inputs: [{ name: "n", ...number, enum: [1, 3] }, { name: "bare" }] },
      [{ name: "n", ...number, enum: [1, 3] }, { name: "bare" }],
    ],
    [
      "a default of null",
      { inputs: [{ name: "n", default: null }] },
      [{ name: "n", default: null }],
    ],
    [
      "a map of name to type",
      {
        inputs: {
          ...{ topic: "str", n: "INT", f: "float", ok: "bool", o: "dict", l: "list" },
          ...{ what: "Any words at all", no: null, constructor: "string" },
        },
      },
      [
        { name: "topic", type: "string" },
        { name: "n", type: "integer" },
        { name: "f", type: "number" },
        { name: "ok", type: "boolean" },
        { name: "o", type: "object" },
        { name: "l", type: "array" },
        { name: "what", description: "Any words at all" },
        { name: "no" },
        { name: "constructor", type: "string" },
      ],
    ],
    ["a map of name to object", { inputs: { topic } }, [{ name: "topic", ...topic }]],
    [
      "an input called properties",
      { inputs: { properties: "string" } },
      [{ name: "properties", type: "string" }],
    ],
    [
      "a JSON Schema",
      {
        inputs: {
          type: "object",
          properties: {
            topic: { type: "string", description: "About" },
            year: { anyOf: [{ type: "null" }, { type: "integer" }], default: null },
            tone: { $ref: "#/$defs/Tone" },
            size: { type: ["null", "number"] },
            far: { $ref: "https://elsewhere.example/schema" },
          },
          required: ["topic"],
          $defs: { Tone: { type: "string", enum: ["dry", "warm"] } },
        },
      },
      [
        { name: "topic", type: "string", description: "About", required: true },
        { name: "year", type: "integer", required: false, default: null },
        { name: "tone", type: "string", required: false, enum: ["dry", "warm"] },
        { name: "size", type: "number", required: false },
        { name: "far", required: false },
      ],
    ],
  ];
  for (const [what, raw, fields] of read)
    it(`is read as ${what}`, () => {
      assert.deepEqual(readInputs(raw), { fields });
    });

  it("keeps __proto__ as a name in a map", () => {
    assert.deepEqual(readInputs(JSON.parse('{"inputs": {"__proto__": "string"}}'))?.fields, [
      { name: "__proto__", type: "string" },
    ]);
  });

  it("is nothing else, which isn't a crew without inputs", () => {
    const wrapped = ["topic", 3, null, [null]].map((inputs) => ({ inputs }));
    for (const raw of [
      {},
      { detail: "Hello" },
      { topic: "string" },
      { properties: "string" },
      { ok: true },
      "inputs",
      3,
      null,
      [3, {}],
      ...wrapped,
    ])
      assert.equal(readInputs(raw), undefined, JSON.stringify(raw));
  });
});
