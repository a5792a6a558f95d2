import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type axe from "axe-core";
import type { Page } from "playwright-core";
import { type BuiltPageOptions, themes } from "../support/built-page.ts";
import { projectFolder } from "../support/folders.ts";

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

interface Themed {
  readonly page: Page;
  setTheme(theme: string): Promise<void>;
}

/**
 * The violations that axe-core finds in an open page: each rule with the elements that break it. A theme changes colours only, so all
 * rules are checked in one theme, and those about colours in the others.
 */
export async function violationsIn(shown: Themed): Promise<string[]> {
  const { page } = shown;
  await page.evaluate(axeSource);
  const found: string[] = [];
  for (const [index, theme] of Object.keys(themes).entries()) {
    await shown.setTheme(theme);
    const { violations } = await page.evaluate(
      (rules) =>
        // Preloading adds style sheets, which a webview's policy refuses.
        window.axe.run({ preload: false, ...(rules && { runOnly: rules }) }),
      index === 0 ? undefined : ["color-contrast", "link-in-text-block"],
    );
    for (const { id, nodes } of violations)
      found.push(`${theme}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }
  return found;
}

export function unknownColours(name: BuiltPageOptions["name"]): string[] {
  const style = readFileSync(path.join(projectFolder, "dist/webview", `${name}.css`), "utf8");
  const used = [...style.matchAll(/var\((--vscode-[\w-]+)\)/g)].map((match) => match[1]!);
  assert.ok(used.length > 10);
  return Object.entries(themes).flatMap(([theme, { variables }]) =>
    used.filter((each) => !(each in variables)).map((each) => `${theme}: ${each}`),
  );
}

export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

/** The contrast of a colour on an opaque one, both as a browser computes them (WCAG 2.2, "contrast ratio"). */
export function contrast(above: string, below: string): number {
  const parts = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const under = parts(below);
  const [red = 0, green = 0, blue = 0, alpha = 1] = parts(above);
  const over = [red, green, blue].map((part, at) => part * alpha + (under[at] ?? 0) * (1 - alpha));
  const light = (colour: readonly number[]) => {
    const [r = 0, g = 0, b = 0] = colour.map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [one, other] = [light(over), light(under)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
