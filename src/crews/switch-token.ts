import * as vscode from "vscode";
import { UserError } from "../editor/errors.ts";
import { plainLabel, showStatus } from "../editor/messages.ts";
import { readTokenArguments } from "./arguments.ts";
import type { Crews } from "./crews.ts";
import { otherType } from "./token-entry.ts";
import { tokenInWords, tokenTypeName } from "./token-words.ts";
import type { Crew } from "./types.ts";

/**
 * Puts the other one of a crew's two tokens in use, or the one that the argument names.
 * @param raw `{crew, tokenType?}`
 * @returns the crew's name and which of its tokens is in use now
 * @throws UserError where that token is not on this machine
 */
export async function switchToken(crews: Crews, crew: Crew, raw?: unknown): Promise<object> {
  const state = await crews.tokenState(crew.id);
  const tokenType =
    readTokenArguments(raw).tokenType ??
    otherType(state.kind === "stored" ? state.inUse : "userBearer");
  await crews.useToken(crew, tokenType);
  showStatus(vscode.l10n.t("“{0}” uses {1} now.", crew.name, tokenInWords(tokenType)));
  return { crew: crew.name, tokenType };
}

/** Asks for one of the crews that have both tokens. Nothing when the person cancels. @throws UserError where none has both */
export async function chooseCrewWithTwoTokens(crews: Crews): Promise<Crew | undefined> {
  const states = await Promise.all(
    crews.list().map(async (crew) => ({ crew, state: await crews.tokenState(crew.id) })),
  );
  const items = states.flatMap(({ crew, state }) =>
    state.kind === "stored" && state.types.length > 1
      ? [
          {
            label: plainLabel(crew.name),
            description: vscode.l10n.t(
              "{0} in use; switch to {1}",
              tokenTypeName(state.inUse),
              tokenTypeName(otherType(state.inUse)),
            ),
            crew,
          },
        ]
      : [],
  );
  if (items.length > 0)
    return (
      await vscode.window.showQuickPick(items, {
        placeHolder: vscode.l10n.t("Switch the token of which crew?"),
        matchOnDescription: true,
      })
    )?.crew;
  throw new UserError(
    vscode.l10n.t("No crew has both tokens on this machine. Set the other token of one first."),
    [{ title: vscode.l10n.t("Set Token"), command: "crewdeck.setToken" }],
  );
}
