import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Writes where this process of a suite stands beside the suite's report (CREWDECK_COUNTS), for whoever ends a suite that hangs. A
 * reporter can't: with --parallel it hears of a test when its whole file has ended.
 */
function note(words: string): void {
  const file = process.env["CREWDECK_COUNTS"];
  if (file !== undefined) writeFileSync(`${file}.at-${process.pid}`, words);
}

export function noteTest(this: Mocha.Context): void {
  note(`in “${this.currentTest?.fullTitle()}”`);
}

export function noteEnd(this: Mocha.Context): void {
  note(`after “${this.currentTest?.fullTitle()}”`);
}

/** Where the processes of a suite stand whose report would be this file. */
export function standingOf(counts: string): string {
  const folder = path.dirname(counts);
  const places = readdirSync(folder)
    .filter((name) => name.startsWith(`${path.basename(counts)}.at-`))
    .map((name) => readFileSync(path.join(folder, name), "utf8"));
  return places.length === 0 ? "before its first test" : places.join(" and ");
}
