import { CrewApi } from "./crew-api.ts";
import { crewaiEnv } from "./crewai.ts";
import { atEndOfTest } from "./ends.ts";
import { startModelServer } from "./model-server.ts";
import { startService, type StartOptions } from "./service.ts";
import { warmPython } from "./warm-python.ts";

export type Model = Awaited<ReturnType<typeof startModelServer>>;

/** A model that answers so, until the test ends. */
export async function startModel(answer: Parameters<typeof startModelServer>[0]): Promise<Model> {
  const model = await startModelServer(answer);
  atEndOfTest(() => model.stop());
  return model;
}

/** A service that runs a project with crewAI, whose crews ask this model, until the test ends, or all do. */
export async function serveProject(
  folder: string,
  model: Pick<Model, "url">,
  { python, args = [], env }: Omit<StartOptions, "folder"> & { readonly python?: string } = {},
  atEnd = atEndOfTest,
) {
  const interpreter = python ?? (await warmPython());
  const service = await startService({
    folder,
    args: ["--engine", "crewai", "--python", interpreter, ...args],
    env: { ...crewaiEnv(model), ...env },
  });
  atEnd(() => service.stop());
  return { service, api: new CrewApi(service) };
}
