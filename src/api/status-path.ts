import * as l10n from "@vscode/l10n";
import { CrewApiError } from "./errors.ts";
import { isObject, parseJson } from "./json.ts";
import { isWellFormed } from "./one-line.ts";
import type { StatusPath } from "./types.ts";

/** Both status paths, the specification's first. The vendor's OpenAPI file has the other one. */
const paths: readonly StatusPath[] = ["/{kickoff_id}/status", "/status/{kickoff_id}"];

/** The status paths in the order in which to ask: the one that is known to work first. */
export function pathsToAsk(known: StatusPath | undefined): readonly StatusPath[] {
  return known === undefined ? paths : [known, ...paths.filter((path) => path !== known)];
}

/**
 * Puts an id into a status path.
 * @throws {CrewApiError} `badRequest`, nothing sent, for an id that would change the path, or that no path can carry
 */
export function fillPath(path: StatusPath, kickoffId: string): string {
  const id = kickoffId.trim();
  if (id === "" || id === "." || id === ".." || !isWellFormed(id)) {
    throw new CrewApiError({
      kind: "badRequest",
      message: l10n.t("That is no execution's id."),
      remedy: l10n.t("Use the kickoff_id that the crew answered when the execution was started."),
    });
  }
  return path.replace("{kickoff_id}", () => encodeURIComponent(id));
}

/**
 * Whether an error says that the crew has no such route, rather than no such execution. Seen for a route:
 * `{"detail":"Not Found"}`, a page, or nothing; an unknown execution is named as such.
 * @param path the path that was asked, whose own words do not count
 */
export function isUnknownRoute(error: unknown, path: string): boolean {
  if (!(error instanceof CrewApiError)) return false;
  if (error.status === 405) return true;
  if (error.status !== 404) return false;
  const body = parseJson(error.body ?? "");
  if (!isObject(body)) return true;
  const words = [body["error"], body["message"], body["detail"]]
    .filter((one) => typeof one === "string")
    .join(" ");
  return !/execution|kickoff|task/i.test(words.replaceAll(path, ""));
}
