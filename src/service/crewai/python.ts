import { chooseInterpreter, projectInterpreters } from "../../projects/python.ts";

/** The interpreter of a project: its `.venv`, else the one that uv finds for it; one that has crewAI goes first. */
export async function findPython(folder: string): Promise<string | undefined> {
  return (await chooseInterpreter(projectInterpreters(folder)))?.python;
}

export function noPython(folder: string): string {
  return `The project in ${folder} has no Python environment. Create one with "uv sync" there, or choose an interpreter with --python.`;
}
