import * as l10n from "@vscode/l10n";
import { shortName } from "../base/text.ts";
import { readText, type TextFile } from "./files.ts";
import { plainProject, readDefinition, type ProjectDefinition } from "./read.ts";
import { tryToRead, type Reading } from "./reading.ts";
import type { Place } from "./source.ts";
import type { Position, ProjectError } from "./types.ts";

export interface Problem {
  readonly text: string;
  /** Undefined if it isn't about one file. */
  readonly at?: Position;
  /** `warning`: the crew runs; `unused`: a part without effect. */
  readonly kind: "error" | "warning" | "unused";
}

/** A place of the crew, of tasks, or of both. */
export interface Spot {
  readonly at: Position;
  /** `part`: a file that has only agents. */
  readonly crew?: "whole" | "part";
  /** Their ids. */
  readonly tasks: readonly string[];
}

/** A name in one place that is defined in another. */
interface Reference {
  readonly at: Position;
  readonly target: Position;
}

export interface Inspection {
  readonly problems: readonly Problem[];
  readonly spots: readonly Spot[];
  readonly references: readonly Reference[];
}

/**
 * Reads a project without running it, past its problems.
 * @param textOf the text of a file that is being edited; undefined for one on disk
 */
export async function inspectProject(
  folder: string,
  textOf: (file: string) => string | undefined = () => undefined,
): Promise<Inspection> {
  const problems: Problem[] = [];
  const broken = new Set<string>();
  const text = async (file: string): Promise<TextFile> => {
    const edited = textOf(file);
    return edited === undefined ? await readText(folder, file) : { file, text: edited };
  };
  const report = (error: ProjectError, kind: Problem["kind"] = "error") => {
    const { text, position } = error;
    if (position === undefined) problems.push({ text, kind });
    else if (!broken.has(position.file) && !problems.some(({ at }) => isSame(at, position)))
      problems.push({ text, kind, at: position });
  };
  const reading: Reading = { folder, text, broken, report: (error) => report(error) };
  const project = await tryToRead(reading.report, () => readDefinition(reading));
  if (project === undefined) return { problems, spots: [], references: [] };
  checkPlaceholders(project, report);
  return {
    problems,
    spots: [...methodSpots(project), ...spotsIn(project)],
    references: referencesIn(project),
  };
}

function isSame(one: Position | undefined, other: Position): boolean {
  return one?.file === other.file && one.line === other.line && one.column === other.column;
}

/** What crewAI replaces (`_VARIABLE_PATTERN` in `crewai.utilities.string_utils`, 1.0 to 1.15). */
const filled = /\{([A-Za-z_][A-Za-z0-9_-]*)\}/g;
/** Where crewAI fills placeholders: those of these fields become inputs. */
const asking = { agent: ["role", "goal", "backstory"], task: ["description", "expected_output"] };

function checkPlaceholders(
  project: ProjectDefinition,
  report: (error: ProjectError, kind: Problem["kind"]) => void,
): void {
  const { agents, tasks, defaults = {} } = project;
  const { inputs } = plainProject(project);
  const used = new Set(inputs);
  const warn = (place: Place, name: string, problem: string, expected: string) =>
    report(place.error(problem, expected, `{${name}}`), "warning");
  const inField = (kind: keyof typeof asking) => (place: Place, key: string) => {
    if (typeof place.value !== "string") return;
    const plain = [...place.value.matchAll(filled)].flatMap(([, name]) => name ?? []);
    if (asking[kind].includes(key)) {
      for (const name of inputs)
        if (!plain.includes(name) && place.value.includes(`{${name}}`))
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
            l10n.t('Nothing fills "{0}" here, and crewAI fails: it is no input of the crew.', name),
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
  for (const { place } of tasks) place.inside.forEach(inField("task"));
  for (const [name, place] of project.crew?.inside.get("inputs")?.inside ?? [])
    if (!used.has(name))
      report(
        place.error(
          l10n.t('No placeholder uses the input "{0}".', name),
          l10n.t("{0} in the text of a task or an agent.", `{${name}}`),
        ),
        "unused",
      );
}

function spotsIn({ kind, config, crew, agents, tasks }: ProjectDefinition): Spot[] {
  const top = (what: string): Position => ({ file: `${config}/${what}.yaml`, line: 1, column: 1 });
  const crews: Spot[] =
    kind === "classic"
      ? [
          { at: top("agents"), crew: "part", tasks: [] },
          { at: top("tasks"), crew: "whole", tasks: [] },
        ]
      : crew === undefined
        ? []
        : [{ at: crew.position, crew: "whole", tasks: [] }];
  return [
    ...crews,
    ...agents.flatMap(({ value, place }): Spot[] => {
      if (place === undefined) return [];
      const own = tasks.filter((task) => task.value.agent === value.name);
      return [
        {
          at: place.position,
          ...(kind === "declarative" && { crew: "part" }),
          tasks: own.map((task) => task.value.id),
        },
      ];
    }),
    ...tasks.map(({ value, place }) => ({ at: place.position, tasks: [value.id] })),
  ];
}

/** In `crew.py`. */
function methodSpots({ entry, methods = [] }: ProjectDefinition): Spot[] {
  return methods.flatMap((method): Spot[] => {
    const { line, column, name, config = name } = method;
    const at = { file: entry, line, column };
    if (method.kind === "crew") return [{ at, crew: "whole", tasks: [] }];
    // crewAI names a task like its method; the rehearsal, like its key.
    return method.kind === "task" ? [{ at, tasks: [...new Set([name, config])] }] : [];
  });
}

function referencesIn({ crew, agents, tasks }: ProjectDefinition): Reference[] {
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
      ...toAgent(place.inside.get("agent")),
      ...(place.inside.get("context")?.list ?? []).flatMap(to(taskPlaces)),
    ]),
  ];
}
