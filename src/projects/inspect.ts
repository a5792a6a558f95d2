import * as l10n from "@vscode/l10n";
import { isFilled, shortName } from "../base/text.ts";
import { askedNames, type Definition } from "./definition.ts";
import { readDefinitions } from "./read.ts";
import { Reading } from "./reading.ts";
import type { Place } from "./source.ts";
import { inputNames, type Position, type ProjectProblem } from "./types.ts";

/** A place of the crew, of tasks, or of both. */
export interface Spot {
  readonly at: Position;
  /** `part`: a file that has only agents. */
  readonly crew?: "whole" | "part";
  /** The crew's class, where the project has several crews. */
  readonly crewClass?: string;
  /** Their ids. */
  readonly tasks: readonly string[];
}

/** A name in one place that is defined in another. */
interface Reference {
  readonly at: Position;
  readonly target: Position;
}

export interface Inspection {
  readonly problems: readonly ProjectProblem[];
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
  const spots: Spot[] = [];
  const references: Reference[] = [];
  const projects = await reading.attempt(() => readDefinitions(reading));
  for (const project of projects ?? []) {
    const { crewClass } = project;
    checkPlaceholders(project);
    const own = [...methodSpots(project), ...spotsIn(project)];
    spots.push(...own.map((spot) => ({ ...spot, ...(crewClass !== undefined && { crewClass }) })));
    references.push(...referencesIn(project));
  }
  return { problems: reading.problems, spots, references };
}

/** Placeholders of one text that are looked at; each takes a search through its file. */
const mostMarked = 100;
/** Where crewAI fills placeholders: those of these fields become inputs. */
const asking = { agent: ["role", "goal", "backstory"], task: ["description", "expected_output"] };

function checkPlaceholders(project: Definition): void {
  const { agents, tasks, defaults = {} } = project;
  const inputs = askedNames(project);
  const used = new Set(inputs);
  const warn = (place: Place, name: string, problem: string, expected: string) =>
    place.report(problem, expected, `{${name}}`, "warning");
  const inField = (kind: keyof typeof asking) => (place: Place, key: string) => {
    if (typeof place.value !== "string") return;
    const plain = inputNames([place.value]).filter(isFilled).slice(0, mostMarked);
    if (asking[kind].includes(key)) {
      for (const name of inputNames([place.value]).slice(0, mostMarked))
        if (!isFilled(name))
          warn(
            place,
            name,
            l10n.t('"{0}" becomes an input, but crewAI doesn\'t fill it in.', shortName(name)),
            l10n.t('a name of the letters A to Z, digits, "_" and "-", or no braces.'),
          );
    } else if (kind === "task" && key === "output_file") {
      for (const name of plain) {
        used.add(name);
        if (!inputs.includes(name) && !Object.hasOwn(defaults, name))
          warn(
            place,
            name,
            l10n.t('A deployed crew doesn\'t ask for "{0}", and fails without it.', name),
            l10n.t(
              "a placeholder that a description, expected output, role, goal or backstory has.",
            ),
          );
      }
    } else if (!key.endsWith("_template"))
      for (const name of plain)
        warn(
          place,
          name,
          l10n.t('crewAI doesn\'t fill placeholders in "{0}".', key),
          l10n.t("text without {0}.", `{${name}}`),
        );
  };
  for (const { place } of agents) place?.inside.forEach(inField("agent"));
  for (const { place } of tasks) place?.inside.forEach(inField("task"));
  for (const [name, place] of project.crew?.inside.get("inputs")?.inside ?? [])
    if (!used.has(name))
      place.report(
        l10n.t('No placeholder uses the input "{0}".', name),
        l10n.t("{0} in the text of a task or an agent.", `{${name}}`),
        undefined,
        "unused",
      );
}

function spotsIn({ kind, configs, crew, agents, tasks }: Definition): Spot[] {
  const top = (file: string | undefined, crew: "part" | "whole"): Spot[] =>
    file === undefined ? [] : [{ at: { file, line: 1, column: 1 }, crew, tasks: [] }];
  const crews: Spot[] = [
    ...top(configs?.agents, "part"),
    ...top(configs?.tasks, "whole"),
    ...(crew === undefined ? [] : [{ at: crew.position, crew: "whole" as const, tasks: [] }]),
  ];
  return [
    ...crews,
    ...agents.flatMap(({ value, place, isUnused }): Spot[] => {
      if (place === undefined || isUnused) return [];
      const own = tasks.filter((task) => task.value.agent === value.name);
      return [
        {
          at: place.position,
          ...(kind === "declarative" && { crew: "part" }),
          tasks: own.map((task) => task.value.id),
        },
      ];
    }),
    ...tasks.flatMap(({ value, place, isUnused }) =>
      place === undefined || isUnused ? [] : [{ at: place.position, tasks: [value.id] }],
    ),
  ];
}

/** In `crew.py`. */
function methodSpots({ entry, methods = [] }: Definition): Spot[] {
  return methods.flatMap((method): Spot[] => {
    const { line, column, name } = method;
    const at = { file: entry, line, column };
    if (method.kind === "crew") return [{ at, crew: "whole", tasks: [] }];
    return method.kind === "task" ? [{ at, tasks: [name] }] : [];
  });
}

function referencesIn({ crew, agents, tasks }: Definition): Reference[] {
  const agentPlaces = new Map(agents.map(({ value, place }) => [value.name, place]));
  const taskPlaces = new Map(tasks.map(({ value, place }) => [value.id, place]));
  const to = (places: ReadonlyMap<string, Place | undefined>) => (place: Place | undefined) => {
    const target = typeof place?.value === "string" ? places.get(place.value) : undefined;
    return place && target ? [{ at: place.position, target: target.position }] : [];
  };
  const toAgent = to(agentPlaces);
  return [
    ...(crew?.inside.get("agents")?.list ?? []).flatMap(toAgent),
    ...toAgent(crew?.inside.get("manager_agent")),
    ...tasks.flatMap(({ place }) => [
      ...toAgent(place?.inside.get("agent")),
      ...(place?.inside.get("context")?.list ?? []).flatMap(to(taskPlaces)),
    ]),
  ];
}
