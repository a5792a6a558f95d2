import { parseCommandLine, refuseOption } from "../service/command-line.ts";

export type RelayServiceOptions = ReturnType<typeof readRelayOptions>;

export const relayHelp = `Usage: crewdeck relay [--port 8787] [--host 127.0.0.1] [--data DIR] [--token T]

Passes callbacks of deployed crews on to editors that can't be reached from the internet. Run it on a public host,
behind a proxy that speaks https. It stores callbacks sealed: only the editor that listens can read them.

  --port N               0 takes any free port (8787)
  --host ADDRESS         what it listens on (127.0.0.1)
  --data DIR             where channels and sealed callbacks are kept
  --token T              who has it may create channels; by default a random one that is kept in the data folder, or CREWDECK_TOKEN`;

/** @throws {Refusal} */
export function readRelayOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const { values } = parseCommandLine("relay", {
    args: [...argv],
    options: {
      port: { type: "string", default: "8787" },
      host: { type: "string", default: "127.0.0.1" },
      data: { type: "string" },
      token: { type: "string" },
    },
  });
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535)
    throw refuseOption("relay", `--port ${values.port}: expected a number from 0 to 65535.`);
  return {
    /** 0: any free port. */
    port,
    host: values.host,
    /** A folder; by default one for this user. */
    data: values.data,
    token: values.token ?? env["CREWDECK_TOKEN"],
  };
}
