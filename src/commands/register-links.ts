import * as vscode from "vscode";
import type { Crews } from "../crews/crews.ts";
import type { Links } from "./links.ts";

/** Takes deep links to this extension from now on. What follows them is loaded with the first. */
export function registerLinks(crews: Crews): vscode.Disposable {
  const run = (command: string, argument: object) =>
    vscode.commands.executeCommand(`crewdeck.${command}`, argument);
  let links: Promise<Links> | undefined;
  const load = () =>
    (links ??= import("./links.ts").then(
      ({ Links: Loaded }) => new Loaded({ crews, run, now: Date.now }),
    ));
  return vscode.window.registerUriHandler({
    handleUri: async (uri) => await (await load()).handleUri(uri),
  });
}
