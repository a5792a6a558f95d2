import * as l10n from "@vscode/l10n";
import path from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { crewsBelow } from "./find.ts";
import { filesIn, foldersIn, isFile } from "./files.ts";
import { flowsIn, mainFlow, modelsIn, type Model } from "./python-source.ts";
import { attempt, tryToRead, type Reading } from "./reading.ts";
import { given, parseYaml, type Place } from "./source.ts";
import { ProjectError, type CrewProject, type Position, type ProjectTask } from "./types.ts";

/**
 * Reads a flow without running it: its methods become the tasks, and the fields of its state model the inputs.
 * @param name of the project
 * @param at what says that it is a flow
 * @throws {ProjectError} if it has no file
 */
export async function readFlow(reading: Reading, name: string, at: Position): Promise<CrewProject> {
  const entry = await mainFile(reading.folder, name);
  if (entry === undefined)
    throw new ProjectError(
      l10n.t("This project is a flow without a main.py."),
      l10n.t("src/<package>/main.py with a class that derives from Flow.") +
        (await crewsBelow(reading.folder)),
      at,
    );
  const text = (await tryToRead(reading.report, () => reading.text(entry)))?.text ?? "";
  const all = flowsIn(text);
  const flow = mainFlow(text, all);
  if (flow === undefined || flow.methods.length === 0)
    reading.report(
      new ProjectError(
        all.length > 1
          ? l10n.t("It defines several flows: {0}.", all.map((each) => each.name).join(", "))
          : l10n.t("It defines no flow."),
        all.length > 1
          ? l10n.t('a function "kickoff" that starts one of them.')
          : l10n.t("a class that derives from Flow, with methods that have @start or @listen."),
        { file: entry, line: 1, column: 1 },
      ),
    );
  const methods = flow?.methods.map((method) => taskOf(method.name, method.asks)) ?? [];
  const state = flow?.state;
  return flowOf(
    entry,
    name,
    methods,
    state === undefined ? [] : await fieldsOf(reading, entry, state),
  );
}

/** Reads a flow of the schema `crewai.flow/v1`. */
export async function readDeclarativeFlow(
  reading: Reading,
  entry: string,
  name: string,
): Promise<CrewProject> {
  const { report } = reading;
  const whole = await tryToRead(report, async () => parseYaml(await reading.text(entry), reading));
  const parts = whole?.inside;
  const schema = parts?.get("schema");
  if (whole !== undefined && schema?.value !== "crewai.flow/v1" && !reading.broken.has(entry))
    report(
      (schema ?? whole).error(
        l10n.t("This is not the definition of a flow."),
        "schema: crewai.flow/v1",
      ),
    );
  const members = (place: Place | undefined) => {
    const read = () => given(place)?.members(l10n.t("an object of names and values."));
    return [...(attempt(report, read, undefined) ?? [])];
  };
  const tasks = members(parts?.get("methods")).map(([method, { inside }]) =>
    taskOf(method, inside.has("human_feedback")),
  );
  const state = parts?.get("state")?.inside;
  const named = (place: Place | undefined) => members(place).map(([name]) => name);
  const model = state?.get("ref")?.value;
  const fields = [
    ...named(state?.get("json_schema")?.inside.get("properties")),
    ...named(state?.get("default")),
    ...(typeof model === "string"
      ? await fieldsOf(reading, entry, model.split(/[.:]/).at(-1) ?? "")
      : []),
  ];
  const inputSchema = schemaOf(state?.get("json_schema"), state?.get("default"));
  return {
    ...flowOf(entry, name, tasks, [...new Set(fields)]),
    ...(inputSchema && { inputSchema }),
  };
}

/** What the state begins with is a default, whatever the schema says. */
function schemaOf(declared: Place | undefined, initial: Place | undefined): JsonObject | undefined {
  if (declared === undefined && initial === undefined) return undefined;
  const schema = objectIn(declared?.plain());
  const values = objectIn(initial?.plain());
  const properties = new Map(Object.entries(objectIn(schema["properties"])));
  for (const [name, value] of Object.entries(values))
    properties.set(name, { ...objectIn(properties.get(name)), default: value });
  const { required } = schema;
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: Array.isArray(required)
      ? required.filter((name) => !Object.hasOwn(values, String(name)))
      : [],
  };
}

function objectIn(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function taskOf(id: string, humanInput: boolean): ProjectTask {
  return { id, description: "", expectedOutput: "", humanInput };
}

/** Its ID belongs to crewAI, and is no input. */
function flowOf(
  entry: string,
  name: string,
  tasks: readonly ProjectTask[],
  fields: readonly string[],
): CrewProject {
  const inputs = fields.filter((field) => field !== "id");
  return { kind: "flow", entry, name, agents: [], tasks, inputs };
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

/** Python files that are searched for a state model, and characters in them. */
const mostFiles = 200;
const mostText = 10_000_000;

/** Those of its bases first. A model outside of the package has none that can be read. */
async function fieldsOf(reading: Reading, entry: string, model: string): Promise<string[]> {
  const files = [entry, ...(await pythonFiles(reading.folder, path.posix.dirname(entry)))];
  const known = new Map<string, Model>();
  let length = 0;
  for (const file of files) {
    // What isn't text is Python's to report.
    const text = (await reading.text(file).catch(() => undefined))?.text ?? "";
    if ((length += text.length) > mostText) break;
    for (const [name, each] of modelsIn(text)) if (!known.has(name)) known.set(name, each);
  }
  const names = new Set([model]);
  for (const name of names) for (const base of known.get(name)?.bases ?? []) names.add(base);
  return [...new Set([...names].reverse().flatMap((name) => known.get(name)?.fields ?? []))];
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
