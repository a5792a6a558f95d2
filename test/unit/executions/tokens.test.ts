import assert from "node:assert/strict";
import type { ActivityEvent, TokenUsage } from "../../../src/api/types.ts";
import { activityOf } from "../../../src/executions/activity.ts";
import { withTimes } from "../../../src/executions/times.ts";
import {
  spanTokenUses,
  taskTokenUse,
  tokenUse,
  costOf,
  priceOf,
  readPrices,
} from "../../../src/executions/tokens.ts";
import { anEvent as event, anExecution, usage } from "./samples.ts";

const modelUse = (model: string, prompt: number, completion: number) => ({
  model,
  tokens: usage(prompt, completion),
});

function call(id: string, taskName: string, model: string, tokens: TokenUsage): ActivityEvent[] {
  return [
    event(id, "llm_call_started", 3, { parentId: `task ${taskName}`, model }),
    event(`${id} end`, "llm_call_completed", 4, { startedId: id, tokens }),
  ];
}

const events = [
  event("task plan", "task_started", 2, { taskName: "plan" }),
  ...call("a", "plan", "small", usage(100, 10)),
  ...call("b", "plan", "large", usage(50, 5)),
  event("task plan end", "task_completed", 5, { startedId: "task plan" }),
  event("task write", "task_started", 6, { taskName: "write" }),
  ...call("c", "write", "small", usage(20, 2)),
];
const tasks = ["plan", "write"].map((taskId) => ({
  taskId,
  state: "completed" as const,
  attempts: [],
}));
const running = anExecution({ state: "running", tasks });
const counted = withTimes(running, activityOf(running, { events, left: 0 }));

describe("tokens", () => {
  it("of an execution and of a task are its model calls', by model", () => {
    assert.deepEqual(tokenUse(counted), {
      tokens: usage(170, 17),
      models: [modelUse("small", 120, 12), modelUse("large", 50, 5)],
    });
    assert.deepEqual(counted.tasks.map(taskTokenUse), [
      { tokens: usage(150, 15), models: [modelUse("small", 100, 10), modelUse("large", 50, 5)] },
      { tokens: usage(20, 2), models: [modelUse("small", 20, 2)] },
    ]);
  });

  it("that only the crew reports are of a model that isn't known", () => {
    const rest = tokenUse({ ...counted, usage: usage(200, 20) });
    assert.deepEqual(rest?.tokens, usage(200, 20));
    assert.deepEqual(rest.models.at(-1), { tokens: usage(30, 3) });
    const all = tokenUse({ ...running, usage: { total: 9 } });
    assert.deepEqual(all, { tokens: { total: 9 }, models: [{ tokens: { total: 9 } }] });
  });

  it("are the only model's if the crew reports more than its calls", () => {
    const models = [modelUse("small", 1, 1)];
    const use = tokenUse({ ...running, models, usage: usage(200, 20) });
    assert.deepEqual(use, { tokens: usage(200, 20), models: [modelUse("small", 200, 20)] });
  });

  it("are unknown, not zero, without a report", () => {
    assert.equal(tokenUse(running), undefined);
    assert.deepEqual(running.tasks.map(taskTokenUse), [undefined, undefined]);
  });

  it("of a span are also those of what is below it", () => {
    const { spans } = activityOf(running, { events, left: 0 });
    const uses = spanTokenUses(spans);
    assert.deepEqual(uses.get("crew"), tokenUse(counted));
    assert.deepEqual(uses.get("task plan"), taskTokenUse(counted.tasks[0]!));
    assert.deepEqual(uses.get("b")?.models, [modelUse("large", 50, 5)]);
    assert.equal(uses.get("queue"), undefined);
  });
});

const million = { total: 2_000_000, prompt: 1_000_000, completion: 1_000_000 };
const price = (pattern: string, input = 1, output = 2) => ({ pattern, input, output });

describe("the setting crewdeck.prices", () => {
  it("gives each model pattern a price for input and output", () => {
    const prices = readPrices({ "gpt-4o-mini*": { input: 0.15, output: 0.6 } });
    assert.deepEqual(prices, [{ pattern: "gpt-4o-mini*", input: 0.15, output: 0.6 }]);
    for (const none of [undefined, null, {}, [], "cheap", 3])
      assert.deepEqual(readPrices(none), []);
  });

  const wrongInputs = [-1, "1", NaN].map((input) => ({ input, output: 2 }));
  const bad = [{ input: 1 }, ...wrongInputs, 3, null, []];
  for (const entry of bad)
    it(`ignores a bad entry and keeps the others: ${JSON.stringify(entry)}`, () => {
      const prices = readPrices({ wrong: entry, right: { input: 1, output: 2 } });
      assert.deepEqual(prices, [price("right")]);
    });
});

describe("the price of a model", () => {
  for (const [model, pattern, fits] of [
    ["gpt-4o", "gpt-4o", true],
    ["openai/gpt-4o", "gpt-4o", true],
    ["openai/gpt-4o", "openai/*", true],
    ["OpenAI/GPT-4o", "openai/gpt-4O", true],
    ["gpt-4o-mini-2024-07-18", "gpt-*-mini*", true],
    ["azure/openai/o1", "o1", true],
    ["anything", "*", true],
    ["a", "***", true],
    ["gpt-4o-mini", "gpt-4o", false],
    ["gpt-4o", "*-mini", false],
    ["aba", "ab*ba", false],
    ["gpt.4o", "gpt?4o", false],
  ] as const)
    it(`of ${model} is ${fits ? "" : "not "}that of ${pattern}`, () =>
      assert.equal(priceOf(model, [price(pattern)])?.pattern, fits ? pattern : undefined));

  it("is that of the longest pattern, whatever the order", () => {
    const prices = [price("*"), price("gpt-4o-mini*"), price("gpt-*")];
    for (const all of [prices, prices.toReversed()])
      assert.equal(priceOf("gpt-4o-mini", all)?.pattern, "gpt-4o-mini*");
  });

  it("is that of * if the model isn't known", () => {
    assert.equal(priceOf(undefined, [price("*"), price("gpt")])?.pattern, "*");
    assert.equal(priceOf(undefined, [price("gpt*")]), undefined);
  });
});

describe("the estimated cost", () => {
  it("counts input and output of each model with its price", () => {
    const models = ["small", "large"].map((model) => ({ model, tokens: million }));
    const use = { tokens: { total: 4_000_000 }, models };
    const prices = [price("small", 0.5, 1), price("large", 10, 30)];
    assert.deepEqual(costOf(use, prices), { amount: 41.5, unpriced: 0 });
    assert.deepEqual(costOf(use, prices.slice(1)), { amount: 40, unpriced: 2_000_000 });
  });

  it("is unknown without prices, and for tokens that have none", () => {
    const use = { tokens: million, models: [{ tokens: million }] };
    assert.equal(costOf(use, []), undefined);
    assert.equal(costOf(use, [price("gpt")]), undefined);
    assert.equal(costOf(undefined, [price("*")]), undefined);
  });

  it("needs input and output apart, unless both cost the same", () => {
    const use = { tokens: { total: 1_000_000 }, models: [{ tokens: { total: 1_000_000 } }] };
    assert.equal(costOf(use, [price("*", 1, 2)]), undefined);
    assert.deepEqual(costOf(use, [price("*", 3, 3)]), { amount: 3, unpriced: 0 });
  });
});
