import path from "node:path";
import type { ModelRoute } from "../../src/base/window-protocol.ts";
import { Connection } from "../../src/local/connection.ts";
import { endService, startService, type ServiceOptions } from "../../src/local/service-process.ts";
import { temporaryFolder } from "./folders.ts";
import { serviceProgram } from "./service.ts";

interface Given {
  readonly folder: string;
  readonly engine: ServiceOptions["engine"];
  readonly dataFolder?: string;
  readonly route?: ModelRoute;
  readonly onChange?: () => void;
}

/** A service as a window starts it, with a window's connection. */
export async function startForWindow({
  folder,
  engine,
  dataFolder = path.join(temporaryFolder("service"), "data"),
  route = {},
  onChange,
}: Given) {
  const tokens = { token: "token-of-the-service", userToken: "user-token-of-the-service" };
  const lines: string[] = [];
  const running = await startService({
    program: serviceProgram(),
    ...{ folder, dataFolder, engine, route, ...tokens },
    port: 0,
    signal: new AbortController().signal,
  });
  const connection = await Connection.open({
    ...{ running, ...tokens },
    onChange: onChange ?? (() => undefined),
    onLine: (line) => lines.push(line),
  });
  return {
    url: running.url,
    ...tokens,
    dataFolder,
    connection,
    log: () => lines.join("\n"),
    async stop(): Promise<void> {
      connection.close();
      await endService(dataFolder, running.pid);
    },
  };
}
