import * as l10n from "@vscode/l10n";

const units = {
  milliseconds: (count: number | string) => l10n.t("{0} ms", count),
  seconds: (count: number | string) => l10n.t("{0} s", count),
  minutes: (count: number | string) => l10n.t("{0} min", count),
  hours: (count: number | string) => l10n.t("{0} h", count),
  days: (count: number | string) => l10n.t("{0} d", count),
};

/** `fine` has milliseconds below a second and tenths below ten; `coarse` has steps of ten seconds, and none from a minute on. */
type Precision = "fine" | "seconds" | "coarse";

/** Of times on an axis: as short as possible, but no two are the same. */
export function tickTexts(ticks: readonly number[]): readonly string[] {
  const step = Math.min(...ticks.map((tick, at) => tick - (ticks[at - 1] ?? -Infinity)));
  const decimals = Math.max(0, Math.ceil(3 - Math.log10(step) - 1e-6));
  return ticks.map((tick) => wholeText(tick, decimals));
}

function wholeText(milliseconds: number, decimals: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = ((milliseconds % 60_000) / 1_000).toFixed(decimals);
  const parts = [
    [units.days, Math.floor(minutes / 1_440)],
    [units.hours, Math.floor(minutes / 60) % 24],
    [units.minutes, minutes % 60],
    [units.seconds, seconds],
  ] as const;
  const shown = parts.filter(([, count]) => Number(count) > 0);
  return (shown.length > 0 ? shown : parts.slice(-1)).map(([unit, count]) => unit(count)).join(" ");
}

/** In the two largest units, rounded down. */
export function formatSpan(milliseconds: number, precision: Precision = "seconds"): string {
  const all = Math.max(0, milliseconds);
  const isFine = precision === "fine";
  if (isFine && all > 0 && all < 1_000) return units.milliseconds(Math.floor(all));
  if (isFine && all < 10_000) return units.seconds(Math.floor(all / 100) / 10);
  const seconds = Math.floor(all / 1_000);
  const step = precision !== "coarse" ? 1 : seconds < 60 ? 10 : 60;
  const parts = [
    [units.days, Math.floor(seconds / 86_400)],
    [units.hours, Math.floor(seconds / 3_600) % 24],
    [units.minutes, Math.floor(seconds / 60) % 60],
    [units.seconds, (seconds % 60) - (seconds % step)],
  ] as const;
  const first = parts.findIndex(([, count]) => count > 0);
  if (first === -1) return units.seconds(0);
  return parts
    .slice(first, first + 2)
    .flatMap(([unit, count]) => (count > 0 ? [unit(count)] : []))
    .join(" ");
}
