import assert from "node:assert/strict";
import * as vscode from "vscode";
import { linkHandler } from "../../src/actions/links.ts";
import type { Crew } from "../../src/crews/types.ts";
import { withPerson, type Move } from "./scripted-person.ts";

const url = "https://travel.example.com";
const id = "3f2a8c1e-0000-4000-8000-000000000000";
const travel: Crew = { id: `url:${url}`, name: "Travel", url };
const add = (address = url, more = "") => link(`/add?url=${address}${more}`);
const track = () => link(`/track?url=${url}&id=${id}`);
const elsewhere = "https://other.example.com";
const link = (rest: string) => vscode.Uri.parse(`vscode://crewdeck.crewdeck${rest}`);

describe("deep links", () => {
  let ran: (readonly [command: string, argument: unknown])[];
  let connected: Crew[];
  let follow: (uri: vscode.Uri) => Promise<void>;

  beforeEach(() => {
    ran = [];
    connected = [];
    follow = linkHandler({
      crews: { find: (address) => connected.find((crew) => crew.url === address) },
      verbs: {
        addCrew(argument) {
          ran.push(["addCrew", argument]);
          return Promise.resolve(travel);
        },
        trackExecution(argument) {
          ran.push(["trackExecution", argument]);
          return Promise.resolve(undefined);
        },
      },
    });
  });

  async function open(moves: readonly Move[], ...uris: readonly vscode.Uri[]) {
    const open = () => Promise.all(uris.map((uri) => follow(uri)));
    return (await withPerson(moves, open)).shown;
  }

  it("ask before adding a crew with a modal that shows host and effect, then show the usual input boxes with name and address filled in", async () => {
    const [modal] = await open(
      [{ press: "Connect a Crew" }],
      add(`${url}/kickoff`, "&name=Travel"),
    );
    assert.equal(modal?.text, "Connect the crew at travel.example.com?");
    assert.match(
      modal.detail ?? "",
      /A link asks for this.*https:\/\/travel\.example\.com.*Travel.*asked for the crew's token.*sent to travel\.example\.com/s,
    );
    assert.deepEqual(ran, [["addCrew", { by: "link", url, name: "Travel" }]]);
  });

  it("do nothing if the person cancels, and say if the crew to add is already connected", async () => {
    await open(["escape"], add());
    connected.push(travel);
    await open(["escape"], track());
    const [message] = await open([], add());
    assert.match(message?.text ?? "", /already connected, as “Travel”/);
    assert.deepEqual(ran, []);
  });

  it("ask before tracking an execution with a modal that shows crew, host, execution and effect", async () => {
    connected.push(travel);
    const [modal] = await open([{ press: "Track" }], track());
    assert.equal(modal?.text, "Track an execution of “Travel”, at travel.example.com?");
    assert.match(
      modal.detail ?? "",
      new RegExp(`${id}.*token of “Travel”.*kept on this machine`, "s"),
    );
    assert.deepEqual(ran, [["trackExecution", { by: "link", crew: travel.id, kickoffId: id }]]);
  });

  it("offer to connect an unknown crew before tracking its execution", async () => {
    const [modal] = await open([{ press: "Connect a Crew" }], track());
    assert.equal(modal?.text, "Connect the crew at travel.example.com?");
    assert.ok(modal.detail?.includes(`Then its execution ${id} is tracked on this machine.`));
    assert.deepEqual(ran, [
      ["addCrew", { by: "link", url }],
      ["trackExecution", { by: "link", crew: url, kickoffId: id }],
    ]);
  });

  it("ask one at a time, and once for a link that is clicked twice", async () => {
    const shown = await open(["escape", "escape"], add(), add(), add(elsewhere));
    assert.deepEqual(
      shown.map(({ text }) => text),
      ["Connect the crew at travel.example.com?", "Connect the crew at other.example.com?"],
    );
  });
});
