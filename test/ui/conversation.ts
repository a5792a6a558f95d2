import type { VSCodeWindow } from "../support/window.ts";

/** What a person answers when a crew is connected. */
export interface CrewToConnect {
  readonly url: string;
  readonly token: string;
  readonly name: string;
}

/** Connects a crew through the command palette, as a person does, and waits for its row in the view. */
export async function connectCrew(window: VSCodeWindow, { url, token, name }: CrewToConnect): Promise<void> {
  const { quickInput, tree } = window;
  await tree.open("Crewdeck");
  await window.runCommand("Crew: Connect a Crew…");
  await quickInput.answer("Address of the crew", url);
  await quickInput.answer("Token for", token);
  await quickInput.choose("Which kind of token", "Bearer Token");
  await quickInput.answer("Name of the crew", name);
  await tree.row(name).waitFor();
}
