import { spawn } from "node:child_process";
import path from "node:path";

/** Runs a program to its end and collects its output and its errors in the order they came. Rejects only when it can't be started. */
export function runCommand(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && !path.isAbsolute(program),
    });
    let output = "";
    const collect = (chunk: string) => (output += chunk);
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs npm, the one that runs this script when there is one. @throws Error with npm's output when npm fails */
export async function runNpm(args: readonly string[], cwd: string): Promise<void> {
  const own = process.env["npm_execpath"];
  const isOwn = own?.endsWith("npm-cli.js") === true;
  const { code, output } = await runCommand(
    isOwn ? process.execPath : "npm",
    isOwn ? [own, ...args] : args,
    { cwd },
  );
  if (code !== 0) throw new Error(`npm ${args.join(" ")} failed with code ${code}:\n${output}`);
}
