import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import { needsPostgres } from "../support/postgres.ts";
import { familyOf, isRunning } from "../support/processes.ts";
import { waitFor } from "../support/wait.ts";

describe("the Postgres of the tests", () => {
  needsPostgres();

  it("ends when the process that started it is killed", async () => {
    const program = `
      const { startPostgres } = await import("./test/support/postgres.ts");
      const { default: postgres } = await import("postgres");
      const sql = postgres((await startPostgres({ isDurable: false })).url, { max: 1 });
      const [{ data_directory }] = await sql\`SHOW data_directory\`;
      process.stdout.write(data_directory);
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd: projectFolder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [text] = (await once(parent.stdout, "data")) as [Buffer];
    const folder = path.dirname(String(text));
    const leader = Number.parseInt(
      readFileSync(path.join(folder, "data", "postmaster.pid"), "utf8"),
    );
    const family = familyOf(leader).map(({ pid }) => pid);
    assert.ok(family.length > 1);
    parent.kill("SIGKILL");
    await waitFor("Postgres to end", () => !family.some(isRunning));
    await waitFor("its folder to be removed", () => !existsSync(folder));
  });
});
