import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { forkService } from "../support/forked-service.ts";
import { runService, startService } from "../support/service.ts";

const exampleCrew = path.join(projectFolder, "media", "example-crew");

describe("service: when it can't start", () => {
  it("refuses data that another process uses, and names its address", async () => {
    const service = await startService();
    const { code, stdout, stderr } = await runService([exampleCrew, "--data", service.data]);
    assert.deepEqual([code, stdout], [6, ""]);
    assert.ok(stderr.includes(service.url) && stderr.includes(service.data), stderr);
    await service.kill();
  });

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
    rmSync(data, { recursive: true });
  });

  it("uses another default folder while the first is in use", async () => {
    const home = temporaryFolder("home");
    const env = { XDG_DATA_HOME: home, LOCALAPPDATA: home, HOME: home };
    const begin = () => forkService([exampleCrew], env);
    const [first, second] = [await begin(), await begin()];
    assert.equal(first.message.type, "listening");
    assert.equal(second.message.type, "listening");
    const folders = [first, second].map(
      ({ stderr }) => /Executions are kept in (.+)/.exec(stderr())?.[1],
    );
    assert.ok(folders[0]?.startsWith(home) && folders[1] === `${folders[0]}-2`, String(folders));
    for (const { child, exit } of [first, second]) {
      child.disconnect();
      await exit;
    }
    rmSync(home, { recursive: true });
  });

  it("refuses a port that is in use, with the port in the message", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const args = ["--data", temporaryFolder("service"), "--port", String(port)];
    const { code, stderr } = await runService(args).finally(() => server.close());
    assert.equal(code, 7);
    assert.match(stderr, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
  });

  it("refuses a data folder that can't be written: below a file, read-only, or with an invalid database", async () => {
    const folder = temporaryFolder("service");
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    const cases = [path.join(file, "data"), "/proc/crewdeck"];
    if (process.getuid?.() !== 0) {
      const readOnly = temporaryFolder("service");
      chmodSync(readOnly, 0o500);
      cases.push(readOnly);
    }
    const broken = temporaryFolder("service");
    writeFileSync(path.join(broken, "crewdeck.sqlite"), "This is not a database. ".repeat(100));
    for (const data of [...cases, broken]) {
      const { code, stdout, stderr } = await runService(["--data", data]);
      assert.deepEqual([code, stdout], [5, ""], `${data}: ${stderr}`);
      assert.ok(stderr.includes(data) && stderr.includes("--data"), stderr);
    }
    rmSync(folder, { recursive: true });
  });

  it("refuses a crew that can't be read, and names the folder", async () => {
    const { code, stderr } = await runService([path.join(projectFolder, "no-such-crew")]);
    assert.equal(code, 4);
    assert.match(stderr, /no-such-crew/);
  });

  it("refuses a Node without node:sqlite before it needs it", async function () {
    // The machine's own Node, if it is too old.
    const { stdout: found } = spawnSync("/bin/sh", ["-c", "/usr/bin/node --version"], {
      encoding: "utf8",
    });
    if (!/^v(1\d|20|21)\./.test(found)) this.skip();
    const { code, stderr } = await runService([], "/usr/bin/node");
    assert.equal(code, 3);
    assert.match(stderr, /needs Node 22\.13 or newer.*and this is Node \d+/);
    assert.ok(!stderr.includes("ERR_"), stderr);
  });

  it("refuses unknown arguments, with the usage", async () => {
    for (const args of [
      ["--prot", "1"],
      ["--port", "99999"],
      ["--engine", "gpt"],
      ["--dialect", "x"],
      ["--task-seconds", "-1"],
      ["a", "b"],
    ]) {
      const { code, stderr } = await runService(args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, /Usage: serve/);
    }
  });
});
