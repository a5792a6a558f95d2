import { familyOf, signal } from "./processes.ts";

const leaders = new Set<number>();

/**
 * Ends a process started `detached` with this one, however this one ends (except by SIGKILL).
 * @returns a function to call when the process has ended in order
 */
export function leaveNothingBehind(leader: number): () => void {
  if (leaders.size === 0) listen();
  leaders.add(leader);
  return () => leaders.delete(leader);
}

let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  process.on("exit", () => {
    for (const leader of leaders) for (const one of familyOf(leader)) signal(one.pid, "SIGKILL");
  });
  // Without a listener these end the process without the event "exit". Ctrl+C is handled by the script.
  process.once("SIGTERM", () => process.exit(143));
  process.once("SIGHUP", () => process.exit(129));
}
