import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { CrewApi } from "../support/crew-api.ts";
import { projectFolder, temporaryFolder } from "../support/folders.ts";
import { forkService } from "../support/forked-service.ts";
import { serviceProgram, startService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const exampleCrew = path.join(projectFolder, "media", "example-crew");

describe("service: started by another program", () => {
  it("reports over IPC that it listens, and prints no token", async () => {
    const data = temporaryFolder("service");
    const { child, message, stdout, stderr, exit } = await forkService(
      [exampleCrew, "--data", data],
      { CREWDECK_TOKEN: "secret-token", CREWDECK_USER_TOKEN: "secret-user" },
    );
    assert.deepEqual(message, {
      type: "listening",
      url: message.url,
      engine: "rehearsal",
      pid: child.pid,
    });
    assert.equal(
      (await new CrewApi({ url: message.url ?? "", token: "secret-token" }).get("/inputs")).status,
      200,
    );
    child.disconnect();
    assert.equal(await exit, 0);
    assert.equal(stdout(), "");
    assert.ok(!stderr().includes("secret-"));
  });

  it("ends when its stdin closes, and when its parent is killed", async () => {
    const first = await forkService([exampleCrew, "--data", temporaryFolder("service")]);
    first.child.stdin?.end();
    assert.equal(await first.exit, 0);
    const parent = spawn(
      process.execPath,
      ["-e", parentProgram, serviceProgram(), exampleCrew, "--data", temporaryFolder("service")],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once("data", (text: Buffer) => resolve(Number(text.toString()))),
    );
    assert.ok(isAlive(pid));
    parent.kill("SIGKILL");
    await waitFor("the service to end", () => !isAlive(pid));
  });

  it("keeps running without stdin, and with `--lifeline` ends when stdin closes", async () => {
    const service = await startService();
    assert.equal((await new CrewApi(service).get("/inputs")).status, 200);
    await service.stop();
    const child = spawn(
      process.execPath,
      [serviceProgram(), "--data", temporaryFolder("service"), "--lifeline"],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.stdin.end();
    assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
  });

  it("reports over IPC why it doesn't start", async () => {
    const service = await startService();
    const inUse = await forkService([exampleCrew, "--data", service.data]);
    assert.deepEqual(
      [inUse.message.type, inUse.message.reason, inUse.message.url, await inUse.exit],
      ["refused", "inUse", service.url, 6],
    );
    const port = await forkService([
      exampleCrew,
      "--data",
      temporaryFolder("service"),
      "--port",
      new URL(service.url).port,
    ]);
    assert.deepEqual(
      [port.message.type, port.message.reason, await port.exit],
      ["refused", "port", 7],
    );
    const project = await forkService([path.join(projectFolder, "no-such-crew")]);
    assert.deepEqual(
      [project.message.type, project.message.reason, await project.exit],
      ["refused", "project", 4],
    );
    assert.match(String(project.message.message), /no-such-crew/);
    await service.stop();
  });
});

/** A parent like the extension; prints the service's process id when it listens. */
const parentProgram = `
  const [, program, ...args] = process.argv;
  const child = require("node:child_process").fork(program, args, { stdio: ["pipe", "pipe", "pipe", "ipc"] });
  child.once("message", ({ pid }) => console.log(pid));
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}
