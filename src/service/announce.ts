import { exitCodes, type Refusal } from "./refusal.ts";

/** What whoever started the service hears when it listens. */
export interface Listening {
  readonly url: string;
  readonly engine: string;
  readonly token: string;
  readonly userToken: string;
}

/** Tells that the service listens: over IPC without tokens, since the parent gave them; else as one line of JSON. */
export function announceListening({ url, engine, token, userToken }: Listening): void {
  if (process.send) process.send({ type: "listening", url, engine, pid: process.pid });
  else process.stdout.write(`${JSON.stringify({ url, token, userToken, engine })}\n`);
}

/** Tells why the service does not start, and ends the process. */
export function announceRefusal({ reason, message, url }: Refusal): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = exitCodes[reason];
  // A process that is not connected any more can't be told; the exit code still says it.
  if (!process.send || !process.connected) process.exit();
  process.send({ type: "refused", reason, message, ...(url === undefined ? {} : { url }) }, () =>
    process.exit(),
  );
}
