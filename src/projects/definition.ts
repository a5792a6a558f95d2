import * as l10n from "@vscode/l10n";
import { given, readFlag } from "./fields.ts";
import type { ProjectAgent, ProjectTask } from "./types.ts";
import type { Place } from "./value.ts";

/** An agent's definition, the same in YAML and JSON. */
export function readAgent(name: string, place: Place): ProjectAgent {
  const members = place.members(l10n.t("the agent's role, goal and backstory."));
  const repository = given(members.get("from_repository"))?.text(
    l10n.t("the agent's name in the repository."),
  );
  const field = (key: string): string | undefined => {
    const text = given(members.get(key))?.text(l10n.t("text for the agent's {0}.", key));
    // The fields of an agent kept in a repository come from there and can't be read here.
    if (text !== undefined || repository !== undefined) return text;
    throw (members.get(key) ?? place).error(
      l10n.t('The agent "{0}" has no {1}.', name, key),
      l10n.t('"{0}" with a text.', key),
    );
  };
  return {
    name,
    role: field("role") ?? repository ?? name,
    goal: field("goal") ?? "",
    backstory: field("backstory") ?? "",
  };
}

/** What a task may refer to. */
export interface Known {
  /** Names of the project's agents. */
  readonly agents: readonly string[];
  /** Ids of the tasks that come before. */
  readonly earlier: readonly string[];
  /** Names of all tasks. */
  readonly tasks: readonly string[];
}

/** A task's definition, the same in YAML and JSON. */
export function readTask(id: string, place: Place, known: Known): ProjectTask {
  const members = place.members(l10n.t("the task's description and expected_output."));
  const text = (key: string): string => {
    const text = given(members.get(key))?.text(l10n.t("text for the task's {0}.", key));
    if (text === undefined)
      throw (members.get(key) ?? place).error(
        l10n.t('The task "{0}" has no {1}.', id, key),
        l10n.t('"{0}" with a text.', key),
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

/** An empty context means that the task sees no earlier output (crewAI's `Crew._get_context`); an absent one that it sees all. */
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
    if (name === id) throw item.error(l10n.t('The task "{0}" names itself.', id), oneOf(earlier));
    throw item.error(
      tasks.includes(name)
        ? l10n.t('The task "{0}" comes later.', name)
        : l10n.t('There is no task "{0}".', name),
      oneOf(earlier),
    );
  });
}

function oneOf(names: readonly string[]): string {
  return names.length === 0
    ? l10n.t("none here, since nothing comes before.")
    : l10n.t("one of {0}.", names.map((name) => `"${name}"`).join(", "));
}
