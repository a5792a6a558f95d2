// `npm run screenshots`: tells the story in a real window and keeps its pictures in media/screenshots; the README shows reject.png.
import path from "node:path";
import { runCommand } from "./commands.ts";
import { projectFolder } from "./folders.ts";

const { code } = await runCommand(process.execPath, ["node_modules/mocha/bin/mocha.js", "--timeout", "120000", "--grep", "by mouse", "test/ui/story.test.ts"], {
  cwd: projectFolder,
  env: { ...process.env, CREWDECK_SCREENSHOTS: path.join("media", "screenshots") },
  isShown: true,
});
process.exitCode = code;
