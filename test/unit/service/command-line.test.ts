import assert from "node:assert/strict";
import { parseCommandLine, suggestion } from "../../../src/service/command-line.ts";
import { Refusal } from "../../../src/service/errors.ts";
import { readDatabaseOption, readOptions } from "../../../src/service/options.ts";
import { readRelayOptions } from "../../../src/relay/options.ts";

describe("service: what a person types after a command", () => {
  const refused = (read: () => unknown, expected: string) =>
    assert.throws(read, (error) => {
      assert.ok(error instanceof Refusal && error.reason === "options");
      assert.equal(error.message, expected);
      return true;
    });

  for (const [args, problem] of [
    [["--prot", "1"], "There is no option --prot. Did you mean --port?"],
    [["--publicUrl=https://a.test"], "There is no option --publicUrl. Did you mean --public-url?"],
    [["-port", "1"], "There is no option -port. Did you mean --port?"],
    [["--unlike-any-other"], "There is no option --unlike-any-other."],
    [["-p", "1"], "There is no option -p."],
    [["--port"], "--port needs a value: write --port=VALUE."],
    [["--port", "--lifeline"], "--port needs a value: write --port=VALUE."],
    [["--drain-seconds", "-1"], "--drain-seconds needs a value: write --drain-seconds=VALUE."],
    [["--trust-proxy=yes"], "--trust-proxy takes no value."],
    [["--port=-1"], "--port -1: expected a number from 0 to 65535; 0 takes any free port."],
    [["--port", "1", "--role", "boss"], '--role boss: expected "both", "api" or "worker".'],
  ] as const)
    it(`names the wrong option in one line: ${args.join(" ")}`, () =>
      refused(() => readOptions(args, {}), `${problem} See "crewdeck serve --help".`));

  it("is refused with what describes the options of a relay", () => {
    for (const args of [["crew"], ["--port", "70000"], ["--port", "x"]])
      assert.throws(
        () => readRelayOptions(args, {}),
        (error) =>
          error instanceof Refusal && error.message.endsWith(' See "crewdeck relay --help".'),
      );
  });

  it("never repeats an option's value, which may be a secret", () => {
    for (const args of [["--tokn=s3cret"], ["--tokn", "s3cret"], ["--trust-proxy=s3cret"]])
      assert.throws(
        () => readOptions(args, {}),
        (error) => error instanceof Refusal && !error.message.includes("s3cret"),
      );
  });

  it("is refused if it is a folder where only options belong, or lacks the database", () => {
    const see = 'See "crewdeck migrate --help".';
    refused(
      () => readDatabaseOption(["crew"], {}),
      `crewdeck migrate takes only options, not "crew". ${see}`,
    );
    refused(
      () => readDatabaseOption([], {}),
      `Give the address of the database with --database. ${see}`,
    );
  });

  it("is read as Node reads it", () => {
    const { values, positionals } = parseCommandLine("x", {
      args: ["a", "--port=-1", "--", "-b"],
      allowPositionals: true,
      options: { port: { type: "string" } },
    });
    assert.deepEqual([values.port, positionals], ["-1", ["a", "-b"]]);
  });

  it("may be meant as the nearest word, in capital or small letters", () => {
    assert.equal(suggestion("SREVE", ["serve", "relay"]), " Did you mean serve?");
    assert.equal(suggestion("help", ["serve", "relay"]), "");
  });
});
