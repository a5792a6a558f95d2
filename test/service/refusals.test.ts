import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { runService, startProgram, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const exampleCrew = path.join(projectFolder, "media", "example-crew");

/** Fails unless the service ends with a code and these words, without a stack trace. */
async function refused(
  args: readonly string[],
  expected: number,
  said: readonly (string | RegExp)[],
  env: Readonly<Record<string, string>> = {},
  user?: number,
): Promise<void> {
  const { code, stdout, stderr } = await runService(args, env, user);
  assert.deepEqual([code, stdout], [expected, ""], stderr);
  for (const each of said)
    assert.ok(typeof each === "string" ? stderr.includes(each) : each.test(stderr), stderr);
  assert.doesNotMatch(stderr, /^ {4}at /m);
}

describe("service: when it can't start", () => {
  it("uses the data of a process that was killed, and replaces its address", async () => {
    const data = temporaryFolder("service");
    const killed = await startService({ args: ["--data", data] });
    await killed.kill();
    assert.ok(existsSync(path.join(data, "service.json")));
    const next = await startService({ args: ["--data", data] });
    const { instance, ...published } = JSON.parse(
      readFileSync(path.join(data, "service.json"), "utf8"),
    ) as Record<string, unknown>;
    assert.deepEqual(published, {
      url: next.url,
      port: Number(new URL(next.url).port),
      pid: next.child.pid,
    });
    assert.equal((await fetch(next.url)).headers.get("Crewdeck-Instance"), instance);
    await next.stop();
    assert.ok(!existsSync(path.join(data, "service.json")));
  });

  it("refuses to serve a crew a second time, instead of with an empty database", async () => {
    const home = temporaryFolder("home");
    const env = { XDG_DATA_HOME: home, LOCALAPPDATA: home, HOME: home };
    const first = await startProgram([exampleCrew], env);
    assert.ok(first.log().startsWith(`Executions are kept in ${home}`), first.log());
    await refused([exampleCrew], 6, [String(first.announced["url"]), home], env);
    await first.end("SIGTERM");
    const next = await startProgram([exampleCrew], env);
    await next.end("SIGTERM");
  });

  it("refuses a port that is in use, with the port in the message", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const args = ["--data", temporaryFolder("service"), "--port", String(port)];
    await refused(args, 7, [`Port ${port} on 127.0.0.1 can't be used: `]).finally(() =>
      server.close(),
    );
  });

  it("refuses a data folder that can't be written: below a file, or with an invalid database", async () => {
    const folder = temporaryFolder("service");
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    const broken = temporaryFolder("service");
    writeFileSync(path.join(broken, "crewdeck.sqlite"), "This is not a database. ".repeat(100));
    for (const data of [path.join(file, "data"), broken])
      await refused(["--data", data], 5, [data, "--data"]);
  });

  it("refuses a damaged database, without a stack trace", async () => {
    const data = temporaryFolder("service");
    const first = await startService({ args: ["--data", data, "--task-seconds", "0"] });
    const api = new CrewApi(first);
    const { inputs } = (await api.get("/inputs")).body as { inputs: string[] };
    const values = Object.fromEntries(inputs.map((name) => [name, "x".repeat(20_000)]));
    for (let count = 0; count < 3; count += 1) await api.kickoff({ inputs: values });
    await first.stop();
    const database = path.join(data, "crewdeck.sqlite");
    const content = readFileSync(database);
    content.fill(0x5a, 4096 * 3, content.length - 4096);
    writeFileSync(database, content);
    await refused(["--data", data], 5, [/crewdeck\.sqlite can't be used: .*(damaged|malformed)/]);
  });

  it("refuses a read-only database and a read-only folder, without a stack trace", async () => {
    const data = temporaryFolder("service");
    await (await startService({ args: ["--data", data] })).stop();
    const database = path.join(data, "crewdeck.sqlite");
    // Permissions don't bind root.
    const user = process.getuid?.() === 0 ? 65_534 : undefined;
    if (user !== undefined)
      for (const name of ["", ...readdirSync(data)]) chownSync(path.join(data, name), user, user);
    chmodSync(database, 0o400);
    const inFolder = (said: RegExp) => refused(["--data", data], 5, [said], {}, user);
    await inFolder(/crewdeck\.sqlite can't be used.*Make it writable/);
    chmodSync(database, 0o600);
    chmodSync(data, 0o500);
    await inFolder(/can't be used.*Make it writable/);
    chmodSync(data, 0o700);
  });

  it("stops when its database or the whole folder is deleted while it runs", async () => {
    const stops = async (name: string) => {
      const data = temporaryFolder("service");
      const service = await startService({ args: ["--data", data] });
      rmSync(path.join(data, name), { recursive: true });
      await waitFor("the service to stop", () => service.child.exitCode !== null);
      // By then, all of its log has arrived.
      await service.stop();
      assert.equal(service.child.exitCode, 5, service.log());
      assert.match(service.log(), /crewdeck\.sqlite can't be used: it was deleted while/);
      assert.doesNotMatch(service.log(), /^ {4}at /m);
    };
    await Promise.all([stops(""), stops("crewdeck.sqlite")]);
  });

  it("lets one of three first starts on a fresh folder begin, each time", async () => {
    for (let round = 0; round < 2; round += 1) {
      const data = temporaryFolder("service");
      const starts = await Promise.allSettled(
        [1, 2, 3].map(() => startProgram([exampleCrew, "--data", data])),
      );
      const outcomes = starts.map((start) =>
        start.status === "fulfilled" ? "listens" : String(start.reason),
      );
      assert.equal(outcomes.filter((outcome) => outcome === "listens").length, 1);
      assert.equal(outcomes.filter((outcome) => /ended with code 6/.test(outcome)).length, 2);
      for (const start of starts)
        if (start.status === "fulfilled") await start.value.end("SIGTERM");
    }
  });

  it("refuses a crewAI project without any Python, and says how to get one", async () => {
    const folder = path.join(temporaryFolder("crew"), "crew");
    cpSync(exampleCrew, folder, { recursive: true });
    const args = [folder, "--data", temporaryFolder("service"), "--engine", "crewai"];
    await refused(args, 8, [folder, '"uv sync"', "--python"], { PATH: "/nowhere" });
  });

  it("refuses a worker that would ask for feedback with an address that leads to it", async () => {
    const args = ["--role", "worker", "--feedback-webhook", "https://example.com/people"];
    await refused(
      [...args, "--database", "postgres://crewdeck@127.0.0.1:1/crewdeck"],
      2,
      ["Name the address of the API processes with --public-url"],
      { CREWDECK_FEEDBACK_SECRET: "a secret" },
    );
  });
});
