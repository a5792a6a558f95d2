import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import postgres from "postgres";
import { projectFolder } from "../support/folders.ts";
import { needsPostgres, startPostgres } from "../support/postgres.ts";
import { familyOf, isRunning } from "../support/processes.ts";
import { waitFor } from "../support/wait.ts";

describe("the Postgres of the tests", () => {
  needsPostgres();

  it("starts with empty databases, keeps what was committed when it crashes, and leaves nothing", async () => {
    const begun = performance.now();
    const server = await startPostgres();
    console.log(`      started in ${(performance.now() - begun).toFixed(0)} ms`);
    const [first, second] = [await server.createDatabase(), await server.createDatabase()];
    const sql = postgres(first, { max: 1, onnotice: () => undefined });
    await sql`CREATE TABLE kept (text text)`;
    await sql`INSERT INTO kept VALUES ('before')`;
    const folder = path.dirname(String((await sql`SHOW data_directory`)[0]?.["data_directory"]));
    await server.restart();
    await sql`INSERT INTO kept VALUES ('after')`;
    await server.kill();
    await assert.rejects(sql`SELECT 1`);
    await server.restart();
    assert.deepEqual(
      (await sql`SELECT text FROM kept`).map((row) => String(row["text"])),
      ["before", "after"],
    );
    await sql.end();
    const other = postgres(second, { max: 1 });
    assert.equal((await other`SELECT to_regclass('kept') AS kept`)[0]?.["kept"], null);
    await other.end();
    const wrong = postgres(first.replace(/:[^:@]+@/, ":wrong@"), { max: 1 });
    await assert.rejects(wrong`SELECT 1`, /password authentication failed/);
    await wrong.end();
    await server.stop();
    assert.ok(!existsSync(folder));
  });

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
