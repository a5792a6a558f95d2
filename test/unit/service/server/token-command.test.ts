import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { configName } from "../../../../src/service/options.ts";
import { parseServerConfig } from "../../../../src/service/server/config.ts";
import { databaseIn, defaultDataFolder } from "../../../../src/service/data-folder.ts";
import { openSqliteDatabase } from "../../../../src/service/database/sqlite.ts";
import { lastUsesIn, lastUsesInFolder } from "../../../../src/service/server/last-uses.ts";
import { runTokenCommand, type UsesPlace } from "../../../../src/service/server/token-command.ts";
import { withoutToken, withToken } from "../../../../src/service/server/token-list.ts";
import { findToken, hashOf } from "../../../../src/service/server/tokens.ts";
import { temporaryFolder } from "../../../support/folders.ts";

const crews = `[
    { "name": "research", "folder": "a", "engine": "rehearsal" },
    { "name": "travel", "folder": "b", "engine": "rehearsal" }
  ]`;

describe("crewdeck token", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder("tokens");
    file = path.join(folder, configName);
    writeFileSync(file, `// Ours\n{\n  "crews": ${crews} // two\n}\n`);
  });
  const usesIn = (place: UsesPlace) => {
    if ("folder" in place) return Promise.resolve(lastUsesInFolder(place.folder));
    const hour = place.database === "postgres://a" ? 12 : 13;
    return Promise.resolve(new Map([["ann", Date.UTC(2026, 10, 23, hour)]]));
  };
  const run = (...args: string[]) => runTokenCommand(args, { CREWDECK_CONFIG: file }, usesIn);
  const text = () => readFileSync(file, "utf8");
  const tokens = () => parseServerConfig(file, text()).tokens;
  const refusal = async (...args: string[]): Promise<string> => {
    const before = text();
    const error: unknown = await run(...args).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error && error.name === "Refusal", String(error));
    assert.equal(text(), before);
    assert.deepEqual(readdirSync(folder), [configName]);
    return error.message;
  };

  it("add prints a new token once, and stores its hash", async () => {
    const { output, note } = await run("add", "ci", "--crew", "research", "--crew", "travel");
    assert.match(output, /^crew_[\w-]{43}\n$/);
    const token = output.trim();
    assert.ok(!String(note).includes(token));
    assert.deepEqual(tokens(), [
      { name: "ci", kind: "organization", crews: ["research", "travel"], hash: hashOf(token) },
    ]);
    assert.ok(!text().includes(token));
    const second = await run("add", "ann@example.com", "--user");
    assert.notEqual(second.output, output);
    const [, ann] = tokens();
    assert.deepEqual([ann?.kind, ann?.crews], ["user", "all"]);
    assert.equal(findToken(tokens(), second.output.trim())?.name, "ann@example.com");
  });

  it("revoke removes that token alone", async () => {
    for (const name of ["one", "two", "three"]) await run("add", name);
    assert.equal((await run("revoke", "two")).output, "");
    assert.deepEqual(
      tokens().map(({ name }) => name),
      ["one", "three"],
    );
  });

  it("list shows name, kind, crews and last use of each, and no hash", async () => {
    await run("add", "ci", "--crew", "research", "--crew", "travel");
    await run("add", "ann", "--user");
    const { output: unknown, note } = await run("list", "--data", "/nowhere");
    assert.equal(
      unknown,
      [
        "NAME  KIND          CREWS            LAST USED",
        "ci    organization  research,travel  unknown",
        "ann   user          all              unknown",
        "",
      ].join("\n"),
    );
    assert.match(
      note ?? "",
      /is unknown: no server has kept anything in \/nowhere\. Name the server's folder with --data, or its Postgres with --database\./,
    );
    const { output } = await run("list", "--database", "postgres://a");
    assert.match(output, /^ci .* never$/m);
    assert.match(output, /^ann .* 2026-11-23T12:00:00\.000Z$/m);
    const env = { CREWDECK_CONFIG: file, CREWDECK_DATABASE: "postgres://b" };
    assert.match((await runTokenCommand(["list"], env, usesIn)).output, /^ann .*T13:00/m);
    const inFolder = await runTokenCommand(["list", "--data", "/nowhere"], env, usesIn);
    assert.match(inFolder.output, /^ann .* unknown$/m);
  });

  it("list finds the last uses in the data folder of a server with this file, while it works and later", async () => {
    const env = { CREWDECK_CONFIG: file, XDG_DATA_HOME: folder, LOCALAPPDATA: folder };
    const isMac = process.platform === "darwin";
    const data = isMac ? path.join(folder, "data") : defaultDataFolder(folder, 1, env);
    mkdirSync(data, { recursive: true });
    const database = openSqliteDatabase(databaseIn(data), () => undefined);
    await lastUsesIn(database).note("ann", Date.UTC(2026, 10, 23, 14));
    for (const name of ["ann", "ci"]) await run("add", name);
    const list = async (...args: string[]) => runTokenCommand(["list", ...args], env, usesIn);
    // There, no variable moves the folder.
    const given = isMac ? ["--data", data] : [];
    const expected = /^ann .* 2026-11-23T14:00:00\.000Z\nci .* never$/m;
    assert.match((await list(...given)).output, expected);
    await database.close();
    const { output, note } = await list("--data", data);
    assert.match(output, expected);
    assert.equal(note, undefined);
    writeFileSync(databaseIn(data), "no database at all");
    await assert.rejects(list("--data", data), /crewdeck\.sqlite can't be read: /);
  });

  it("list says that there are none", async () => {
    assert.deepEqual(await run("list"), { output: "", note: `${file} has no tokens.\n` });
  });

  it("refuses in words, and changes nothing", async () => {
    await run("add", "ci");
    assert.match(
      await refusal("add", "CI"),
      /already has a token "CI"\. Choose another name, or revoke it\./,
    );
    assert.match(
      await refusal("add", "x", "--crew", "rome"),
      /has no crew "rome"\. Its crews: research, travel\./,
    );
    assert.match(await refusal("revoke", "nobody"), /has no token "nobody"/);
    for (const name of ["", "a b", "../x", "-", "x".repeat(65), "a\nb"])
      assert.match(await refusal("add", "--", name), /expected a name of 1 to 64 letters/, name);
    for (const [args, said] of [
      [[], "Expected token add, token list or token revoke."],
      [
        ["remove", "ci"],
        'There is no command "token remove". Did you mean revoke? Expected token add,',
      ],
      [["lst"], 'There is no command "token lst". Did you mean list?'],
      [["list", "ci"], "token list: expected no name."],
      [["add"], "token add: expected a name."],
      [["add", "a", "b"], "token add: expected one name, not also b."],
      [["revoke", "ci", "--user"], "--crew and --user belong to token add."],
      [["add", "a", "--database", "postgres://a"], "--database and --data belong to token list."],
      [["add", "a", "--all"], "There is no option --all."],
    ] as const) {
      const message = await refusal(...args);
      assert.ok(message.includes(said), message);
      assert.ok(message.endsWith(' See "crewdeck token --help".'), message);
    }
    writeFileSync(file, '{ "crews": [],\n  "tokens": {} }');
    assert.match(await refusal("add", "x"), /crewdeck\.server\.jsonc:2:13: |:2:3: /);
  });

  it("says which file or folder is missing", async () => {
    const missing = path.join(folder, "other.jsonc");
    const noFile = `There is no file ${missing}. Choose another one with --config.`;
    const none = path.join(folder, "none");
    for (const [args, config, message] of [
      [["list"], missing, noFile],
      [["revoke", "ci"], missing, noFile],
      [["add", "ci"], path.join(none, "other.jsonc"), `There is no folder ${none}.`],
    ] as const)
      await assert.rejects(run(...args, "--config", config), { name: "Refusal", message });
    assert.deepEqual(readdirSync(folder), [configName]);
  });

  it("creates a missing file for this user only, and keeps the mode of one that is there", async () => {
    rmSync(file);
    assert.match(
      (await run("add", "ci")).note ?? "",
      /is new: describe the server's crews in it\./,
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    chmodSync(file, 0o640);
    assert.doesNotMatch((await run("add", "cd")).note ?? "", /is new/);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.equal(tokens().length, 2);
  });

  it("changes the file behind a symbolic link", async () => {
    const link = path.join(folder, "link.jsonc");
    symlinkSync(file, link);
    await run("add", "ci", "--config", link);
    assert.equal(tokens().length, 1);
  });

  it("loses none of those that are added at once", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => run("add", name)));
    assert.deepEqual(
      tokens()
        .map(({ name }) => name)
        .sort(),
      names.sort(),
    );
    assert.deepEqual(readdirSync(folder), [configName]);
  });

  it("is refused while another command seems to change the file, and says what to delete", async () => {
    const lock = `${file}.lock`;
    writeFileSync(lock, "");
    const before = text();
    await assert.rejects(run("add", "ci"), {
      name: "Refusal",
      message: `Another command is changing the file: ${lock} exists. If none is running, delete it.`,
    });
    assert.equal(text(), before);
    assert.ok(existsSync(lock));
  });
});

