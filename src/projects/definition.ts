import * as l10n from "@vscode/l10n";
import type { ProjectAgent, ProjectTask } from "./types.ts";
import { given, type Place } from "./value.ts";

/** Reads an agent's definition, the same in YAML and JSON. */
export function readAgent(name: string, place: Place): ProjectAgent {
  const members = place.members(l10n.t("the agent's role, goal and backstory."));
  const repository = given(members.get("from_repository"))?.text(
    l10n.t("the agent's name in the repository."),
  );
  const field = (key: string): string | undefined => {
    const text = given(members.get(key))?.text(l10n.t("text for the agent's {0}.", key));
    // The fields of an agent from a repository are stored there.
    if (text !== undefined || repository !== undefined) return text;
    throw (members.get(key) ?? place).error(
      l10n.t('The agent "{0}" has no {1}.', name, key),
      l10n.t('"{0}" with text.', key),
    );
  };
  return {
    name,
    role: field("role") ?? repository ?? name,
    goal: field("goal") ?? "",
    backstory: field("backstory") ?? "",
  };
}

/** Names that a task may refer to. */
export interface Known {
  readonly agents: readonly string[];
  /** Tasks before this one. */
  readonly earlier: readonly string[];
  /** All tasks. */
  readonly tasks: readonly string[];
}

/** Reads a task's definition, the same in YAML and JSON. */
export function readTask(id: string, place: Place, known: Known): ProjectTask {
  const members = place.members(l10n.t("the task's description and expected_output."));
  const text = (key: string): string => {
    const text = given(members.get(key))?.text(l10n.t("text for the task's {0}.", key));
    if (text === undefined)
      throw (members.get(key) ?? place).error(
        l10n.t('The task "{0}" has no {1}.', id, key),
        l10n.t('"{0}" with text.', key),
      );
    return text;
  };
  const agent = readAgentName(members.get("agent"), known.agents);
  const context = readContext(members.get("context"), id, known);
  return {
    id,
    description: text("description"),
    expectedOutput: text("expected_output"),
    ...(agent === undefined ? {} : { agent }),
    ...(context === undefined ? {} : { context }),
    humanInput: readFlag(members.get("human_input")),
  };
}

function readAgentName(place: Place | undefined, agents: readonly string[]): string | undefined {
  const name = given(place)?.text(l10n.t("the name of an agent."));
  if (place === undefined || name === undefined) return undefined;
  if (!agents.includes(name))
    throw place.error(l10n.t('There is no agent "{0}".', name), oneOf(agents));
  return name;
}

/** With an empty context the task sees no earlier output (crewAI's `Crew._get_context`); without one it sees all. */
function readContext(
  place: Place | undefined,
  id: string,
  { earlier, tasks }: Known,
): string[] | undefined {
  if (place === undefined) return undefined;
  if (place.value === null) return [];
  return place.items(l10n.t("a list of names of earlier tasks.")).map((item) => {
    const name = item.text(l10n.t("the name of an earlier task."));
    if (earlier.includes(name)) return name;
    if (name === id)
      throw item.error(l10n.t('The task "{0}" refers to itself.', id), oneOf(earlier));
    throw item.error(
      tasks.includes(name)
        ? l10n.t('The task "{0}" comes later.', name)
        : l10n.t('There is no task "{0}".', name),
      oneOf(earlier),
    );
  });
}

function readFlag(place: Place | undefined): boolean {
  if (place === undefined || place.value === null) return false;
  if (typeof place.value === "boolean") return place.value;
  throw place.error(
    l10n.t("This is neither true nor false."),
    l10n.t("true or false, without quotes."),
  );
}

function oneOf(names: readonly string[]): string {
  return names.length === 0
    ? l10n.t("an empty list, because no task comes before this one.")
    : l10n.t("one of {0}.", names.map((name) => `"${name}"`).join(", "));
}
