import * as l10n from "@vscode/l10n";
import path from "node:path";
import { chooseConfig, configFolders, readClassic } from "./classic.ts";
import { readDeclarative } from "./declarative.ts";
import { isFile, isFolder } from "./files.ts";
import { readPyProject, type PyProject } from "./pyproject.ts";
import { placeholders } from "./render.ts";
import { ProjectError, type CrewProject, type ProjectAgent, type ProjectTask } from "./types.ts";

/** What a declarative crew's file is called where `pyproject.toml` does not say. */
const crewFiles = ["crew.jsonc", "crew.json"];

/**
 * Reads a crewAI project as `crewai create crew` makes it, without running any of it: a declarative one (`crew.jsonc`
 * and `agents/`) or a classic one (`config/agents.yaml` and `config/tasks.yaml`, at the top or in a package under `src`).
 * What a classic project says only in Python (`human_input` in `crew.py`, say) is not seen.
 * @param folder the project's folder
 * @throws ProjectError naming file, line and what is expected
 */
export async function readProject(folder: string): Promise<CrewProject> {
  if (!(await isFolder(folder)))
    throw new ProjectError(
      l10n.t("There is no folder {0}.", folder),
      l10n.t("the folder of a crewAI project."),
    );
  const pyproject = await readPyProject(folder);
  if (pyproject?.type === "flow") {
    throw new ProjectError(
      l10n.t("This project is a flow, not a crew."),
      l10n.t(
        'type = "crew". Flows are not served locally; a crew inside the flow can be: choose its own folder.',
      ),
      pyproject.at("type"),
    );
  }
  const named = pyproject?.name ?? path.basename(path.resolve(folder));
  const configured =
    pyproject?.definition === undefined
      ? undefined
      : await configuredFile(folder, pyproject, pyproject.definition);
  const config =
    configured === undefined
      ? chooseConfig(await configFolders(folder), pyproject?.name)
      : undefined;
  if (config !== undefined) {
    return finish({ kind: "classic", name: named, ...(await readClassic(folder, config)) });
  }
  const file = configured ?? (await findCrewFile(folder));
  if (file === undefined) throw notAProject(folder, pyproject);
  const declared = await readDeclarative(folder, file);
  return finish({ kind: "declarative", ...declared, name: declared.name ?? named });
}

/** The declarative crew's file at the top of a folder; nothing where there is none. */
export async function findCrewFile(folder: string): Promise<string | undefined> {
  for (const file of crewFiles) if (await isFile(path.join(folder, file))) return file;
  return undefined;
}

async function configuredFile(
  folder: string,
  pyproject: PyProject,
  definition: string,
): Promise<string> {
  const file = path.posix.normalize(definition.replaceAll("\\", "/"));
  const expected = l10n.t('a .jsonc or .json file inside the project, such as "crew.jsonc".');
  const leaves =
    path.posix.isAbsolute(file) || /^[a-z]:/i.test(file) || file.split("/").includes("..");
  if (leaves || !/\.jsonc?$/.test(file))
    throw new ProjectError(
      l10n.t("The definition \"{0}\" can't be a crew's file.", definition),
      expected,
      pyproject.at("definition"),
    );
  if (!(await isFile(path.join(folder, file))))
    throw new ProjectError(
      l10n.t('The file "{0}" is missing.', definition),
      expected,
      pyproject.at("definition"),
    );
  return file;
}

function notAProject(folder: string, pyproject: PyProject | undefined): ProjectError {
  const expected = l10n.t(
    "config/agents.yaml and config/tasks.yaml (at the top or under src/<package>/), or crew.jsonc with agents/.",
  );
  return new ProjectError(
    l10n.t('The folder "{0}" holds no crew.', path.basename(path.resolve(folder))),
    expected,
    pyproject?.type === undefined ? undefined : pyproject.at("type"),
  );
}

function finish(project: Omit<CrewProject, "inputs">): CrewProject {
  const { agents, tasks } = project;
  return {
    ...project,
    inputs: placeholders([...agents.flatMap(textsOfAgent), ...tasks.flatMap(textsOfTask)]),
  };
}

function textsOfAgent({ role, goal, backstory }: ProjectAgent): string[] {
  return [role, goal, backstory];
}

function textsOfTask({ description, expectedOutput }: ProjectTask): string[] {
  return [description, expectedOutput];
}
