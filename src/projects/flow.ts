import * as l10n from "@vscode/l10n";
import path from "node:path";
import { filesIn, foldersIn, isFile } from "./files.ts";
import { flowsIn, mainFlow, modelIn } from "./flow-py.ts";
import type { Reading } from "./reading.ts";
import { ProjectError, type CrewProject, type Position } from "./types.ts";

interface FlowSettings {
  readonly name: string | undefined;
  readonly definition: string | undefined;
  /** Of `type = "flow"`. */
  readonly at: Position;
  /** What to add to a message: the crews inside. */
  readonly hint: () => Promise<string>;
}

/**
 * Reads a flow without running it: its methods become the tasks, and the fields of its state model the inputs.
 * @throws {ProjectError}
 */
export async function readFlow(reading: Reading, settings: FlowSettings): Promise<CrewProject> {
  const { name, definition, at, hint } = settings;
  if (definition !== undefined)
    throw new ProjectError(
      l10n.t('The flow is defined in "{0}", which Crewdeck can\'t run.', definition),
      l10n.t("a flow in Python: src/<package>/main.py.") + (await hint()),
      at,
    );
  const entry = await mainFile(reading.folder, name);
  if (entry === undefined)
    throw new ProjectError(
      l10n.t("This project is a flow without a main.py."),
      l10n.t("src/<package>/main.py with a class that derives from Flow.") + (await hint()),
      at,
    );
  const { text } = await reading.text(entry);
  const all = flowsIn(text);
  const flow = mainFlow(text, all);
  if (flow === undefined || flow.methods.length === 0)
    throw new ProjectError(
      all.length > 1
        ? l10n.t("It defines several flows: {0}.", all.map((each) => each.name).join(", "))
        : l10n.t("It defines no flow."),
      all.length > 1
        ? l10n.t('a function "kickoff" that starts one of them.')
        : l10n.t("a class that derives from Flow, with methods that have @start or @listen."),
      { file: entry, line: 1, column: 1 },
    );
  return {
    kind: "flow",
    entry,
    name: name ?? path.basename(path.resolve(reading.folder)),
    agents: [],
    tasks: flow.methods.map((method) => ({
      id: method.name,
      description: "",
      expectedOutput: "",
      humanInput: method.asks,
    })),
    inputs: flow.state === undefined ? [] : await fieldsOf(reading, entry, flow.state),
  };
}

/** Of the project's own package, else the first. */
async function mainFile(folder: string, name = ""): Promise<string | undefined> {
  const own = name.replaceAll("-", "_");
  const packages = await foldersIn(path.join(folder, "src"));
  for (const each of [own, ...packages]) {
    const file = path.posix.join("src", each, "main.py");
    if (packages.includes(each) && (await isFile(path.join(folder, file)))) return file;
  }
  return (await isFile(path.join(folder, "main.py"))) ? "main.py" : undefined;
}

/** Python files that are searched for a state model. */
const mostFiles = 200;

/** Without `id`, which belongs to crewAI. A model outside of the package has none that can be read. */
async function fieldsOf(reading: Reading, entry: string, model: string): Promise<string[]> {
  const files = [entry, ...(await pythonFiles(reading.folder, path.posix.dirname(entry)))];
  const texts = new Map<string, string>();
  const textOf = async (file: string) => {
    const known = texts.get(file);
    // What isn't text is Python's to report.
    const text = known ?? (await reading.text(file).catch(() => undefined))?.text ?? "";
    texts.set(file, text);
    return text;
  };
  const seen = new Set<string>();
  const fieldsIn = async (name: string): Promise<string[]> => {
    if (seen.has(name)) return [];
    seen.add(name);
    for (const file of files) {
      const found = modelIn(await textOf(file), name);
      if (found === undefined) continue;
      const inherited = await Promise.all(found.bases.map(fieldsIn));
      return [...inherited.flat(), ...found.fields];
    }
    return [];
  };
  return [...new Set(await fieldsIn(model))].filter((field) => field !== "id");
}

async function pythonFiles(folder: string, below: string): Promise<string[]> {
  const found: string[] = [];
  const next = [below];
  for (let at = next.shift(); at !== undefined && found.length < mostFiles; at = next.shift()) {
    const inside = path.join(folder, at);
    for (const name of await filesIn(inside))
      if (name.endsWith(".py")) found.push(path.posix.join(at, name));
    // A flow at the top of its project has no package.
    if (below === ".") break;
    for (const name of await foldersIn(inside))
      if (!/^(\.|__pycache__$)/.test(name)) next.push(path.posix.join(at, name));
  }
  return found;
}
