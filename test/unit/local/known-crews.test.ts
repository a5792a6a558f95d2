import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { KnownCrews, type KnownCrew } from "../../../src/local/known-crews.ts";
import { answers, findRunning } from "../../../src/local/running.ts";
import { cleanUp, newFolder } from "./support.ts";

const fail = (file: string) => assert.fail(file);
const crew = (folder: string, name: string): KnownCrew => ({
  version: 1,
  folder,
  name,
  port: 1234,
  wanted: true,
});

describe("known local crews", () => {
  afterEach(cleanUp);

  it("are kept by folder, listed by name, and changed in place", async () => {
    const root = path.join(await newFolder(), "local");
    const known = new KnownCrews(root);
    assert.deepEqual(await known.list(fail), []);
    await known.write(crew("file:///b", "Zebra"));
    await known.write(crew("file:///a", "Ant"));
    await known.change("file:///b", { wanted: false, port: 1 });
    await known.change("file:///unknown", { wanted: false });
    assert.deepEqual(await known.list(fail), [
      crew("file:///a", "Ant"),
      { ...crew("file:///b", "Zebra"), wanted: false, port: 1 },
    ]);
    assert.notEqual(known.dataFolder("file:///a"), known.dataFolder("file:///b"));
    assert.deepEqual(await readdir(known.dataFolder("file:///a")), ["crew.json"]);
  });

  it("one that can't be read is told and does not hide the others", async () => {
    const root = await newFolder();
    const known = new KnownCrews(root);
    await known.write(crew("file:///a", "Ant"));
    for (const [name, text] of [
      ["bad", "{"],
      ["other", '{"version":2}'],
    ] as const) {
      await mkdir(path.join(root, name));
      await writeFile(path.join(root, name, "crew.json"), text);
    }
    await writeFile(path.join(root, "stray"), "");
    const problems: string[] = [];
    const list = await known.list((file) => problems.push(path.basename(path.dirname(file))));
    assert.deepEqual(list, [crew("file:///a", "Ant")]);
    assert.deepEqual(problems.sort(), ["bad", "other"]);
    assert.match(
      (await readdir(path.join(root, "bad"))).join(),
      /^crew\.json\.corrupt-\d+$/,
      "what is no good is set aside",
    );
    assert.deepEqual(
      await readdir(path.join(root, "other")),
      ["crew.json"],
      "what a newer version wrote is left alone",
    );
  });

  it("one whose file is no good can be started as if for the first time, with its data", async () => {
    const known = new KnownCrews(await newFolder());
    await known.write(crew("file:///a", "Ant"));
    await writeFile(path.join(known.dataFolder("file:///a"), "executions.sqlite"), "data");
    await writeFile(path.join(known.dataFolder("file:///a"), "crew.json"), "[]");
    assert.equal(await known.read("file:///a"), undefined);
    await known.write(crew("file:///a", "Ant"));
    assert.deepEqual(await known.read("file:///a"), crew("file:///a", "Ant"));
    assert.deepEqual(
      (await readdir(known.dataFolder("file:///a"))).filter((name) => !name.includes("corrupt")),
      ["crew.json", "executions.sqlite"],
    );
  });
});

describe("the service that runs on a data folder", () => {
  afterEach(cleanUp);

  const runningWith = async (content: string) => {
    const folder = await newFolder();
    await writeFile(path.join(folder, "service.json"), content);
    return await findRunning(folder);
  };

  it("is found while its process lives, and only at an address of this machine", async () => {
    const found = { url: "http://127.0.0.1:1", pid: process.pid, instance: "one" };
    assert.deepEqual(await runningWith(JSON.stringify({ ...found, port: 1 })), found);
    assert.equal(await runningWith(JSON.stringify({ ...found, pid: 2 ** 30 })), undefined);
    assert.equal(await runningWith(JSON.stringify({ url: found.url, pid: found.pid })), undefined);
    assert.equal(await runningWith(JSON.stringify({ ...found, pid: -1 })), undefined);
    assert.equal(
      await runningWith(JSON.stringify({ ...found, url: "http://example.com" })),
      undefined,
    );
    assert.equal(await runningWith(JSON.stringify({ ...found, url: "nonsense" })), undefined);
    assert.equal(await runningWith('{"url": "http://127'), undefined);
    assert.equal(await findRunning(await newFolder()), undefined);
  });

  it("is told by its id from another program that has its port now, which is sent no token", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer(
      ({ headers }, response) => (
        seen.push(headers),
        response.setHeader("Crewdeck-Instance", "one").end()
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.equal(await answers({ url, pid: process.pid, instance: "one" }), true);
    assert.equal(await answers({ url, pid: process.pid, instance: "another" }), false);
    await new Promise((resolve) => server.close(resolve));
    assert.equal(await answers({ url, pid: process.pid, instance: "one" }), false);
    assert.ok(seen.length === 2 && seen.every(({ authorization }) => authorization === undefined));
  });
});
