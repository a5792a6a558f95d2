import { accessSync, constants } from "node:fs";
import path from "node:path";
import { runCommand } from "./commands.ts";

/** Command-line flags that make Chromium start in a container, quietly and without its own network traffic. */
export const browserFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const onPath = [
  "google-chrome",
  "google-chrome-stable",
  "chromium",
  "chromium-browser",
  "microsoft-edge",
  "microsoft-edge-stable",
  "chrome",
  "msedge",
];

const macPlaces = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

const windowsPlaces = [
  "Google\\Chrome\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
  "Chromium\\Application\\chrome.exe",
];

function findBrowser(): string | undefined {
  return candidates().find(isExecutable);
}

/**
 * An installed browser; as root on Debian one is installed if there is none.
 * @throws Error that names what to install
 */
export async function ensureBrowser(): Promise<string> {
  const found = findBrowser();
  if (found !== undefined) return found;
  if (
    process.platform === "linux" &&
    process.getuid?.() === 0 &&
    isExecutable("/usr/bin/apt-get")
  ) {
    console.log(
      "No Chrome, Edge or Chromium found: installing Debian's package chromium with apt-get.",
    );
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    for (const args of [["update"], ["install", "-y", "chromium"]]) {
      const { code, output } = await runCommand("apt-get", args, { env });
      if (code !== 0)
        throw new Error(`apt-get ${args.join(" ")} failed with code ${code}:\n${output}`);
    }
    const installed = findBrowser();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    "No browser found. Install Google Chrome, Microsoft Edge or Chromium, or name one in the environment variable CREWDECK_BROWSER.",
  );
}

function candidates(): string[] {
  const named = process.env["CREWDECK_BROWSER"];
  if (named !== undefined && named !== "") return [named];
  if (process.platform === "darwin") return macPlaces;
  if (process.platform === "win32") {
    const roots = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"]
      .map((name) => process.env[name])
      .filter((root) => root !== undefined);
    return roots.flatMap((root) => windowsPlaces.map((place) => path.join(root, place)));
  }
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return onPath.flatMap((name) => folders.map((folder) => path.join(folder, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // It is missing or can't be run.
    return false;
  }
}
