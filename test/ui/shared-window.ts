import { writeFileSync } from "node:fs";
import path from "node:path";
import { openWindow, type VSCodeWindow } from "../support/window.ts";

let opened: Promise<VSCodeWindow> | undefined;

/**
 * For a `describe` at its top: the one window that such tests share, because opening one takes longer than most of them. It is emptied
 * after the tests: no editors, crews, executions, secrets and choices.
 */
export function sharedWindow(settings: Record<string, unknown> = {}): () => VSCodeWindow {
  let window: VSCodeWindow;

  before(async () => {
    opened ??= openWindow();
    window = await opened;
    window.setSettings(settings);
  });

  after(async () => {
    const { messages } = window;
    await window.page.keyboard.press("Escape");
    await window.runCommand("View: Close All Editors");
    await window.runCommand("Crewdeck: Delete Local Data…");
    await messages.confirm("Delete Crewdeck's data from this machine?", "Delete Everything");
    await window.tree.open("Crewdeck");
    await window.page.getByRole("button", { name: "Try the Example Crew" }).waitFor();
    await window.runCommand("Notifications: Clear All Notifications");
    writeFileSync(path.join(window.dataFolder, "data", "User", "settings.json"), "{}");
  });

  return () => window;
}
