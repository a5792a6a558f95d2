import { execFile, spawn } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { uv } from "./crewai.ts";
import { temporaryFolder } from "./folders.ts";
import { freePort } from "./http-server.ts";
import { installOnce } from "./install-once.ts";
import { needs, problemOf } from "./needs.ts";
import { waitFor } from "./wait.ts";

const run = promisify(execFile);

/** From PyPI: a collector with a store and an API of its own. It reads the GenAI conventions since 15.10. */
const version = "20.26.1";

export interface PhoenixSpan {
  readonly name: string;
  readonly span_kind: string;
  readonly status_code: string;
  readonly parent_id: string | null;
  readonly context: { readonly trace_id: string; readonly span_id: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Phoenix {
  readonly url: string;
  spans(): Promise<readonly PhoenixSpan[]>;
  stop(): Promise<void>;
}

/** Installs it, once, or skips the tests of a suite. */
export function needsPhoenix(): void {
  needs(() => problemOf("Phoenix", phoenixPython));
}

async function phoenixPython(): Promise<string> {
  const folder = await installOnce(`phoenix-${version}`, async (target) => {
    const program = await uv();
    await run(program, ["venv", "--quiet", "--allow-existing", "--python", ">=3.10,<3.14", target]);
    const python = path.join(target, "bin", "python");
    const install = ["pip", "install", "--quiet", "--compile-bytecode", "--python", python];
    await run(program, [...install, `arize-phoenix==${version}`], { maxBuffer: 64 * 1024 * 1024 });
  });
  return path.join(folder, "bin", "python");
}

/** Starts it with an empty store, on this machine only; that takes some 20 s. */
export async function startPhoenix(): Promise<Phoenix> {
  const [port, grpcPort] = [await freePort(), await freePort()];
  const child = spawn(await phoenixPython(), ["-m", "phoenix.server.main", "serve"], {
    stdio: "ignore",
    env: {
      ...process.env,
      PHOENIX_HOST: "127.0.0.1",
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(grpcPort),
      PHOENIX_WORKING_DIR: temporaryFolder("phoenix"),
      PHOENIX_TELEMETRY_ENABLED: "false",
    },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    "Phoenix",
    async () => {
      if (child.exitCode !== null) throw new Error(`Phoenix ended with ${child.exitCode}.`);
      const answer = await fetch(`${url}/healthz`).catch(() => undefined);
      return answer?.ok;
    },
    180_000,
  );
  return {
    url,
    spans: async () => {
      const answer = await fetch(`${url}/v1/projects/default/spans?limit=1000`);
      return ((await answer.json()) as { data: readonly PhoenixSpan[] }).data;
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
