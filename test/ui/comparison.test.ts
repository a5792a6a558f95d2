import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import { themes } from "../support/built-page.ts";
import { comparedSamples } from "../support/page/comparison-samples.ts";
import { ComparisonWindow } from "../support/page/comparison-window.ts";
import { violationsIn } from "./accessibility.ts";

const prices = [
  { pattern: "gpt-5-mini", input: 0.25, output: 2 },
  { pattern: "gpt-5", input: 1.25, output: 10 },
];

describe("A comparison of two executions in a browser", () => {
  const window = new ComparisonWindow();

  for (const theme of Object.keys(themes)) {
    it(`has no accessibility problem that axe finds in ${theme}, and uses VS Code's colours`, async () => {
      const page = await window.open({
        pair: comparedSamples(),
        prices,
        theme,
        size: { width: 1200, height: 2400 },
      });
      await page.locator(".small-timeline:not(.unstyled)").nth(1).waitFor();
      await page.screenshot({
        path: `out/comparison-${theme.replaceAll(" ", "-")}.png`,
        fullPage: true,
      });
      assert.deepEqual(await violationsIn(page), []);
      const style = readFileSync(path.join(projectFolder, "dist/webview/comparison.css"), "utf8");
      const used = [...style.matchAll(/var\((--vscode-[\w-]+)\)/g)].map((match) => match[1]!);
      assert.deepEqual(
        used.filter((name) => !(name in themes[theme]!.variables)),
        [],
      );
    });
  }
  it("narrow", async () => {
    const page = await window.open({
      pair: comparedSamples(),
      prices,
      size: { width: 700, height: 2600 },
    });
    await page.locator(".small-timeline:not(.unstyled)").nth(1).waitFor();
    await page.screenshot({ path: `out/comparison-narrow.png`, fullPage: true });
  });
});
