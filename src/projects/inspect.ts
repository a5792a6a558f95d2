import type { Definition } from "./definition.ts";
import { readDefinitions } from "./read.ts";
import { Reading } from "./reading.ts";
import type { Place } from "./source.ts";
import type { Position } from "./types.ts";

export interface Spot {
  readonly at: Position;
  readonly isCrew: boolean;
  readonly crewClass?: string;
  readonly tasks: readonly string[];
}

export type Inspection = Awaited<ReturnType<typeof inspectProject>>;

/** Past its problems; all of several crews. `references`: where a task names its agent or a task before it, and where that is defined. @param textOf of a file that is being edited */
export async function inspectProject(
  folder: string,
  textOf?: (file: string) => string | undefined,
) {
  const reading = new Reading(folder, textOf);
  const projects = (await reading.attempt(() => readDefinitions(reading))) ?? [];
  const [spots, references] = [projects.flatMap(spotsIn), projects.flatMap(referencesIn)];
  return { problems: reading.problems, spots, references };
}

/** The methods in `crew.py` come first. */
function spotsIn(project: Definition): Spot[] {
  const { kind, entry, crewClass, configs, crew, agents, tasks, methods = [] } = project;
  const spot = (at: Position, of: readonly string[], isCrew = false): Spot => ({
    ...{ at, isCrew, tasks: of },
    ...(crewClass !== undefined && { crewClass }),
  });
  const tops = [configs?.tasks, configs?.agents].filter((file) => file !== undefined);
  return [
    ...methods.flatMap(({ kind: made, name, line, column }) => {
      const at = { file: entry, line, column };
      return made === "agent" ? [] : [spot(at, made === "crew" ? [] : [name], made === "crew")];
    }),
    ...(crew === undefined ? [] : [spot(crew.position, [], true)]),
    ...tops.map((file) => spot({ file, line: 1, column: 1 }, [], true)),
    ...agents.flatMap(({ name, place, isUnused }) => {
      if (place === undefined || isUnused) return [];
      const own = tasks.flatMap(({ value }) => (value.agent === name ? [value.id] : []));
      return [spot(place.position, own, kind === "declarative")];
    }),
    ...tasks.flatMap(({ value, place, isUnused }) =>
      place === undefined || isUnused ? [] : [spot(place.position, [value.id])],
    ),
  ];
}

function referencesIn({ agents, tasks }: Definition) {
  const agentAt = new Map(agents.map(({ name, place }) => [name, place]));
  const taskAt = new Map(tasks.map(({ value, place }) => [value.id, place]));
  const to = (places: typeof agentAt) => (from: Place | undefined) => {
    const target = typeof from?.value === "string" ? places.get(from.value) : undefined;
    return from && target ? [[from.position, target.position] as const] : [];
  };
  return tasks.flatMap(({ place }) => [
    ...to(agentAt)(place?.inside.get("agent")),
    ...(place?.inside.get("context")?.list ?? []).flatMap(to(taskAt)),
  ]);
}
