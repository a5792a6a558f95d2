import assert from "node:assert/strict";
import { renderExecution } from "../../support/rendered.ts";
import { formatAmount, formatTokens } from "../../../src/view/words.ts";
import { executionRow, taskRow } from "../../../src/views/tree/execution-rows.ts";
import { usage } from "../executions/samples.ts";
import { anExecution } from "./executions.ts";

const [research, review] = anExecution().tasks;
const small = { model: "gpt-4o-mini", tokens: usage(1_200_000, 34_000) };
const large = { model: "# [a](b)", tokens: usage(100, 20) };
const counted = anExecution({
  usage: usage(1_200_300, 34_030),
  models: [small, large],
  tasks: [
    { ...research!, times: { tokens: small.tokens, models: [small] } },
    { ...review!, times: { tokens: large.tokens, models: [large] } },
  ],
});
const prices = [{ pattern: "gpt-4o-mini", input: 0.15, output: 0.6 }];
const now = Date.parse(counted.startedAt);

describe("tokens and their estimated cost", () => {
  it("are in the tooltips of the execution and its tasks", () => {
    const lines = executionRow(counted, now, { prices }).tooltip;
    assert.ok(lines.includes("1,234,330 tokens (1,200,300 in, 34,030 out)"), lines.join("\n"));
    assert.ok(lines.includes("estimated cost > $0.20"));
    const task = taskRow(counted.tasks[0]!, counted, { prices }).tooltip;
    assert.ok(task.includes("1,234,000 tokens (1,200,000 in, 34,000 out)"), task.join("\n"));
    assert.ok(task.includes("estimated cost $0.20"));
    const unpriced = executionRow(counted, now).tooltip.join("\n");
    assert.match(unpriced, /tokens/);
    assert.doesNotMatch(unpriced, /cost/);
    assert.doesNotMatch(executionRow(anExecution(), now).tooltip.join("\n"), /tokens/);
  });

  it("are in the document, at each task and by model", () => {
    const { text } = renderExecution(counted, { prices });
    const [, section] = /^## Tokens\n\n([^]*?)\n\n## /m.exec(text) ?? [];
    const [priced, unpriced] = ["1,234,000 tokens (1,200,000 in, 34,000 out)", "120 tokens"];
    assert.deepEqual(section?.split("\n"), [
      "- 1,234,330 tokens (1,200,300 in, 34,030 out)",
      "- estimated cost > $0.20",
      `- gpt-4o-mini: ${priced} · estimated cost $0.20`,
      `- \\# \\[a\\](b): ${unpriced} (100 in, 20 out)`,
      "- not known: 210 tokens (200 in, 10 out)",
    ]);
    assert.match(
      text,
      /^Completed · by Researcher · 1,234,000 tokens .* · estimated cost \$0\.20$/m,
    );
    assert.doesNotMatch(renderExecution(counted).text, /cost/i);
    assert.doesNotMatch(renderExecution(anExecution()).text, /tokens/i);
  });

  it("are short and readable", () => {
    assert.equal(formatTokens({ total: 1234 }), "1,234 tokens");
    const amounts = [0, 0.000123, 0.0099, 0.01, 0.0124, 1.255, 1234.5];
    assert.deepEqual(
      amounts.map((amount) => formatAmount({ amount, unpriced: 0 })),
      ["$0.00", "$0.00012", "$0.0099", "$0.01", "$0.012", "$1.26", "$1,234.50"],
    );
  });
});
