// `npm start`: VS Code with Crewdeck as just built and the example crew served locally and connected. It uses the desktop's
// `code` if there is one and a display, else VS Code's server, whose address is printed. Ctrl+C ends everything.
// CREWDECK_VSCODE=desktop or =server chooses one; CREWDECK_START_DATA names another folder for VS Code's data and for the copy of the example crew.
import path from "node:path";
import { endWithParent } from "./end-with-parent.ts";
import { exampleCopy } from "./start/example-copy.ts";
import { downloadsFolder } from "../test/support/folders.ts";
import { startDesktop } from "./start/desktop.ts";
import { startInBrowser } from "./start/browser.ts";

endWithParent();
const dataFolder = path.resolve(
  process.env["CREWDECK_START_DATA"] ?? path.join(downloadsFolder, "start"),
);
const crew = exampleCopy(dataFolder);
const options = {
  dataFolder,
  workspace: crew,
  // The extension starts the local service for this crew, as the example crew.
  env: { CREWDECK_START_LOCAL: crew, CREWDECK_EXAMPLE_CREW: crew },
};
const running = (await startDesktop(options)) ?? (await startInBrowser(options));
console.log(running.greeting);
console.log("Press Ctrl+C to end it.");

let isEnding = false;
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => void end(0));
await running.ended;
await end(0);

/** Ends VS Code and its processes, once. */
async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await running.stop();
  process.exit(code);
}
