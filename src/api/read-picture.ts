import { isObject, type UnknownObject } from "../base/json.ts";
import type { Picture } from "./types.ts";

/** Characters of base64. A larger picture isn't kept. */
const largest = 8_000_000;

/** How base64 of a file begins, by its first bytes. No SVG: it can have scripts. */
const beginnings: readonly (readonly [RegExp, Picture["type"]])[] = [
  [/^iVBORw0KGgo/, "png"],
  [/^\/9j\//, "jpg"],
  [/^R0lGOD/, "gif"],
  [/^UklGR/, "webp"],
];

/**
 * The picture in an event `image_generated`. The vendor names the event and its base64, but not the member, so each text is tried,
 * also as a data URL.
 */
export function pictureIn(event: UnknownObject): Picture | undefined {
  const own = Object.values(event);
  const values = [...own, ...own.filter(isObject).flatMap((inner) => Object.values(inner))];
  return values.map(pictureOf).find((picture) => picture !== undefined);
}

function pictureOf(value: unknown): Picture | undefined {
  if (typeof value !== "string" || value.length > largest) return undefined;
  const base64 = value.slice(value.startsWith("data:image/") ? value.indexOf(",") + 1 : 0);
  const type = beginnings.find(([beginning]) => beginning.test(base64))?.[1];
  return type && { type, base64 };
}
