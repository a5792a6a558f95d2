import assert from "node:assert/strict";
import { UserError } from "../../src/base/errors.ts";
import { connectCrew, editCrew, setToken } from "../../src/crews/connect.ts";
import type { Crews } from "../../src/crews/crews.ts";
import { removeCrew } from "../../src/actions/crews.ts";
import { testCrew } from "../../src/crews/test-crew.ts";
import type { MemorySecrets } from "./memory.ts";
import { withPerson, type Move } from "./scripted-person.ts";
import { eachWithSmallCrews, startSmallCrew, type SmallCrew } from "./small-crew.ts";

describe("Input boxes for a crew", () => {
  let crew: SmallCrew;
  let other: SmallCrew;
  let secrets: MemorySecrets;
  const locals = { remove: () => assert.fail("a local crew") };
  let crews: Crews;

  const connected = () => crews.add({ name: "Travel", url: crew.url, token: "right" });

  eachWithSmallCrews((fresh) => ({ crew, other, secrets, crews } = fresh));

  describe("connecting", () => {
    const answers = (token: string): readonly Move[] => [
      { type: crew.url },
      { type: token },
      { pick: "Bearer Token" },
      { type: "Travel" },
    ];

    it("asks for address, token, token type and name, and shows where to find the token", async () => {
      const moves: Move[] = [
        { type: ` ${crew.url}/kickoff` },
        { type: "Bearer right" },
        { pick: "User Bearer Token" },
        { type: "Travel" },
      ];
      const { result, shown } = await withPerson(moves, () => connectCrew(crews));
      assert.equal(result?.name, "Travel");
      assert.deepEqual(await crews.token(`url:${crew.url}`), {
        token: "right",
        type: "userBearer",
      });
      assert.deepEqual(
        shown.map(({ step }) => step),
        [1, 2, 3, 4],
      );
      assert.ok(
        shown.every(({ stays }) => stays),
        "a box goes when the focus moves",
      );
      assert.match(shown[1]?.text ?? "", /Status tab/);
      assert.deepEqual(
        shown.map(({ hidden }) => hidden),
        [false, true, false, false],
      );
      assert.equal(shown[3]?.value, crew.url.replace("http://", ""), "the name is suggested");
    });

    it("shows what is wrong with an address, a token or a name while the input is open", async () => {
      await connected();
      const moves: Move[] = [
        { type: `${crew.url}/inputs` },
        { type: other.url },
        { type: "two words" },
        { type: "right" },
        { pick: "Bearer Token" },
        { type: "travel" },
        { type: "Other" },
      ];
      const { shown } = await withPerson(moves, () => connectCrew(crews));
      assert.match(shown[0]?.complaint ?? "", /already connected, as “Travel”/);
      assert.match(shown[1]?.complaint ?? "", /only letters, digits and signs/);
      assert.match(shown[3]?.complaint ?? "", /already a crew named “Travel”/);
      assert.deepEqual(
        crews.list().map(({ name }) => name),
        ["Travel", "Other"],
      );
    });

    it("keeps what was typed when the token is wrong, and connects after it was edited", async () => {
      const moves: Move[] = [...answers("wrong"), { press: "Edit Token" }, { type: "right" }];
      const { result, shown } = await withPerson(moves, () => connectCrew(crews));
      const failure = shown[4];
      assert.equal(failure?.kind, "message");
      assert.match(failure.text, /“Travel” is not connected yet/);
      assert.match(failure.detail ?? "", /token/i);
      assert.ok(!failure.detail?.includes("wrong"), "the token is quoted");
      assert.deepEqual(failure.choices, ["Edit Token", "Edit Address", "Try Again"]);
      assert.equal(shown[5]?.value, "wrong");
      assert.equal(result?.name, "Travel");
      assert.deepEqual(crew.tokens, [undefined, "Bearer wrong", "Bearer right"]);
    });

    it("tests the address, without a token, before it asks for one", async () => {
      await other.stop();
      const moves: Move[] = [
        { type: other.url },
        { press: "Try Again" },
        { press: "Edit Address" },
        { type: crew.url },
        "escape",
      ];
      const { shown } = await withPerson(moves, () => connectCrew(crews));
      assert.deepEqual(
        shown.map(({ kind, hidden }) => (kind === "message" ? kind : hidden ? "token" : "address")),
        ["address", "message", "message", "address", "token"],
      );
      assert.deepEqual(shown[1]?.choices, ["Try Again", "Edit Address", "Continue Anyway"]);
      assert.deepEqual(crew.tokens, [undefined]);
    });

    it("doesn't keep the name that it suggested for an address which failed", async () => {
      await other.stop();
      const moves: Move[] = [
        { type: other.url },
        { press: "Continue Anyway" },
        { type: "right" },
        { pick: "Bearer Token" },
        { type: other.url.replace("http://", "") },
        { press: "Edit Address" },
        { type: crew.url },
        { type: "right" },
      ];
      const { result } = await withPerson(moves, () => connectCrew(crews));
      assert.deepEqual([result?.url, result?.name], [crew.url, crew.url.replace("http://", "")]);
    });

    it("asks for the token again if the address is edited to another host", async () => {
      const moves: Move[] = [
        ...answers("wrong"),
        { press: "Edit Address" },
        { type: other.url },
        { type: "right" },
      ];
      const { result, shown } = await withPerson(moves, () => connectCrew(crews));
      assert.equal(result?.url, other.url);
      assert.equal(shown.findLast(({ hidden }) => hidden)?.value, "");
      assert.deepEqual(other.tokens, [undefined, "Bearer right"]);
    });

    it("offers to save a crew that can't be reached", async () => {
      await crew.stop();
      const moves: Move[] = [
        { type: crew.url },
        { press: "Continue Anyway" },
        { type: "right" },
        { pick: "Bearer Token" },
        { type: "Travel" },
        { press: "Try Again" },
        { press: "Save Anyway" },
      ];
      const { result, shown } = await withPerson(moves, () => connectCrew(crews));
      assert.equal(result?.url, crew.url);
      assert.equal(shown.filter(({ kind }) => kind === "message").length, 3);
      assert.equal((await crews.token(result.id))?.token, "right");
    });

    it("starts with the values typed before a cancellation, except the token", async () => {
      const moves: Move[] = [...answers("wrong"), { press: "Edit Token" }, "escape"];
      assert.equal((await withPerson(moves, () => connectCrew(crews))).result, undefined);
      const { shown } = await withPerson(answers("right"), () => connectCrew(crews));
      assert.deepEqual(
        [shown[0]?.value, shown[1]?.value, shown[3]?.value],
        [crew.url, "", "Travel"],
      );
    });

    it("goes back to a question, and shows what was answered, but no token at another host", async () => {
      const moves: Move[] = [
        { type: other.url },
        { type: "right" },
        "back",
        "back",
        { type: crew.url },
        { type: "right" },
        { pick: "Bearer Token" },
        { type: "Travel" },
      ];
      const { result, shown } = await withPerson(moves, () => connectCrew(crews));
      assert.deepEqual(
        shown.map(({ step }) => step),
        [1, 2, 3, 2, 1, 2, 3, 4],
      );
      assert.deepEqual(
        [3, 4, 5].map((at) => shown[at]?.value),
        ["right", other.url, ""],
      );
      assert.equal(result?.url, crew.url);
    });

    it("starts with a link's values, which can be changed, and does not use them the next time", async () => {
      const link = {
        by: "link",
        name: "Travel",
        url: `${crew.url}/kickoff`,
        token: "from-the-link",
      };
      const { shown } = await withPerson([{ type: crew.url }, "escape"], () =>
        connectCrew(crews, link),
      );
      assert.deepEqual([shown[0]?.value, shown[1]?.value], [`${crew.url}/kickoff`, ""]);
      assert.equal((await withPerson(["escape"], () => connectCrew(crews))).shown[0]?.value, "");
      const moves: Move[] = [...answers("right").slice(0, 3), { type: "Journeys" }];
      const { result, shown: again } = await withPerson(moves, () => connectCrew(crews, link));
      assert.equal(again[3]?.value, "Travel");
      assert.equal(result?.name, "Journeys");
    });

    it("asks only for the token if name and address are given", async () => {
      const { result, shown } = await withPerson([{ type: "right" }], () =>
        connectCrew(crews, { name: "Travel", url: crew.url }),
      );
      assert.equal(result?.name, "Travel");
      assert.equal(shown.length, 1);
    });
  });

  it("replaces a token after a test", async () => {
    const travel = await connected();
    const { result, shown } = await withPerson(
      [{ pick: "Bearer Token" }, { type: "wrong" }, { press: "Edit Token" }, { type: "right" }],
      () => setToken(crews, travel),
    );
    assert.equal(result, true);
    assert.equal(shown[1]?.value, "", "the old token is not shown");
    assert.equal((await crews.token(travel.id))?.token, "right");
  });

  it("keeps the old token if the person cancels", async () => {
    const travel = await connected();
    const { result } = await withPerson(
      [{ pick: "Bearer Token" }, { type: "wrong" }, "escape"],
      () => setToken(crews, travel),
    );
    assert.equal(result, false);
    assert.equal((await crews.token(travel.id))?.token, "right");
  });

  it("adds the other token, uses it, and switches between the two", async () => {
    const travel = await connected();
    const { result, shown } = await withPerson(
      [{ pick: "User Bearer Token" }, { type: "right" }],
      () => setToken(crews, travel),
    );
    assert.equal(result, true);
    assert.match(shown[1]?.text ?? "", /^User Bearer Token for “Travel”/);
    assert.deepEqual(await crews.tokenState(travel.id), {
      kind: "stored",
      inUse: "userBearer",
      types: ["bearer", "userBearer"],
    });
    const inUse = async () => (await crews.token(travel.id))?.type;
    await withPerson([{ pick: "Use Bearer Token" }], () => setToken(crews, travel));
    assert.equal(await inUse(), "bearer");
    await withPerson([], () => setToken(crews, travel, { crew: "Travel", use: "userBearer" }));
    assert.equal(await inUse(), "userBearer");
    await assert.rejects(setToken(crews, travel, { use: "basic" }), /“use” must be/);
  });

  it("saves the token that is typed after a stored one could not be used", async () => {
    const travel = await connected();
    await withPerson([{ pick: "User Bearer Token" }, { type: "right" }], () =>
      setToken(crews, travel),
    );
    crews.useToken = () => Promise.reject(new UserError("It is gone."));
    const moves: Move[] = [
      { pick: "Use Bearer Token" },
      { press: "Edit Token" },
      { pick: "Bearer Token" },
      { type: "right" },
    ];
    assert.equal((await withPerson(moves, () => setToken(crews, travel))).result, true);
    assert.deepEqual(await crews.token(travel.id), { token: "right", type: "bearer" });
  });

  it("asks only for the token if its type is given, and doesn't ask if both are given", async () => {
    const travel = await connected();
    const { shown } = await withPerson([{ type: "right" }], () =>
      setToken(crews, travel, { crew: "Travel", tokenType: "userBearer" }),
    );
    assert.equal(shown.length, 1);
    assert.equal(
      (
        await withPerson([], () =>
          setToken(crews, travel, { crew: "Travel", token: "right", tokenType: "bearer" }),
        )
      ).result,
      true,
    );
    await assert.rejects(
      setToken(crews, travel, { crew: "Travel", token: "wrong" }),
      /organisation's token \(401\)/,
    );
    assert.equal((await crews.token(travel.id))?.token, "right");
  });

  it("renames a crew", async () => {
    const travel = await connected();
    const { result } = await withPerson([{ pick: "Name" }, { type: "Journeys" }], () =>
      editCrew(crews, travel),
    );
    assert.equal(result?.name, "Journeys");
  });

  it("asks for the token again if the address changes to another host, and does not send the old one", async () => {
    const travel = await connected();
    const { result, shown } = await withPerson(
      [{ pick: "Address" }, { type: other.url }, { pick: "Bearer Token" }, { type: "right" }],
      () => editCrew(crews, travel),
    );
    assert.equal(result?.url, other.url);
    assert.match(shown[3]?.text ?? "", /never sent to another host/);
    assert.deepEqual(other.tokens, [undefined, "Bearer right"]);
    assert.equal(await crews.token(travel.id), undefined);
  });

  it("asks for the token once more if the address changes to a third host", async () => {
    const travel = await connected();
    const third = await startSmallCrew();
    const { result, shown } = await withPerson(
      [
        ...[{ pick: "Address" }, { type: other.url }, { pick: "Bearer Token" }, { type: "wrong" }],
        ...[{ press: "Edit Address" }, { type: third.url }, { type: "right" }],
      ],
      () => editCrew(crews, travel),
    ).finally(() => third.stop());
    assert.equal(result?.url, third.url);
    assert.equal(shown.findLast(({ hidden }) => hidden)?.value, "");
    assert.deepEqual(third.tokens, [undefined, "Bearer right"]);
  });

  it("changes nothing if the token for the other host isn't entered", async () => {
    const travel = await connected();
    const { result } = await withPerson([{ pick: "Address" }, { type: other.url }, "escape"], () =>
      editCrew(crews, travel),
    );
    assert.equal(result, undefined);
    assert.deepEqual(crews.list(), [travel]);
    assert.deepEqual(other.tokens, [undefined]);
  });

  it("changes and removes the dashboard's address", async () => {
    const travel = await connected();
    const { result, shown } = await withPerson(
      [{ pick: "Dashboard address" }, { type: "app" }, { type: "https://app.example.com" }],
      () => editCrew(crews, travel),
    );
    assert.match(shown[1]?.complaint ?? "", /must start with/);
    assert.equal(result?.dashboardUrl, "https://app.example.com");
    const changed = crews.get("Travel");
    assert.equal(
      (
        await withPerson([{ pick: "Dashboard address" }, { type: "" }], () =>
          editCrew(crews, changed),
        )
      ).result?.dashboardUrl,
      undefined,
    );
  });

  it("removes a crew only after a confirmation that names the token and the executions", async () => {
    const travel = await connected();
    const { result: kept, shown } = await withPerson(["escape"], () =>
      removeCrew({ crews, locals }, travel),
    );
    assert.equal(kept, false);
    assert.match(shown[0]?.detail ?? "", /tokens are deleted/);
    assert.match(shown[0]?.detail ?? "", /no longer updated/);
    assert.equal(crews.list().length, 1);
    assert.equal(
      (await withPerson([{ press: "Remove" }], () => removeCrew({ crews, locals }, travel))).result,
      true,
    );
    assert.equal(secrets.kept.size, 0);
  });

  describe("testing a connection", () => {
    it("reports address, time, type of token and status path, without the token", async () => {
      const travel = await connected();
      const { result, shown } = await withPerson([], () => testCrew(crews, travel));
      const { milliseconds, ...report } = result!;
      assert.deepEqual(report, {
        crew: "Travel",
        url: crew.url,
        ok: true,
        tokenType: "bearer",
        inputs: 2,
        statusPath: "/status/{kickoff_id}",
      });
      assert.match(
        shown[0]?.text ?? "",
        /^“Travel” answers at http:\/\/127\.0\.0\.1:\d+ in \d+ ms and has 2 inputs\. Token: Bearer Token\. Status path: \/status\/\{kickoff_id\}\.$/,
      );
      assert.deepEqual(shown[0]?.choices, ["Copy Report"]);
      assert.ok(milliseconds >= 0);
    });

    const causes: readonly (readonly [
      what: string,
      spoil: (id: string) => unknown,
      cause: string,
      text: RegExp,
      choices: readonly string[],
    ])[] = [
      [
        "a refused token",
        (id) => crews.setToken(id, { token: "wrong", type: "userBearer" }),
        "unauthorized",
        /: The crew does not accept the user's token/,
        ["Set Token", "Show Log", "Copy Report"],
      ],
      [
        "a token without rights",
        (id) => crews.setTokens(id, { inUse: "userBearer", userBearer: "forbidden" }),
        "forbidden",
        /may lack the right/,
        ["Set Token", "Show Log", "Copy Report"],
      ],
      [
        "a token that is lost",
        () => secrets.kept.clear(),
        "tokenLost",
        /no longer in this machine's secret storage/,
        ["Set Token", "Show Log", "Copy Report"],
      ],
      [
        "no token",
        (id) => crews.setTokens(id, undefined),
        "noToken",
        /no token for “Travel” on this machine/,
        ["Set Token", "Show Log", "Copy Report"],
      ],
      [
        "a page in its place",
        () => (crew.answer = { type: "text/html", body: "<html>Welcome</html>" }),
        "notACrew",
        /answers with a web page/,
        ["Edit Crew", "Show Log", "Copy Report"],
      ],
      [
        "other JSON in its place",
        () => (crew.answer = { type: "application/json", body: '{"hello":"world"}' }),
        "notACrew",
        /not what the Crew Execution API returns/,
        ["Edit Crew", "Show Log", "Copy Report"],
      ],
      [
        "no crew there",
        () => crew.stop(),
        "refused",
        /: Nothing accepts connections/,
        ["Edit Crew", "Show Log", "Copy Report"],
      ],
    ];

    it("names the cause of a failure, with a remedy, and returns the report", async () => {
      const travel = await connected();
      for (const [what, spoil, cause, text, choices] of causes) {
        delete crew.answer;
        await crews.setTokens(travel.id, { inUse: "bearer", bearer: "right" });
        await spoil(travel.id);
        const { result, shown } = await withPerson([], () => testCrew(crews, travel));
        assert.deepEqual([result?.ok, result?.cause], [false, cause], what);
        assert.match(shown[0]?.text ?? "", text, what);
        assert.deepEqual(shown[0]?.choices, choices, what);
        assert.doesNotMatch(JSON.stringify(result), /wrong/, "the token is in the report");
      }
    });
  });
});
