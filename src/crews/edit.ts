import * as vscode from "vscode";
import type { TypedToken } from "../api/types.ts";
import { UserError } from "../base/errors.ts";
import { converse } from "./conversation.ts";
import type { Crews } from "./crews.ts";
import { isWebAddress } from "./entries.ts";
import { editCrewAction } from "./errors.ts";
import { isSameOrigin } from "./identity.ts";
import {
  askAddress,
  askAfterFailure,
  askChoice,
  askName,
  askText,
  problemOf,
  whileTesting,
} from "./questions.ts";
import { askForToken } from "./set-token.ts";
import type { Crew } from "./types.ts";

/** Undefined if the person cancels. @throws UserError for a local crew */
export async function editCrew(crews: Crews, crew: Crew): Promise<Crew | undefined> {
  if (crew.local !== undefined)
    throw new UserError(
      vscode.l10n.t(
        "“{0}” runs on this machine: its name and address come from its folder.",
        crew.name,
      ),
    );
  const title = vscode.l10n.t("Edit “{0}”", crew.name);
  const { value: part } = await askChoice<"name" | "url" | "dashboardUrl">({
    title,
    placeholder: vscode.l10n.t("What do you want to change?"),
    choices: [
      { value: "name", label: vscode.l10n.t("Name"), description: crew.name },
      { value: "url", label: vscode.l10n.t("Address"), description: crew.url },
      {
        value: "dashboardUrl",
        label: vscode.l10n.t("Dashboard address"),
        description: crew.dashboardUrl ?? vscode.l10n.t("none"),
      },
    ],
  });
  if (part === undefined) return undefined;
  const edits = { name: rename, url: moveTo, dashboardUrl: changeDashboard };
  return edits[part](crews, crew, title);
}

async function rename(crews: Crews, crew: Crew, title: string): Promise<Crew | undefined> {
  const { left, value } = await askName({ title, value: crew.name }, (name) =>
    crews.checkChange(crew, { name }),
  );
  return left === "next" ? crews.change(crew, { name: value }) : undefined;
}

async function changeDashboard(crews: Crews, crew: Crew, title: string): Promise<Crew | undefined> {
  const { left, value } = await askText({
    title,
    prompt: vscode.l10n.t(
      "Address of the crew's page in the dashboard, for “Open Dashboard”. Leave it empty for none.",
    ),
    value: crew.dashboardUrl ?? "",
    validate: (text) => problemOf(() => crews.checkChange(crew, { dashboardUrl: text.trim() })),
  });
  return left === "next" ? crews.change(crew, { dashboardUrl: value.trim() }) : undefined;
}

/** Keeps the token for the same origin only. */
async function moveTo(crews: Crews, crew: Crew, title: string): Promise<Crew | undefined> {
  let typed = crew.url;
  return converse<"address", Crew | undefined>({
    steps: () => ["address"],
    async ask(_step, position) {
      const { left, value } = await askAddress({ title, position, value: typed });
      typed = value;
      return left;
    },
    async finish({ untested }) {
      const { url } = crews.checkChange(crew, { url: typed });
      if (url === crew.url) return crew;
      if (!isSameOrigin(url, crew.url)) {
        const why = vscode.l10n.t(
          "The token for {0} is never sent to another host.",
          new URL(crew.url).host,
        );
        const save = (token: TypedToken) => crews.change(crew, { url, token });
        return askForToken(crews, crew, save, { why, url });
      }
      const token = await crews.token(crew.id);
      if (!untested && token !== undefined)
        await whileTesting(url, (signal) => crews.test({ url, token }, signal));
      return crews.change(crew, { url });
    },
    failed: (error) =>
      askAfterFailure(error, vscode.l10n.t("The address of “{0}” is not changed yet", crew.name), {
        address: "address",
        last: "address",
      }),
  });
}

export function hasDashboard({ dashboardUrl = "" }: Crew): boolean {
  return isWebAddress(dashboardUrl);
}

export async function openDashboard(crew: Crew): Promise<string> {
  const { dashboardUrl = "" } = crew;
  if (!isWebAddress(dashboardUrl))
    throw new UserError(
      vscode.l10n.t(
        "The dashboard's address of “{0}” is not known. Add it to the crew first.",
        crew.name,
      ),
      crew.local === undefined ? [editCrewAction(crew)] : [],
    );
  await vscode.env.openExternal(vscode.Uri.parse(dashboardUrl, true));
  return dashboardUrl;
}
