// `npm run test:container`: builds the image as docs/server.md says, starts all of compose.yaml, and has a crew rehearsed through its proxy
// until it waits for a person. It needs Docker, and the ports 80 and 443.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CrewApi } from "../test/support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";

const folder = temporaryFolder("container");
const crew = path.join(folder, "crews", "example");
const config = path.join(folder, "config");
const installed = 'name = "example"\nversion = "0.1.0"\n';
execFileSync(process.execPath, ["scripts/package-service.ts", "--out", folder], {
  cwd: projectFolder,
});
for (const file of ["Dockerfile", "compose.yaml", ".dockerignore"])
  cpSync(path.join(projectFolder, file), path.join(folder, file));
cpSync(path.join(projectFolder, "media", "example-crew"), crew, { recursive: true });
// A rehearsal needs no crewAI.
writeFileSync(
  path.join(crew, "pyproject.toml"),
  `[project]\n${installed}requires-python = ">=3.10"\n`,
);
writeFileSync(
  path.join(crew, "uv.lock"),
  `version = 1\nrequires-python = ">=3.10"\n\n[[package]]\n${installed}source = { virtual = "." }\n`,
);
mkdirSync(config);
writeFileSync(
  path.join(config, "crewdeck.server.jsonc"),
  JSON.stringify({ crews: [{ name: "example", folder: "../crews/example", engine: "rehearsal" }] }),
);
writeFileSync(
  path.join(folder, ".env"),
  `CREWDECK_HOST=localhost\nPOSTGRES_PASSWORD=${randomBytes(16).toString("hex")}\n`,
);
// Caddy's certificate for localhost is its own.
process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
try {
  compose("up", "--build", "--detach", "--wait");
  const token = compose("run", "--rm", "--no-TTY", "api", "token", "add", "smoke").trim();
  const api = new CrewApi({ url: "https://localhost/example", token });
  const id = await api.kickoff({ inputs: { topic: "tea", audience: "colleagues" } });
  await api.untilWaiting(id);
  console.log("The crew waits for a person.");
} catch (error) {
  console.error(error);
  console.error(compose("logs"));
  process.exitCode = 1;
} finally {
  compose("down", "--volumes");
}

function compose(...args: readonly string[]): string {
  return execFileSync("docker", ["compose", ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}
