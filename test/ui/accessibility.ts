import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Frame, Page } from "playwright-core";

declare global {
  interface Window {
    /** Defined by axe-core's script. */
    readonly axe: typeof axe;
  }
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The violations that axe-core finds in a page or a frame: each rule with the elements that break it. */
export async function violationsIn(place: Page | Frame): Promise<string[]> {
  await place.evaluate(axeSource);
  // Preloading adds style sheets, which a webview's policy refuses.
  const { violations } = await place.evaluate(() => window.axe.run({ preload: false }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
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
