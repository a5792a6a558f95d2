import { existsSync } from "node:fs";
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

const onPath = ["google-chrome", "chromium", "chromium-browser", "microsoft-edge", "chrome"];
const onMac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

function findBrowser(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const found = onPath.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [process.env["CREWDECK_BROWSER"] ?? "", ...found, onMac].find((file) => existsSync(file));
}

/** An installed browser; as root on Debian one is installed if there is none. @throws Error that names what to install */
export async function ensureBrowser(): Promise<string> {
  const found = findBrowser();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log("No browser found: installing Debian's package chromium with apt-get.");
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
