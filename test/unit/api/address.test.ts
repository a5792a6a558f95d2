import assert from "node:assert/strict";
import { AddressError, normaliseAddress, readStatusAddress } from "../../../src/api/address.ts";

const id = "2f1c8a3e-7f0e-4d5a-9a51-0c9a4e4f1b22";

describe("a crew's address", () => {
  const good: readonly (readonly [typed: string, normal: string])[] = [
    ["https://my-crew.crewai.com", "https://my-crew.crewai.com"],
    ["  https://my-crew.crewai.com/ \n", "https://my-crew.crewai.com"],
    ["\u200bhttps://my-crew.crewai.com\ufeff", "https://my-crew.crewai.com"],
    ["<https://my-crew.crewai.com>", "https://my-crew.crewai.com"],
    ['"https://my-crew.crewai.com/"', "https://my-crew.crewai.com"],
    ["HTTPS://My-Crew.CrewAI.com", "https://my-crew.crewai.com"],
    ["my-crew.crewai.com", "https://my-crew.crewai.com"],
    ["my-crew.crewai.com/kickoff", "https://my-crew.crewai.com"],
    ["https://my-crew.crewai.com:443", "https://my-crew.crewai.com"],
    ["https://my-crew.crewai.com/inputs", "https://my-crew.crewai.com"],
    ["https://my-crew.crewai.com/kickoff/", "https://my-crew.crewai.com"],
    ["https://my-crew.crewai.com/resume?x=1#top", "https://my-crew.crewai.com"],
    [`https://my-crew.crewai.com/status/${id}`, "https://my-crew.crewai.com"],
    [`https://my-crew.crewai.com/${id}/status`, "https://my-crew.crewai.com"],
    [`https://my-crew.crewai.com/${id.toUpperCase()}/status/`, "https://my-crew.crewai.com"],
    ["https://my-crew.crewai.com/{kickoff_id}/status", "https://my-crew.crewai.com"],
    ["https://gate.example/crews/one//", "https://gate.example/crews/one"],
    ["https://gate.example/crews/kickoff-planner", "https://gate.example/crews/kickoff-planner"],
    ["https://gate.example/crew/kickoff/inputs", "https://gate.example/crew"],
    ["localhost:8000", "http://localhost:8000"],
    ["127.0.0.1:8000/inputs", "http://127.0.0.1:8000"],
    ["[::1]:8000", "http://[::1]:8000"],
    ["http://127.1.2.3", "http://127.1.2.3"],
    ["https://localhost:8443", "https://localhost:8443"],
  ];
  for (const [typed, normal] of good)
    it(`${JSON.stringify(typed)} is ${normal}`, () => {
      assert.equal(normaliseAddress(typed), normal);
      assert.equal(normaliseAddress(normal), normal, "its normal form stays as it is");
    });

  const bad: readonly (readonly [typed: string, message: RegExp])[] = [
    ["", /Enter a valid address/],
    ["   ", /Enter a valid address/],
    ["https://", /Enter a valid address/],
    ["my crew", /Enter a valid address/],
    ["http://my-crew.crewai.com", /https:\/\//],
    ["http://10.0.0.5:8000", /https:\/\//],
    ["http://127.0.0.1.example.com", /https:\/\//],
    ["http://localhost.example.com", /https:\/\//],
    ["ftp://my-crew.crewai.com", /https:\/\//],
    ["file:///etc/passwd", /https:\/\//],
    ["https://anna:hunter2@my-crew.crewai.com", /user name and password/],
  ];
  for (const [typed, message] of bad)
    it(`${JSON.stringify(typed)} is refused`, () => {
      assert.throws(
        () => normaliseAddress(typed),
        (error: Error) =>
          error instanceof AddressError &&
          message.test(error.message) &&
          !error.message.includes("hunter2"),
      );
    });
});

describe("the address of a status answer", () => {
  for (const [text, url, kickoffId] of [
    [`https://crew.example.com/${id}/status`, "https://crew.example.com", id],
    [` https://crew.example.com/status/${id}/ `, "https://crew.example.com", id],
    [`https://crew.example.com/v2/${id}/status?x=1`, "https://crew.example.com/v2", id],
    [`crew.example.com/status/run-7`, "https://crew.example.com", "run-7"],
    [`http://127.0.0.1:8000/run%207/status`, "http://127.0.0.1:8000", "run 7"],
  ] as const)
    it(`${text} names the crew and the execution`, () =>
      assert.deepEqual(readStatusAddress(text), { url, kickoffId }));

  for (const text of [
    id,
    "",
    "https://crew.example.com",
    "https://crew.example.com/kickoff",
    "https://status",
    "run/status",
    "/status",
  ])
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(readStatusAddress(text), undefined));

  it("is refused if no token may be sent there", () => {
    assert.throws(() => readStatusAddress(`http://crew.example.com/${id}/status`), AddressError);
  });
});
