#!/usr/bin/env node
// Replaces desktop VS Code's executable in runTests() of @vscode/test-electron: understands the flags that
// name an extension under development and a module of tests, and runs them in VS Code's server with a headless browser.
// It exits with the code of the tests. What the test module writes to the file named by CREWDECK_TEST_OUTPUT goes to standard
// output; the window's own console goes into out/host/window.log.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { format, parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { browserFlags, ensureBrowser } from "../test/support/browser.ts";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { pageAddress, startServer } from "../test/support/vscode-server.ts";
import { waitFor } from "../test/support/wait.ts";

const { values, positionals } = parseArgs({
  options: {
    extensionDevelopmentPath: { type: "string", multiple: true },
    extensionTestsPath: { type: "string" },
  },
  strict: false, // runTests() also hands over flags that only a desktop needs
  allowPositionals: true,
});
const tests = values.extensionTestsPath;
const [developed, helper] = (values.extensionDevelopmentPath ?? []).filter(
  (one) => typeof one === "string",
);
if (typeof tests !== "string" || developed === undefined) {
  console.error("Expected --extensionDevelopmentPath=… and --extensionTestsPath=…");
  process.exit(2);
}

const folder = temporaryFolder("host");
const output = path.join(folder, "output.txt");
const windowLog = path.join(projectFolder, "out", "host", "window.log");
mkdirSync(path.dirname(windowLog), { recursive: true });
writeFileSync(windowLog, "");

const server = await startServer({
  dataFolder: path.join(folder, "server"),
  isForTestModule: true,
  // A page's address can name one extension under development.
  ...(helper !== undefined && { extension: helper }),
  env: { CREWDECK_TEST_OUTPUT: output },
});
const browser = await chromium.launch({
  executablePath: await ensureBrowser(),
  args: browserFlags,
});
const outcome: { exitCode?: number } = {};
let shown = 0;
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  // VS Code's workbench calls these two, where a page has them, with each console line and when the test module has settled.
  await page.exposeFunction("codeAutomationLog", (type: string, args: unknown[]) =>
    appendFileSync(windowLog, `${type}: ${format(...args)}\n`),
  );
  await page.exposeFunction("codeAutomationExit", (code: number) => (outcome.exitCode = code));
  page.on("crash", () => (outcome.exitCode = 3));
  const development = [
    ["extensionDevelopmentPath", developed],
    ["extensionTestsPath", tests],
  ] as const;
  await page.goto(pageAddress(server.authority, positionals[0] ?? folder, development));
  const seconds = Number(process.env["CREWDECK_HOST_TEST_SECONDS"] ?? 1800);
  await waitFor("the tests in the extension host to end", isEnded, seconds * 1000);
  showOutput();
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (outcome.exitCode !== 0)
  console.log(`The window's own log: ${path.relative(process.cwd(), windowLog)}`);
process.exit(outcome.exitCode);

function isEnded(): boolean {
  showOutput();
  return outcome.exitCode !== undefined;
}

/** Prints what the tests wrote since the last call. */
function showOutput(): void {
  const text = existsSync(output) ? readFileSync(output, "utf8") : "";
  process.stdout.write(text.slice(shown));
  shown = text.length;
}