describe("The list of tokens", () => {
  const token = (name: string) =>
    ({ name, kind: "user", crews: ["a"], hash: hashOf(name) }) as const;
  const line = (name: string) =>
    `{ "name": "${name}", "kind": "user", "crews": ["a"], "hash": "${hashOf(name)}" }`;
  const config = (list: string, rest = "") =>
    `{ "crews": [{ "name": "a", "folder": "a", "engine": "rehearsal" }]${rest}, "tokens": [${list}] }`;
  const names = (text: string) => parseServerConfig("f", text).tokens.map(({ name }) => name);

  it("keeps its comments and commas when a token is added", () => {
    for (const [before, after] of [
      ["", `\n    ${line("x")}\n  `],
      ["\n    // nobody yet\n  ", `\n    // nobody yet\n    ${line("x")}\n  `],
      [line("a"), `${line("a")},\n    ${line("x")}\n  `],
      [`\n    ${line("a")} // Ann\n  `, `\n    ${line("a")}, // Ann\n    ${line("x")}\n  `],
      [
        `\n    ${line("a")}, // Ann, a\n    /* end */\n  `,
        `\n    ${line("a")}, // Ann, a\n    /* end */\n    ${line("x")}\n  `,
      ],
      [`\n    ${line("a")} /* , */ ,\n  `, `\n    ${line("a")} /* , */ ,\n    ${line("x")}\n  `],
    ] as const) {
      assert.equal(withToken(config(before), token("x")), config(after));
      assert.equal(names(config(after)).at(-1), "x");
    }
  });

  it("is added to a file without it, and the file keeps its line endings", () => {
    const before = `{\r\n  "crews": [{ "name": "a", "folder": "a", "engine": "rehearsal" }] // one\r\n}\r\n`;
    const after = withToken(before, token("x"));
    assert.equal(
      after,
      `{\r\n  "crews": [{ "name": "a", "folder": "a", "engine": "rehearsal" }], // one\r\n  "tokens": [\r\n    ${line("x")}\r\n  ]\r\n}\r\n`,
    );
    assert.deepEqual(names(after), ["x"]);
  });

  it("keeps its comments and commas when a token is removed", () => {
    const [a, b, c] = [line("a"), line("b"), line("c")];
    for (const [before, index, after] of [
      [a, 0, ""],
      [`${a}, ${b}`, 0, ` ${b}`],
      [`${a}, ${b},`, 1, `${a}, `],
      [
        `\n    ${a},\n    // Bob\n    ${b},\n    // Cy\n    ${c}\n  `,
        1,
        `\n    ${a},\n    // Bob\n    // Cy\n    ${c}\n  `,
      ],
      [`\n    ${a}, // Ann\n    // Bob\n    ${b}\n  `, 1, `\n    ${a} // Ann\n    // Bob\n  `],
      [`\n    ${a}\n    , ${b}\n    , ${c}\n  `, 1, `\n    ${a}\n    , \n     ${c}\n  `],
    ] as const) {
      assert.equal(withoutToken(config(before), index), config(after));
      const left = names(config(before)).filter((_, each) => each !== index);
      assert.deepEqual(names(config(after)), left);
    }
  });
});
