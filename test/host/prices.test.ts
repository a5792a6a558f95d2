import assert from "node:assert/strict";
import { createExtensionApi } from "../../src/actions/register.ts";
import { systemClock } from "../../src/base/clock.ts";
import { CurrentCircumstances } from "../../src/views/circumstances.ts";
import { Windows } from "../unit/sending/window.ts";
import { anExecution } from "../unit/views/executions.ts";
import { crewsOf } from "./execution-parts.ts";
import { set } from "./extension.ts";

const setPrices = (value: unknown) => set("prices", value);

describe("The prices of models", () => {
  afterEach(() => setPrices(undefined));

  it("are read from the setting, without a bad entry", async () => {
    await setPrices({ "gpt-4o": { input: 1, output: 2 }, "claude-*": { input: "three" } });
    const onDidChange = () => ({ dispose: () => undefined });
    const circumstances = new CurrentCircumstances({
      crews: { list: () => [], canStop: () => true, onDidChange },
      poller: { problemOf: () => undefined, onDidChange },
      outbox: { isUnderWay: () => false },
      clock: systemClock,
    });
    assert.deepEqual(circumstances.prices, [{ pattern: "gpt-4o", input: 1, output: 2 }]);
    const changed = new Promise((resolve) => circumstances.onDidChange(resolve));
    await setPrices({ "claude-*": { input: 3, output: 15 } });
    await changed;
    assert.deepEqual(circumstances.prices, [{ pattern: "claude-*", input: 3, output: 15 }]);
    circumstances.dispose();
  });

  it("give the API's executions and tasks, also of another window, an estimated cost beside their tokens", () => {
    const windows = new Windows();
    const [{ store }, other] = [windows.open(), windows.open()];
    const tokens = { total: 1_100_000, prompt: 1_000_000, completion: 100_000 };
    const models = [{ model: "gpt-4o", tokens }];
    const [research, review] = anExecution().tasks;
    const rest = { total: 900, prompt: 800, completion: 100 };
    other.store.add(
      anExecution({
        usage: { total: 1_100_900, prompt: 1_000_800, completion: 100_100 },
        models: [...models, { model: "other", tokens: rest }],
        tasks: [{ ...research!, times: { tokens, models } }, review!],
      }),
    );
    const parts = {
      crews: crewsOf(anExecution().crew),
      store,
      circumstances: { prices: [{ pattern: "gpt-4o", input: 2, output: 10 }] },
    };
    const { api, disposable } = createExtensionApi(parts, () => assert.fail("a verb"));
    const [execution] = api.executions();
    assert.equal(execution?.usage?.tokens.total, 1_100_900);
    assert.deepEqual(execution.usage.estimatedCost, { amount: 3, unpricedTokens: 900 });
    assert.deepEqual(
      execution.tasks.map(({ usage }) => usage),
      [{ tokens, models, estimatedCost: { amount: 3, unpricedTokens: 0 } }, undefined],
    );
    disposable.dispose();
  });
});
