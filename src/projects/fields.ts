import * as l10n from "@vscode/l10n";
import type { Place } from "./value.ts";

/** The member, unless it is absent or has no value (`role:` in YAML, `null` in JSON). */
export function given(place: Place | undefined): Place | undefined {
  return place?.value === null ? undefined : place;
}

/** A yes or no that is no where nothing is said. */
export function readFlag(place: Place | undefined): boolean {
  if (place === undefined || place.value === null) return false;
  if (typeof place.value === "boolean") return place.value;
  throw place.error(
    l10n.t("This is neither true nor false."),
    l10n.t("true or false, without quotes."),
  );
}
