import { fork, type ChildProcess } from "node:child_process";
import { serviceProgram } from "./service.ts";

/** A service started by `fork`, as the extension starts it. */
export interface ForkedService {
  readonly child: ChildProcess;
  /** The first message. */
  readonly message: {
    readonly type: string;
    readonly url?: string;
    readonly reason?: string;
    readonly message?: string;
  };
  readonly exit: Promise<number | null>;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Starts the service with an IPC channel and resolves to the first message it sends. */
export async function forkService(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ForkedService> {
  const child = fork(serviceProgram(), args, {
    stdio: ["pipe", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (stderr += text.toString()));
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const message = await Promise.race([
    new Promise<ForkedService["message"]>((resolve) =>
      child.once("message", (sent) => resolve(sent as ForkedService["message"])),
    ),
    exit.then((code) => {
      throw new Error(`The service ended with code ${code} and said nothing: ${stderr}`);
    }),
  ]);
  return { child, message, exit, stdout: () => stdout, stderr: () => stderr };
}
