import assert from "node:assert/strict";
import * as vscode from "vscode";
import { UserError } from "../../src/base/errors.ts";
import { connectCrew, editCrew, openDashboard, setToken } from "../../src/crews/connect.ts";
import type { Crews } from "../../src/crews/crews.ts";
import type { Crew } from "../../src/crews/types.ts";
import { removeCrew, testCrew } from "../../src/actions/crews.ts";
import type { MemorySecrets } from "./memory.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { eachWithSmallCrews, startSmallCrew, type SmallCrew } from "./small-crew.ts";

const type = (text: string) => ({ type: text });
const press = (button: string) => ({ press: button });
const bearer = { pick: "Bearer Token" };
const user = { pick: "User Bearer Token" };

describe("Input boxes for a crew", () => {
  let crew: SmallCrew;
  let other: SmallCrew;
  let secrets: MemorySecrets;
  const locals = { remove: () => assert.fail("a local crew") };
  let crews: Crews;

  eachWithSmallCrews((fresh) => ({ crew, other, secrets, crews } = fresh));

  const connected = () => crews.add({ name: "Travel", url: crew.url, token: "right" });
  const connect = (...moves: readonly Move[]) => withPerson(moves, () => connectCrew(crews));
  const edit = (travel: Crew, ...moves: readonly Move[]) =>
    withPerson(moves, () => editCrew(crews, travel));
  const setsToken = (travel: Crew, argument?: object, ...moves: readonly Move[]) =>
    withPerson(moves, () => setToken(crews, travel, argument));
  const answers = (token: string, name = "Travel") => [
    ...[type(crew.url), type(token), bearer, type(name)],
  ];
  const suggested = ({ url }: SmallCrew) => url.replace("http://", "");

  describe("connecting", () => {
    it("asks for address, token, token type and name, and shows where to find the token", async () => {
      const { result, shown } = await connect(
        ...[type(` ${crew.url}/kickoff`), type("Bearer right"), user, type("Travel")],
      );
      assert.equal(result?.name, "Travel");
      const stored = { token: "right", type: "userBearer" };
      assert.deepEqual(await crews.token(`url:${crew.url}`), stored);
      assert.match(shown[1]?.text ?? "", /Status tab/);
      assert.equal(shown[3]?.value, suggested(crew), "the name is suggested");
    });

    it("shows what is wrong with an address, a token or a name while the input is open", async () => {
      await connected();
      const { shown } = await connect(
        ...[type(`${crew.url}/inputs`), type(other.url)],
        ...[type("two words"), type("right"), bearer],
        ...[type("travel"), type("Other")],
      );
      assert.match(shown[0]?.complaint ?? "", /already connected, as “Travel”/);
      assert.match(shown[1]?.complaint ?? "", /not the value of a token/);
      assert.match(shown[3]?.complaint ?? "", /already a crew named “Travel”/);
      assert.deepEqual(
        crews.list().map(({ name }) => name),
        ["Travel", "Other"],
      );
    });

    it("keeps what was typed when the token is wrong, and connects after it was edited", async () => {
      const { result, shown } = await connect(
        ...[...answers("wrong"), press("Edit Token"), type("right")],
      );
      const failure = shown[4];
      assert.match(failure?.text ?? "", /“Travel” is not connected yet/);
      assert.match(failure?.detail ?? "", /token/i);
      assert.ok(!failure?.detail?.includes("wrong"), "the token is quoted");
      assert.deepEqual(failure?.choices, ["Edit Token", "Edit Address", "Try Again"]);
      assert.equal(shown[5]?.value, "wrong");
      assert.equal(result?.name, "Travel");
      assert.deepEqual(crew.tokens, ["Bearer wrong", "Bearer right"]);
    });

    it("doesn't keep the name that it suggested for an address which failed", async () => {
      await other.stop();
      const { result } = await connect(
        ...[type(other.url), type("right"), bearer, type(suggested(other))],
        ...[press("Edit Address"), type(crew.url), type("right")],
      );
      assert.deepEqual([result?.url, result?.name], [crew.url, suggested(crew)]);
    });

    it("asks for the token again if the address is edited to another host", async () => {
      const { result, shown } = await connect(
        ...[...answers("wrong"), press("Edit Address"), type(other.url), type("right")],
      );
      assert.equal(result?.url, other.url);
      assert.equal(shown.at(-1)?.value, "");
      assert.deepEqual(other.tokens, ["Bearer right"]);
    });

    it("offers to save a crew that can't be reached", async () => {
      await crew.stop();
      const { result, shown } = await connect(
        ...[...answers("right"), press("Try Again"), press("Save Anyway")],
      );
      assert.equal(result?.url, crew.url);
      const choices = ["Try Again", "Edit Address", "Edit Token", "Save Anyway"];
      assert.deepEqual(shown.at(-1)?.choices, choices);
      assert.equal((await crews.token(result.id))?.token, "right");
    });

    it("starts with a link's values, which can be changed, and does not use them the next time", async () => {
      const url = `${crew.url}/kickoff`;
      const link = { by: "link", name: "Travel", url, token: "from-the-link" };
      const { shown } = await withPerson([type(crew.url), "escape"], () =>
        connectCrew(crews, link),
      );
      assert.deepEqual([shown[0]?.value, shown[1]?.value], [url, ""]);
      assert.equal((await connect("escape")).shown[0]?.value, "");
      const { result, shown: again } = await withPerson(answers("right", "Journeys"), () =>
        connectCrew(crews, link),
      );
      assert.equal(again[3]?.value, "Travel");
      assert.ok(again[1]?.text.startsWith(`Token for ${new URL(crew.url).host}.`));
      assert.equal(result?.name, "Journeys");
    });

    it("asks only for the token if name and address are given", async () => {
      const { result, shown } = await withPerson([type("right")], () =>
        connectCrew(crews, { name: "Travel", url: crew.url }),
      );
      assert.deepEqual([result?.name, shown.length], ["Travel", 1]);
    });
  });

  it("replaces a token after a test, and keeps the old one if the person cancels", async () => {
    const travel = await connected();
    const { result, shown } = await setsToken(
      ...[travel, undefined, bearer, type("wrong"), press("Edit Token"), type("right")],
    );
    assert.equal(result, true);
    assert.equal(shown[1]?.value, "", "the old token is not shown");
    const cancelled = await setsToken(travel, undefined, bearer, type("wrong"), "escape");
    assert.equal(cancelled.result, false);
    assert.equal((await crews.token(travel.id))?.token, "right");
  });

  it("adds the other token, uses it, and switches between the two", async () => {
    const travel = await connected();
    const { result, shown } = await setsToken(travel, undefined, user, type("right"));
    assert.equal(result, true);
    assert.match(shown[1]?.text ?? "", /^User Bearer Token for “Travel”/);
    assert.deepEqual(await crews.tokenState(travel.id), {
      kind: "stored",
      inUse: "userBearer",
      types: ["bearer", "userBearer"],
    });
    const inUse = async () => (await crews.token(travel.id))?.type;
    await setsToken(travel, undefined, { pick: "Use Bearer Token" });
    assert.equal(await inUse(), "bearer");
    await setsToken(travel, { crew: "Travel", use: "userBearer" });
    assert.equal(await inUse(), "userBearer");
    await assert.rejects(setToken(crews, travel, { use: "basic" }), /“use” must be/);
  });

  it("saves the token that is typed after a stored one could not be used", async () => {
    const travel = await connected();
    await setsToken(travel, undefined, user, type("right"));
    crews.useToken = () => Promise.reject(new UserError("It is gone."));
    const { result } = await setsToken(
      ...[travel, undefined, { pick: "Use Bearer Token" }],
      ...[press("Edit Token"), bearer, type("right")],
    );
    assert.equal(result, true);
    assert.deepEqual(await crews.token(travel.id), { token: "right", type: "bearer" });
  });

  it("asks only for the token if its type is given, and doesn't ask if both are given", async () => {
    const travel = await connected();
    const { shown } = await setsToken(travel, { tokenType: "userBearer" }, type("right"));
    assert.equal(shown.length, 1);
    const { result } = await setsToken(travel, { token: "right", tokenType: "bearer" });
    assert.equal(result, true);
    await assert.rejects(
      setToken(crews, travel, { token: "wrong" }),
      /does not accept the token \(401\)/,
    );
    assert.equal((await crews.token(travel.id))?.token, "right");
  });

  it("renames a crew, and changes and removes the dashboard's address", async () => {
    const travel = await connected();
    const keeps = type(crew.url);
    const address = "https://app.example.com";
    const { result, shown } = await edit(
      ...[travel, keeps, type("Journeys"), type("app"), type(address)],
    );
    assert.match(shown[2]?.complaint ?? "", /must start with/);
    assert.deepEqual([result?.name, result?.dashboardUrl], ["Journeys", address]);
    const bare = await edit(result!, keeps, type("Journeys"), type(""));
    assert.equal(bare.result?.dashboardUrl, undefined);
  });

  it("asks for the token again if the address changes to another host, once more for a third one, and does not send the old one", async () => {
    const travel = await connected();
    const third = await startSmallCrew();
    const { result, shown } = await edit(
      ...[travel, type(other.url), bearer, type("wrong"), type("Travel"), type("")],
      ...[press("Edit Address"), type(third.url), type("right")],
    ).finally(() => third.stop());
    assert.equal(result?.url, third.url);
    assert.match(shown[2]?.text ?? "", /never sent to another host/);
    assert.equal(shown.at(-1)?.value, "");
    assert.deepEqual(other.tokens, ["Bearer wrong"]);
    assert.deepEqual(third.tokens, ["Bearer right"]);
    assert.equal(await crews.token(travel.id), undefined);
  });

  it("changes nothing if the token for the other host isn't entered", async () => {
    const travel = await connected();
    const { result } = await edit(travel, type(other.url), "escape");
    assert.equal(result, undefined);
    assert.deepEqual([crews.list(), other.tokens], [[travel], []]);
  });

  it("removes a crew only after a confirmation that names the token and the executions", async () => {
    const travel = await connected();
    const remove = (move: Move) => withPerson([move], () => removeCrew({ crews, locals }, travel));
    const { result: kept, shown } = await remove("escape");
    assert.equal(kept, false);
    assert.match(shown[0]?.detail ?? "", /tokens are deleted/);
    assert.match(shown[0]?.detail ?? "", /no longer updated/);
    assert.equal(crews.list().length, 1);
    assert.equal((await remove(press("Remove"))).result, true);
    assert.equal(secrets.kept.size, 0);
  });

  describe("testing a connection", () => {
    const test = (travel: Crew) => withPerson([], () => testCrew(crews, travel, true));

    it("reports address, time, and type of token, without the token", async () => {
      const { result, shown } = await test(await connected());
      const { milliseconds, ...report } = result!;
      assert.deepEqual(report, {
        crew: "Travel",
        url: crew.url,
        ok: true,
        tokenType: "bearer",
        inputs: 2,
      });
      assert.match(
        shown[0]?.text ?? "",
        /^“Travel” answers at http:\/\/127\.0\.0\.1:\d+ in \d+ ms\. Inputs: 2\. Token: Bearer Token\.$/,
      );
      assert.ok(milliseconds >= 0);
    });

    it("names the cause of a failure, with a remedy, and returns the report", async () => {
      const { id, ...travel } = await connected();
      const wrong = { token: "wrong", type: "userBearer" } as const;
      const forbidden = { inUse: "userBearer", userBearer: "forbidden" } as const;
      const page = { type: "text/html", body: "<html>Welcome</html>" };
      const json = { type: "application/json", body: '{"hello":"world"}' };
      const refusesToken = /: The crew does not accept the token/;
      for (const [spoil, cause, text, remedy] of [
        [() => crews.setToken(id, wrong), "unauthorized", refusesToken, "Set Token"],
        [() => crews.setTokens(id, forbidden), "forbidden", /may lack the right/, "Set Token"],
        [() => crews.setTokens(id, undefined), "noToken", /no token for “Travel”/, "Set Token"],
        [() => (crew.answer = page), "badAnswer", /but: Welcome/, "Edit Crew"],
        [() => (crew.answer = json), "badAnswer", /but: .*hello/, "Edit Crew"],
        [() => crew.stop(), "refused", /failed \(ECONNREFUSED\)/, "Edit Crew"],
      ] as const) {
        delete crew.answer;
        await crews.setTokens(id, { inUse: "bearer", bearer: "right" });
        await spoil();
        const { result, shown } = await test({ id, ...travel });
        assert.deepEqual([result?.ok, result?.cause], [false, cause]);
        assert.match(shown[0]?.text ?? "", text);
        assert.deepEqual(shown[0]?.choices, [remedy, "Show Log"]);
        assert.doesNotMatch(JSON.stringify(result), /wrong/, "the token is in the report");
      }
    });
  });
});

describe("a crew's dashboard", () => {
  const crew = { id: "url:https://crew.test", name: "Travel", url: "https://crew.test" };
  const real = Object.getOwnPropertyDescriptor(vscode.env, "openExternal")!;
  let opened: string[];

  beforeEach(() => {
    opened = [];
    const value = (uri: vscode.Uri) => Promise.resolve(opened.push(uri.toString(true)) > 0);
    Object.defineProperty(vscode.env, "openExternal", { configurable: true, value });
  });
  afterEach(() => Object.defineProperty(vscode.env, "openExternal", real));

  it("opens in the browser if its address is known", async () => {
    const dashboardUrl = "https://app.example.com/crews/7?tab=status";
    assert.equal(await openDashboard({ ...crew, dashboardUrl }), dashboardUrl);
    assert.deepEqual(opened, [dashboardUrl]);
  });

  it("doesn't open without an address; the message offers to edit the crew", async () => {
    await assert.rejects(
      openDashboard(crew),
      (error) => error instanceof UserError && error.actions[0]?.command === "crewdeck.editCrew",
    );
    assert.deepEqual(opened, []);
  });
});
