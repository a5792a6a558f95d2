import { helpOf, portNumber, readCommandLine, text } from "../service/command-line.ts";

export type RelayServiceOptions = ReturnType<typeof readRelayOptions>;

const options = {
  port: portNumber("0 takes any free port (8787)"),
  host: text("ADDRESS", "what it listens on (127.0.0.1)"),
  data: text("DIR", "where channels and sealed callbacks are kept"),
  token: text(
    "T",
    "who has it may create channels; by default a random one that is kept in the data folder, or CREWDECK_TOKEN",
    { variable: "CREWDECK_TOKEN" },
  ),
};

export const relayHelp = `Usage: crewdeck relay [options]

Passes callbacks of deployed crews on to editors that can't be reached from the internet. Run it on a public host,
behind a proxy that speaks https. It stores callbacks sealed: only the editor that listens can read them.

${helpOf(options)}`;

/** @throws {Refusal} */
export function readRelayOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const { given } = readCommandLine("relay", options, argv, env, false);
  return { ...given, port: given.port ?? 8787, host: given.host ?? "127.0.0.1" };
}
