import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  classOf,
  folderOf,
  idOf,
  type ProjectRecord,
  type ProjectRecords,
} from "../../../src/local/records.ts";
import { answers, findRunning } from "../../../src/local/service-process.ts";
import { MisbehavingServer } from "../../support/misbehaving-server.ts";
import { newFolder, newRecords } from "./support.ts";

const crew = (folder: string, name: string): ProjectRecord => ({
  folder,
  name,
  port: 1234,
  wanted: true,
});

describe("records of local crews", () => {
  let records: ProjectRecords;
  let folder: string;
  const otherWindow = async () => (await newRecords(folder)).records;

  beforeEach(async () => ({ records, folder } = await newRecords()));

  it("are kept by folder, listed by name, and changed in place, in all windows", async () => {
    assert.deepEqual(records.list(), []);
    records.write(crew("file:///b", "Zebra"));
    records.write(crew("file:///a", "Ant"));
    records.change("file:///b", { wanted: false, port: 1, failure: "It broke." });
    records.change("file:///unknown", { wanted: false });
    const other = await otherWindow();
    assert.deepEqual(other.list(), [
      crew("file:///a", "Ant"),
      { ...crew("file:///b", "Zebra"), wanted: false, port: 1, failure: "It broke." },
    ]);
    records.change("file:///b", { failure: undefined });
    assert.equal(other.read("file:///b")?.failure, undefined);
    assert.equal(other.read("file:///unknown"), undefined);
    assert.notEqual(records.dataFolder("file:///a"), records.dataFolder("file:///b"));
  });

  it("keep the classes of a folder with several crews, which are part of their ids", async () => {
    records.write(crew("file:///a", "Ant"));
    assert.deepEqual(records.classes("file:///a"), []);
    records.setClasses("file:///a", ["B", "A"]);
    records.setClasses("file:///b", ["C"]);
    assert.deepEqual(records.classes("file:///a"), ["B", "A"]);
    await records.forget("file:///a");
    assert.deepEqual([records.classes("file:///a"), records.classes("file:///b")], [[], ["C"]]);
    const id = idOf("file:///a", "B");
    assert.deepEqual([id, folderOf(id), classOf(id)], ["local:file:///a#B", "file:///a", "B"]);
    const parts = [folderOf(idOf("file:///a")), classOf(idOf("file:///a"))];
    assert.deepEqual(parts, ["file:///a", undefined]);
  });

  it("a service that ended by itself is noted by one window, unless it was to end", async () => {
    const other = await otherWindow();
    records.write(crew("file:///a", "Ant"));
    assert.equal(records.fail("file:///a", "It broke."), true);
    assert.equal(other.fail("file:///a", "It broke."), false);
    const { wanted, failure } = other.read("file:///a") ?? {};
    assert.deepEqual([wanted, failure], [true, "It broke."], "the next window starts it");
    assert.equal(records.fail("file:///unknown", "It broke."), false);
  });

  it("keep what another window wrote since this one first read them", async () => {
    const started = crew("file:///a", "Ant");
    (await otherWindow()).write(started);
    const added = records.add({ folder: "file:///a", name: "Ant 2", port: 0, wanted: false });
    assert.deepEqual([added, records.list()], [started, [started]]);
    records.add({ folder: "file:///b", name: "Bee", port: 0, wanted: false });
    assert.equal(records.read("file:///b")?.name, "Bee");
  });

  it("are forgotten with their service's data", async () => {
    for (const name of ["a", "b"]) {
      records.write(crew(`file:///${name}`, name));
      await mkdir(records.dataFolder(`file:///${name}`), { recursive: true });
      await writeFile(path.join(records.dataFolder(`file:///${name}`), "crewdeck.sqlite"), "data");
    }
    await records.forget("file:///a");
    const names = records.list().map(({ name }) => name);
    assert.deepEqual(names, ["b"]);
    assert.deepEqual(await readdir(path.dirname(records.dataFolder("file:///a"))), [
      path.basename(records.dataFolder("file:///b")),
    ]);
  });
});

describe("the service that runs on a data folder", () => {
  const runningWith = async (content: string) => {
    const folder = await newFolder();
    await writeFile(path.join(folder, "service.json"), content);
    return await findRunning(folder);
  };

  it("is found while its process lives, and only at an address of this machine", async () => {
    const found = { url: "http://127.0.0.1:1", pid: process.pid, instance: "one", protocol: 1 };
    assert.deepEqual(await runningWith(JSON.stringify({ ...found, port: 1 })), found);
    for (const wrong of [
      ...[{ pid: 2 ** 30 }, { pid: -1 }, { url: "http://example.com" }, { url: "nonsense" }],
      { instance: undefined, protocol: undefined },
    ])
      assert.equal(await runningWith(JSON.stringify({ ...found, ...wrong })), undefined);
    assert.equal(await runningWith('{"url": "http://127'), undefined);
    assert.equal(await findRunning(await newFolder()), undefined);
  });

  it("is distinguished by its ID from another program that has its port now, which gets no token", async () => {
    const server = await MisbehavingServer.start();
    server.otherwise = (response) => response.setHeader("Crewdeck-Instance", "one").end();
    const { url, requests } = server;
    const service = (instance: string) => ({ url, pid: process.pid, instance, protocol: 1 });
    assert.equal(await answers(service("one")), true);
    assert.equal(await answers(service("another")), false);
    await server.stop();
    assert.equal(await answers(service("one")), false);
    assert.equal(requests.length, 2);
    assert.ok(requests.every(({ headers }) => headers["authorization"] === undefined));
  });
});
