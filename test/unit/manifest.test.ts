import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Crew, LocalCrew } from "../../src/crews/types.ts";
import { type Execution, hasEnded, without } from "../../src/executions/model.ts";
import type { Circumstances } from "../../src/view/actions.ts";
import { executionRow, taskRow } from "../../src/views/tree/execution-rows.ts";
import { crewRow } from "../../src/views/tree/rows.ts";
import { projectFolder } from "../support/folders.ts";
import { anApproval, anExecution, notWaiting } from "./views/executions.ts";

type Entry = Partial<Record<"command" | "submenu" | "group" | "when", string>>;

const read = (file: string) => readFileSync(path.join(projectFolder, file), "utf8");
const texts = JSON.parse(read("package.nls.json")) as Record<string, string>;
const { commands, menus } = (
  JSON.parse(read("package.json")) as {
    readonly contributes: {
      readonly commands: readonly (Record<"command" | "category", string> & { icon?: string })[];
      readonly menus: Readonly<Record<string, readonly Entry[]>>;
    };
  }
).contributes;
const idOf = ({ command, submenu = "" }: Entry) => command ?? submenu;
/** In the Command Palette. */
const hidden = menus["commandPalette"]!.filter(({ when }) => when === "false").map(idOf);
const isIcon = ({ group = "" }: Entry) => /^(inline|navigation)/.test(group);

type Context = Readonly<Record<string, string | boolean>>;

/** Evaluates a `when` clause of `&&`, `||`, `!`, `==`, `!=` and `=~`. */
function holds(when: string, context: Context): boolean {
  const one = (clause: string): boolean => {
    if (clause.startsWith("!")) return !one(clause.slice(1));
    const [, key = "", operator, wanted = ""] = /^(\S+?)(?: (==|!=|=~) (.+))?$/.exec(clause) ?? [];
    const value = context[key] ?? "";
    if (operator === "=~") return new RegExp(wanted.slice(1, -1)).test(String(value));
    if (operator === "==") return String(value) === wanted;
    return operator === "!=" ? String(value) !== wanted : Boolean(value);
  };
  return when.split(" || ").some((all) => all.split(" && ").every((clause) => one(clause)));
}

function shownIn(menu: string, context: Context): readonly Entry[] {
  return (menus[menu] ?? []).filter(({ when = "true" }) => holds(when, { true: true, ...context }));
}

function rowMenu(viewItem: string, selected: Context = {}): readonly string[] {
  const context = { view: "crewdeck.executions", viewItem, ...selected };
  return shownIn("view/item/context", context)
    .filter((entry) => !isIcon(entry))
    .map(idOf);
}

const ids = { id: "url:https://crew.test", name: "Writers", url: "https://crew.test" };
const aLocal = (more: Partial<LocalCrew>): Crew => ({
  ...{ id: "local:file:///a", name: "Mine", url: "http://127.0.0.1:4000" },
  local: { folder: "file:///a", engine: "crewai", running: true, ...more },
});
const twice = [1, 2].map((number) => ({ number, output: "# Draft" }));

/** Each kind of row, in each of its states. */
function* rows(): Generator<string> {
  const deployed: Crew = { ...ids, dashboardUrl: "https://app.test" };
  const locals: readonly Partial<LocalCrew>[] = [
    {},
    { running: false },
    { running: false, starting: true },
    { interrupted: ["k"] },
  ];
  const both = (["rehearsal", "crewai"] as const).flatMap((engine) =>
    locals.map((more) => aLocal({ engine, ...more })),
  );
  for (const crew of [deployed, ...both]) yield crewRow(crew, {}).facts;
  const tasks = anExecution().tasks.map((task) => ({ ...task, attempts: twice }));
  const waits = anExecution({ tasks, pinned: true, output: "# Draft" });
  const asks = { ...waits, waiting: { ...waits.waiting!, options: ["yes"] } };
  const others = without({ ...waits, crew: { ...ids, id: "local:file:///a" } }, "waiting");
  const states = (
    ["queued", "running", "completed", "failed", "stopped", "unknown", "unconfirmed"] as const
  ).map((state): Execution => ({ ...others, state }));
  const executions: readonly Execution[] = [
    ...[waits, asks, ...states],
    { ...waits, resumes: [anApproval("unanswered")] },
    { ...waits, resumes: [anApproval("answered")] },
    { ...others, state: "unknown", mayBeWaiting: true },
    notWaiting({ kickoffIds: [], state: "unconfirmed" }),
  ];
  const circumstances: readonly Circumstances[] = [{ canStop: true }, { isInterrupted: true }];
  for (const execution of executions)
    for (const each of hasEnded(execution) ? circumstances.slice(0, 1) : circumstances) {
      yield executionRow(execution, 0, each).facts;
      for (const task of execution.tasks) yield taskRow(task, execution, each).facts;
    }
}

describe("The manifest's commands", () => {
  it("are at most 60, and 36 of them are in the Command Palette", () => {
    assert.ok(commands.length <= 60, `${commands.length} commands`);
    assert.ok(commands.length - hidden.length <= 36, `${hidden.length} hidden`);
  });

  it("have the category Crewdeck, and menus have only these", () => {
    const known = commands.map(({ command }) => command);
    for (const { category } of commands) assert.equal(category, "Crewdeck");
    for (const { command } of Object.values(menus).flat())
      assert.ok(command === undefined || known.includes(command), command);
  });

  it("are in the Command Palette, or in another menu", () => {
    const others = Object.entries(menus).filter(([menu]) => menu !== "commandPalette");
    const inMenus = others.flatMap(([, entries]) => entries.map(idOf));
    const missing = hidden.filter((id) => !inMenus.includes(id));
    assert.deepEqual(missing, []);
  });
});

