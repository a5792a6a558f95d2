import { CrewApi } from "./crew-api.ts";
import { crewaiEnv } from "./crewai.ts";
import type { endsOf } from "./ends.ts";
import { startModelServer } from "./model-server.ts";
import { startService, type StartOptions } from "./service.ts";
import { warmPython } from "./warm-python.ts";

type AtEnd = ReturnType<typeof endsOf>;

export type Model = Awaited<ReturnType<typeof startModelServer>>;

/** A model that answers so, until the end. */
export async function startModel(
  atEnd: AtEnd,
  answer: Parameters<typeof startModelServer>[0],
): Promise<Model> {
  const model = await startModelServer(answer);
  atEnd(() => model.stop());
  return model;
}

/** A service that runs a project with crewAI, whose crews ask this model, until the end. */
export async function serveProject(
  atEnd: AtEnd,
  folder: string,
  model: Pick<Model, "url">,
  { python, args = [], env }: Omit<StartOptions, "folder"> & { readonly python?: string } = {},
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
