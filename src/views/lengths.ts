/** Texts of units, with `{0}` for the number. */
export interface LengthUnits {
  readonly milliseconds: string;
  readonly seconds: string;
  readonly minutes: string;
  readonly hours: string;
  readonly days: string;
}

/**
 * How exact a length is: `fine` has milliseconds below a second and tenths below ten; `exact` has tenths
 * below a minute; `coarse` has steps of ten seconds, and none from a minute on.
 */
export type Precision = "fine" | "exact" | "seconds" | "coarse";

/** In the two largest units, rounded down. */
export function lengthText(
  milliseconds: number,
  units: LengthUnits,
  precision: Precision = "fine",
): string {
  const all = Math.max(0, milliseconds);
  const fill = (text: string, count: number) => text.replace("{0}", String(count));
  const isFine = precision === "fine" || precision === "exact";
  if (isFine && all > 0 && all < 1_000) return fill(units.milliseconds, Math.floor(all));
  if (isFine && all < (precision === "exact" ? 60_000 : 10_000))
    return fill(units.seconds, Math.floor(all / 100) / 10);
  const seconds = Math.floor(all / 1_000);
  const step = precision !== "coarse" ? 1 : seconds < 60 ? 10 : 60;
  const parts = [
    [units.days, Math.floor(seconds / 86_400)],
    [units.hours, Math.floor(seconds / 3_600) % 24],
    [units.minutes, Math.floor(seconds / 60) % 60],
    [units.seconds, (seconds % 60) - (seconds % step)],
  ] as const;
  const first = parts.findIndex(([, count]) => count > 0);
  if (first === -1) return fill(units.seconds, 0);
  return parts
    .slice(first, first + 2)
    .flatMap(([unit, count]) => (count > 0 ? [fill(unit, count)] : []))
    .join(" ");
}