describe("The context menu of a row", () => {
  it("has at most nine entries, in each state", () => {
    const long = [...rows()].map((facts) => [facts, ...rowMenu(facts)]);
    const tooLong = long.filter(({ length }) => length > 1 + 9);
    assert.deepEqual(tooLong, []);
  });

  it("has each entry once, and one icon for each", () => {
    for (const facts of rows()) {
      const entries = rowMenu(facts);
      assert.deepEqual([...new Set(entries)], entries, facts);
      const context = { view: "crewdeck.executions", viewItem: facts };
      assert.ok(areDistinct(shownIn("view/item/context", context).filter(isIcon)), facts);
    }
  });

  it("of several selected ones has only what they can do together", () => {
    const facts = executionRow(anExecution(), 0).facts;
    const several = (selected: Context) =>
      rowMenu(facts, { listMultiSelection: true, ...selected });
    assert.deepEqual(several({ listDoubleSelection: true }), [
      "crewdeck.approve",
      "crewdeck.compareExecutions",
    ]);
    assert.deepEqual(several({}), ["crewdeck.approve"]);
  });
});

describe("The title of an editor", () => {
  it("has at most four buttons, each with an icon of its own", () => {
    const document = "/Writers/Tea.execution";
    const output = "/Writers/tasks/review/1.md";
    const editors: readonly Context[] = [
      { resourcePath: document },
      { resourcePath: document, activeCustomEditorId: "crewdeck.page" },
      { resourcePath: output },
      { resourcePath: output, isInDiffEditor: true },
    ];
    const waits = { "crewdeck.othersWait": true, "crewdeck.waitingHere": true };
    for (const editor of editors) {
      const context = { resourceScheme: "crew-execution", ...waits, ...editor };
      const shown = shownIn("editor/title", context).filter(isIcon);
      assert.ok(shown.length <= 4 && areDistinct(shown), shown.map(idOf).join());
      const alone = shownIn("editor/title", { ...context, "crewdeck.othersWait": false });
      assert.ok(!alone.some((entry) => idOf(entry) === "crewdeck.nextToReview"));
    }
  });
});

function areDistinct(entries: readonly Entry[]): boolean {
  const icons = entries.map(
    (entry) => commands.find(({ command }) => command === idOf(entry))?.icon,
  );
  return new Set(icons).size === icons.length && !icons.includes(undefined);
}

const titles = Object.entries(texts).flatMap(([key, title]) =>
  key.startsWith("command.") && !hidden.includes(`crewdeck.${key.slice(8)}`) ? [title] : [],
);

describe("texts that name a command of the palette", () => {
  it("name one that is there by its exact title", () => {
    const files = [
      ...globSync("src/**/*.{ts,tsx}", { cwd: projectFolder }),
      "media/example-crew/README.md",
      ...globSync("{*,docs/*}.md", { cwd: projectFolder }),
      "package.nls.json",
    ];
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/[“"`]Crewdeck: ([A-Z{][^”"`]+)[”"`]/g)].flatMap(([, title]) =>
        title?.startsWith("{") === true ? [] : [{ file, title }],
      ),
    );
    assert.ok(named.length >= 20, String(named.length));
    const wrong = named.filter(({ title }) => !titles.includes(title ?? ""));
    assert.deepEqual(wrong, []);
  });
});

describe("a button or lens of a command", () => {
  /** These name what they do to the crew, form, task, port or test that is spoken of. */
  const others = [
    ...["Compare with Attempt {0}", "Kick Off {0}…", "Use {0}", "Use Another Port", "Open Form"],
    ...["reject", "Last Result", "Last Output", "More…", "Open in Form", "Send Spans"],
    ...[
      "Set Feedback Secret…",
      "Set OTLP Headers…",
      "Set Up…",
      "Serve This Crew",
      "Connect a Crew",
    ],
    "Show Local Crew's Log",
  ];

  it("has its title's words, perhaps fewer", () => {
    const wordsOf = (title: string) => title.replace("…", "").split(" ");
    const buttons = globSync("src/**/*.{ts,tsx}", { cwd: projectFolder }).flatMap((file) =>
      [
        ...read(file).matchAll(
          /l10n\.t\(\s*"(?:\{0\} )?([^"]+)"[^;{}]{0,60}?[,:]\s*"(?:crewdeck\.)?(\w+)"/g,
        ),
      ].flatMap(([, button = "", id = ""]) => {
        const title = texts[`command.${id}`];
        return title === undefined || others.includes(button) ? [] : [{ file, button, title }];
      }),
    );
    assert.ok(buttons.length >= 15, String(buttons.length));
    assert.deepEqual(
      buttons.filter(({ button, title }) => {
        const words = wordsOf(title);
        let next = 0;
        return !wordsOf(button).every((word) => (next = words.indexOf(word, next) + 1) > 0);
      }),
      [],
    );
  });
});
