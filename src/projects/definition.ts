import { given, readFlag } from "./fields.ts";
import type { ProjectAgent, ProjectTask } from "./types.ts";
import type { Place } from "./value.ts";

/** An agent's definition, the same in YAML and JSON. */
export function readAgent(name: string, place: Place): ProjectAgent {
  const members = place.members("the agent's role, goal and backstory.");
  const repository = given(members.get("from_repository"))?.text("the agent's name in the repository.");
  const field = (key: string): string | undefined => {
    const text = given(members.get(key))?.text(`text for the agent's ${key}.`);
    // The fields of an agent kept in a repository come from there and can't be read here.
    if (text !== undefined || repository !== undefined) return text;
    throw (members.get(key) ?? place).error(`The agent "${name}" has no ${key}.`, `"${key}" with a text.`);
  };
  return { name, role: field("role") ?? repository ?? name, goal: field("goal") ?? "", backstory: field("backstory") ?? "" };
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
  const members = place.members("the task's description and expected_output.");
  const text = (key: string): string => {
    const text = given(members.get(key))?.text(`text for the task's ${key}.`);
    if (text === undefined) throw (members.get(key) ?? place).error(`The task "${id}" has no ${key}.`, `"${key}" with a text.`);
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
  const name = given(place)?.text("the name of an agent.");
  if (place === undefined || name === undefined) return undefined;
  if (!agents.includes(name)) throw place.error(`There is no agent "${name}".`, oneOf(agents));
  return name;
}

/** An empty context means that the task sees no earlier output (crewAI's `Crew._get_context`); an absent one that it sees all. */
function readContext(place: Place | undefined, id: string, { earlier, tasks }: Known): string[] | undefined {
  if (place === undefined) return undefined;
  if (place.value === null) return [];
  return place.items("a list of names of earlier tasks.").map((item) => {
    const name = item.text("the name of an earlier task.");
    if (earlier.includes(name)) return name;
    if (name === id) throw item.error(`The task "${id}" names itself.`, oneOf(earlier));
    throw item.error(tasks.includes(name) ? `The task "${name}" comes later.` : `There is no task "${name}".`, oneOf(earlier));
  });
}

function oneOf(names: readonly string[]): string {
  return names.length === 0 ? "none here, since nothing comes before." : `one of ${names.map((name) => `"${name}"`).join(", ")}.`;
}
