import * as l10n from "@vscode/l10n";
import path from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { crewsBelow } from "./find.ts";
import { flowsIn, modelsIn, type Model } from "./python-source.ts";
import { foldersIn, isFile, pythonFilesIn, type Reading } from "./reading.ts";
import { parseYaml, type Place } from "./source.ts";
import { ProjectError, type CrewProject, type Position } from "./types.ts";

/** Methods are the tasks, fields of the state the inputs. @param at what says that it is a flow. @throws {ProjectError} if it has no file */
export async function readFlow(reading: Reading, name: string, at: Position): Promise<CrewProject> {
  const entry = await mainFile(reading.folder, name);
  if (entry === undefined)
    throw new ProjectError(
      l10n.t("A flow needs src/<package>/main.py with a class that derives from Flow.") +
        (await crewsBelow(reading.folder)),
      at,
    );
  const { text = "" } = (await reading.attempt(() => reading.text(entry))) ?? {};
  const { flows, main } = flowsIn(text);
  if (!main?.methods.size)
    reading.report(
      new ProjectError(
        flows.length > 1 && main === undefined
          ? l10n.t('The file has several flows, and no function "kickoff" that starts one of them.')
          : l10n.t("The file has no flow: a class that derives from Flow, with @start methods."),
        { file: entry, line: 1, column: 1 },
      ),
    );
  const fields = main?.state === undefined ? [] : await fieldsOf(reading, entry, main.state);
  return flowOf(entry, name, main?.methods ?? [], fields);
}

export async function readDeclarativeFlow(
  reading: Reading,
  entry: string,
  name: string,
): Promise<CrewProject> {
  const read = async () => parseYaml(await reading.text(entry), reading);
  const whole = await reading.attempt(read);
  const schema = whole?.inside.get("schema");
  if (schema?.value !== "crewai.flow/v1")
    (schema ?? whole)?.report(l10n.t("This is no flow of the schema {0}.", "crewai.flow/v1"));
  const membersOf = (place: Place | undefined, key: string) => [
    ...(place?.given(key)?.members() ?? []),
  ];
  const methods = membersOf(whole, "methods").map(
    ([method, { inside }]) => [method, inside.has("human_feedback")] as const,
  );
  const state = whole?.inside.get("state");
  const declared = state?.inside.get("json_schema");
  const model = state?.inside.get("ref")?.value;
  const named = [...membersOf(declared, "properties"), ...membersOf(state, "default")];
  const fields = [
    ...named.map(([field]) => field),
    ...(typeof model === "string"
      ? await fieldsOf(reading, entry, model.split(/[.:]/).at(-1) ?? "")
      : []),
  ];
  const inputSchema = schemaOf(declared, state?.inside.get("default"));
  return {
    ...flowOf(entry, name, methods, [...new Set(fields)]),
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

function flowOf(
  entry: string,
  name: string,
  methods: Iterable<readonly [name: string, asks: boolean]>,
  fields: readonly string[],
): CrewProject {
  const tasks = Array.from(methods, ([id, humanInput]) => ({
    ...{ id, description: "", expectedOutput: "", humanInput },
  }));
  // Its ID belongs to crewAI, and is no input.
  const inputs = fields.filter((field) => field !== "id");
  return { kind: "flow", entry, name, agents: [], tasks, inputs };
}

async function mainFile(folder: string, name: string): Promise<string | undefined> {
  const packages = await foldersIn(path.join(folder, "src"));
  const own = packages.filter((each) => each === name.replaceAll("-", "_"));
  const places = [...own, ...packages].map((each) => `src/${each}/main.py`);
  for (const file of [...places, "main.py"]) if (await isFile(path.join(folder, file))) return file;
  return undefined;
}

const mostFiles = 200;

/** Those of its bases first. A model outside of the package has none that can be read. */
async function fieldsOf(reading: Reading, entry: string, model: string): Promise<string[]> {
  const files = [entry, ...(await pythonFiles(reading.folder, path.posix.dirname(entry)))];
  const known = new Map<string, Model>();
  for (const file of files.slice(0, mostFiles))
    for (const [name, each] of modelsIn(await reading.python(file)))
      if (!known.has(name)) known.set(name, each);
  const names = new Set([model]);
  for (const name of names) for (const base of known.get(name)?.bases ?? []) names.add(base);
  return [...new Set([...names].reverse().flatMap((name) => known.get(name)?.fields ?? []))];
}

async function pythonFiles(folder: string, below: string): Promise<string[]> {
  const found: string[] = [];
  const next = [below];
  for (let at = next.shift(); at !== undefined && found.length < mostFiles; at = next.shift()) {
    found.push(...(await pythonFilesIn(folder, at)));
    // A flow at the top of its project has no package.
    if (below === ".") break;
    for (const name of await foldersIn(path.join(folder, at)))
      if (!/^(\.|__pycache__$)/.test(name)) next.push(path.posix.join(at, name));
  }
  return found;
}
