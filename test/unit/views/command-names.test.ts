import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../../support/folders.ts";

const read = (file: string) => readFileSync(path.join(projectFolder, file), "utf8");
const texts = JSON.parse(read("package.nls.json")) as Record<string, string>;
const { commandPalette } = (
  JSON.parse(read("package.json")) as {
    contributes: { menus: Record<"commandPalette", { command: string; when: string }[]> };
  }
).contributes.menus;
const hidden = commandPalette.filter(({ when }) => when === "false");
const titles = Object.entries(texts).flatMap(([key, title]) =>
  key.startsWith("command.") &&
  !hidden.some(({ command }) => command === `crewdeck.${key.slice(8)}`)
    ? [title]
    : [],
);

describe("texts that name a command of the palette", () => {
  it("name one that is there by its exact title", () => {
    const files = [
      ...globSync("src/**/*.{ts,tsx}", { cwd: projectFolder }),
      "media/example-crew/README.md",
      "README.md",
      ...globSync("docs/*.md", { cwd: projectFolder }),
      "CHANGELOG.md",
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
    "Compare with Attempt {0}",
    "Kick Off {0}…",
    "Use {0}",
    "Use Another Port",
    "Open Form",
    "reject",
    "Last Result",
    "Last Output",
    "More…",
    "Open in Form",
    "Send Spans",
    "Set Feedback Secret…",
    "Set OTLP Headers…",
    "Set Up This Project",
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
