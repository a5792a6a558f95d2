import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { readPyProject } from "./pyproject.ts";
import { foldersIn, isFile, isFolder, Reading } from "./reading.ts";

export interface Interpreter {
  readonly python: string;
  readonly crewai: string | undefined;
}

type FindInterpreter = () => Promise<string | undefined>;

/** Those of a project itself: its environment, and the one that uv uses for it. Nothing is installed. */
export function projectInterpreters(folder: string): readonly FindInterpreter[] {
  const ofUv = async () => (await uv(["python", "find"], folder)) || undefined;
  return [() => pythonIn(path.join(folder, ".venv")), ofUv];
}

/** With crewAI, else the first. Runs no Python of the project; later finders aren't asked. */
export async function chooseInterpreter(finders: readonly FindInterpreter[]) {
  let first: Interpreter | undefined;
  for (const find of finders) {
    const python = await find();
    if (python === undefined || !(await isFile(python))) continue;
    const found = { python, crewai: await crewaiVersion(python) };
    if (found.crewai !== undefined) return found;
    first ??= found;
  }
  return first;
}

export async function pythonIn(environment: string): Promise<string | undefined> {
  for (const file of ["bin/python", "Scripts/python.exe", "python.exe"])
    if (await isFile(path.join(environment, file))) return path.join(environment, file);
  return undefined;
}

export async function pythonOnPath(isWindows: boolean): Promise<string | undefined> {
  const names = isWindows ? ["python.exe"] : ["python3", "python"];
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter))
    for (const name of path.isAbsolute(folder) ? names : [])
      if (await isFile(path.join(folder, name))) return path.join(folder, name);
  return undefined;
}

async function uv(args: readonly string[], cwd?: string): Promise<string | undefined> {
  const options = { ...(cwd !== undefined && { cwd }), timeout: 10_000, windowsHide: true };
  return await promisify(execFile)("uv", args, options).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** The version of crewAI that an interpreter would import, read from its files; undefined if it isn't installed. */
export async function crewaiVersion(python: string): Promise<string | undefined> {
  const whole = await realpath(python).catch(() => python);
  for (const file of new Set([python, whole]))
    for (const packages of await packageFolders(file)) {
      if (!(await isFolder(path.join(packages, "crewai")))) continue;
      const names = await foldersIn(packages);
      const versions = names.map((name) => /^crewai-(\d[^-]*)\.dist-info$/.exec(name)?.[1]);
      const version = versions.find((found) => found !== undefined);
      if (version !== undefined) return version;
    }
  return undefined;
}

export async function hasPackage(python: string, name: string): Promise<boolean> {
  for (const packages of await packageFolders(python))
    if (await isFolder(path.join(packages, name))) return true;
  return false;
}

async function packageFolders(python: string): Promise<string[]> {
  const folder = path.dirname(python);
  const root = path.dirname(folder);
  const libraries = [path.join(root, "Lib"), path.join(folder, "Lib")];
  for (const lib of ["lib", "lib64"])
    for (const name of await foldersIn(path.join(root, lib)))
      if (/^python3(\.\d+)?$/.test(name)) libraries.push(path.join(root, lib, name));
  const names = ["site-packages", "dist-packages"];
  return libraries.flatMap((library) => names.map((name) => path.join(library, name)));
}

/** The shell command that installs crewAI for a project, and what else it depends on, run in its folder. Compiled like this, as by pip, crewAI starts sooner. */
export async function setUpCommand(root: string, hasUv: boolean, isWindows: boolean) {
  const project = await readPyProject(new Reading(root));
  if (hasUv && project !== undefined) return "uv sync --compile-bytecode";
  const isPackage = project?.isCrewai === true && project.isPackage;
  const python = isWindows ? ".venv\\Scripts\\python" : ".venv/bin/python";
  const create = `${isWindows ? "python" : "python3"} -m venv .venv`;
  const install = `${python} -m pip install ${isPackage ? "--editable ." : "crewai"}`;
  return (await isFolder(path.join(root, ".venv"))) ? install : `${create} && ${install}`;
}

export async function findsUv(): Promise<boolean> {
  return (await uv(["--version"])) !== undefined;
}
