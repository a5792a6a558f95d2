import * as vscode from "vscode";
import { NothingToDo, UserError } from "../base/errors.ts";
import type { Crew } from "../crews/types.ts";
import { choice, neededText, read, text } from "../editor/arguments.ts";
import {
  askFor,
  confirm,
  filled,
  plainLabel,
  plainMessage,
  showError,
  showStatus,
} from "../editor/messages.ts";
import { projectChoice, readBaseUrl, readKey, type ModelChoice, type Models } from "./models.ts";
import { editorModels } from "./chat.ts";

const members = { use: choice(["vscode", "endpoint", "project"]) };

/** What a program may know: never the key. Undefined if the person cancels. */
export async function chooseModel(
  models: Models,
  crew: Crew,
  argument: unknown,
  isPerson: boolean,
  changeEngine: () => Promise<unknown>,
): Promise<ModelChoice | undefined> {
  const use = isPerson
    ? await askUse(models.choice(crew.id), crew.name)
    : read(members, argument).use;
  if (use === undefined) return undefined;
  let chosen: Chosen | undefined = { choice: projectChoice };
  if (use === "vscode")
    chosen = await chooseOurs(crew, read({ model: text }, argument).model, isPerson);
  if (use === "endpoint")
    chosen = isPerson ? await askEndpoint(models, crew) : givenEndpoint(argument);
  if (chosen === undefined) return undefined;
  await models.choose(crew.id, chosen.choice, chosen.key);
  const name = nameOf(chosen.choice);
  if (crew.local?.engine === "crewai")
    showStatus(vscode.l10n.t("“{0}” uses {1} for its next executions", crew.name, name));
  else if (isPerson) void offerCrewai(crew.name, name, changeEngine).catch(showError);
  return chosen.choice;
}

async function offerCrewai(crew: string, model: string, changeEngine: () => Promise<unknown>) {
  const title = vscode.l10n.t("Use crewAI…");
  const text = vscode.l10n.t(
    "“{0}” is rehearsed, so no model is called. With crewAI, it uses {1}.",
    crew,
    model,
  );
  if ((await vscode.window.showInformationMessage(plainMessage(text), title)) === title)
    await changeEngine();
}

interface Chosen {
  readonly choice: ModelChoice;
  readonly key?: string;
}

function nameOf(choice: ModelChoice): string {
  switch (choice.use) {
    case "vscode":
      return choice.name;
    case "endpoint":
      return `${choice.model} (${new URL(choice.baseUrl).host})`;
    case "project":
      return vscode.l10n.t("the model that its project names");
  }
}

async function askUse(current: ModelChoice, crew: string) {
  const item = <Use extends ModelChoice["use"]>(use: Use, label: string, detail: string) => ({
    ...{ use, label, detail },
    ...(use === current.use && { description: plainLabel(nameOf(current)) }),
  });
  const items = [
    item(
      "vscode",
      vscode.l10n.t("Use VS Code's Models…"),
      vscode.l10n.t("Needs no key; counts against your plan."),
    ),
    item(
      "endpoint",
      vscode.l10n.t("Another Endpoint…"),
      vscode.l10n.t("Compatible with OpenAI's, also on this machine."),
    ),
    item(
      "project",
      vscode.l10n.t("What the Project's .env Says"),
      vscode.l10n.t("The variables that “crewai run” would use."),
    ),
  ];
  const placeHolder = vscode.l10n.t("Which model should “{0}” use?", crew);
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.use;
}

async function chooseOurs(
  crew: Crew,
  wanted: string | undefined,
  isPerson: boolean,
): Promise<Chosen | undefined> {
  const offered = await editorModels();
  if (offered.length === 0)
    throw new NothingToDo(
      vscode.l10n.t(
        "VS Code has no language models here. Set up GitHub Copilot or install an extension that provides models, or choose another endpoint.",
      ),
    );
  const model = isPerson
    ? await askModel(offered)
    : offered.find(({ id, vendor }) => id === wanted || `${vendor}/${id}` === wanted);
  if (model === undefined) {
    if (isPerson) return undefined;
    const names = offered.map(({ id, vendor }) => `${vendor}/${id}`).join(", ");
    throw new UserError(vscode.l10n.t("“{0}” must be one of {1}.", "model", names));
  }
  const isAllowed = await confirm(
    vscode.l10n.t("Let “{0}” use {1}?", crew.name, model.name),
    vscode.l10n.t(
      "While the crew runs on this machine, its Python code can send prompts to this model through Crewdeck. Each task makes several requests; they count against your plan at “{0}”. Other programs have no access.",
      model.vendor,
    ),
    vscode.l10n.t("Allow"),
  );
  if (!isAllowed) return undefined;
  const { vendor, id, name } = model;
  return { choice: { use: "vscode", vendor, id, name } };
}

async function askModel(offered: readonly vscode.LanguageModelChat[]) {
  const items = offered.map((model) => ({
    label: plainLabel(model.name),
    description: plainLabel(model.vendor),
    model,
  }));
  const placeHolder = vscode.l10n.t("Which of VS Code's models?");
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))
    ?.model;
}

function givenEndpoint(argument: unknown): Chosen {
  const given = read({ key: text, baseUrl: neededText, model: neededText }, argument);
  return endpoint(readBaseUrl(given.baseUrl), given.model, readKey(given.key ?? ""));
}

async function askEndpoint(models: Models, crew: Crew): Promise<Chosen | undefined> {
  const current = models.choice(crew.id);
  const before = current.use === "endpoint" ? current : undefined;
  const title = vscode.l10n.t("Model of “{0}”", crew.name);
  const address = await askFor(readBaseUrl, {
    title,
    prompt: vscode.l10n.t("Address of the endpoint, which ends before /chat/completions"),
    placeHolder: "http://127.0.0.1:11434/v1",
    value: before?.baseUrl ?? "",
  });
  if (address === undefined) return undefined;
  const model = await askFor(filled(vscode.l10n.t("Enter the model's name.")), {
    title,
    prompt: vscode.l10n.t("Model, as the endpoint names it"),
    value: before?.model ?? "",
  });
  if (model === undefined) return undefined;
  const kept = await models.key(crew.id, address);
  const { host } = new URL(address);
  const key = await askFor(readKey, {
    title,
    password: true,
    prompt: vscode.l10n.t(
      "Key for {0}. Leave it empty for none, or to keep the current one.",
      host,
    ),
  });
  return key === undefined ? undefined : endpoint(address, model, key === "" ? kept : key);
}

function endpoint(baseUrl: string, model: string, key = ""): Chosen {
  const choice = { use: "endpoint", baseUrl, model, hasKey: key !== "", at: Date.now() } as const;
  return { choice, key };
}
