import type { Definition } from "./definition.ts";
import { readDefinitions } from "./read.ts";
import { Reading } from "./reading.ts";
import type { Place } from "./source.ts";
import type { Position, ProjectError } from "./types.ts";

/** A place of the crew, of tasks, or of both. */
export interface Spot {
  readonly at: Position;
  /** `part`: a file that has only agents. */
  readonly crew?: "whole" | "part";
  /** The crew's class, where the project has several crews. */
  readonly crewClass?: string;
  readonly tasks: readonly string[];
}

/** A name in one place that is defined in another. */
interface Reference {
  readonly at: Position;
  readonly target: Position;
}

export interface Inspection {
  readonly problems: readonly ProjectError[];
  readonly spots: readonly Spot[];
  readonly references: readonly Reference[];
}

/**
 * Reads a project without running it, past its problems; of several crews in it, all.
 * @param textOf the text of a file that is being edited; undefined for one on disk
 */
export async function inspectProject(
  folder: string,
  textOf?: (file: string) => string | undefined,
): Promise<Inspection> {
  const reading = new Reading(folder, textOf);
  const projects = (await reading.attempt(() => readDefinitions(reading))) ?? [];
  return {
    problems: reading.problems,
    spots: projects.flatMap(spotsIn),
    references: projects.flatMap(referencesIn),
  };
}

/** The methods in `crew.py` come first. */
function spotsIn(project: Definition): Spot[] {
  const { kind, entry, crewClass, configs, crew, tasks, methods = [] } = project;
  const spot = (at: Position, of: readonly string[], crew?: Spot["crew"]): Spot => ({
    ...{ at, tasks: of },
    ...(crew !== undefined && { crew }),
    ...(crewClass !== undefined && { crewClass }),
  });
  const top = (file: string | undefined, of: Spot["crew"]) =>
    file === undefined ? [] : [spot({ file, line: 1, column: 1 }, [], of)];
  return [
    ...methods.flatMap(({ kind: made, name, line, column }) => {
      if (made === "agent") return [];
      const at = { file: entry, line, column };
      return [made === "crew" ? spot(at, [], "whole") : spot(at, [name])];
    }),
    ...top(configs?.agents, "part"),
    ...top(configs?.tasks, "whole"),
    ...(crew === undefined ? [] : [spot(crew.position, [], "whole")]),
    ...project.agents.flatMap(({ name, place, isUnused }) => {
      if (place === undefined || isUnused) return [];
      const own = tasks.flatMap(({ value }) => (value.agent === name ? [value.id] : []));
      return [spot(place.position, own, kind === "declarative" ? "part" : undefined)];
    }),
    ...tasks.flatMap(({ value, place, isUnused }) =>
      place === undefined || isUnused ? [] : [spot(place.position, [value.id])],
    ),
  ];
}

function referencesIn({ crew, agents, tasks }: Definition): Reference[] {
  const to = (places: ReadonlyMap<string, Place | undefined>) => (place: Place | undefined) => {
    const target = typeof place?.value === "string" ? places.get(place.value) : undefined;
    return place && target ? [{ at: place.position, target: target.position }] : [];
  };
  const toAgent = to(new Map(agents.map(({ name, place }) => [name, place])));
  const toTask = to(new Map(tasks.map(({ value, place }) => [value.id, place])));
  return [
    ...(crew?.inside.get("agents")?.list ?? []).flatMap(toAgent),
    ...toAgent(crew?.inside.get("manager_agent")),
    ...tasks.flatMap(({ place }) => [
      ...toAgent(place?.inside.get("agent")),
      ...(place?.inside.get("context")?.list ?? []).flatMap(toTask),
    ]),
  ];
}
