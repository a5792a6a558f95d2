import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { projectFolder } from "../support/folders.ts";
import { film, fileOf, pictures } from "../../scripts/screenshots/pictures.ts";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsWelcome: readonly { readonly contents: string }[];
    readonly walkthroughs: readonly {
      readonly id: string;
      readonly steps: readonly {
        readonly description: string;
        readonly when?: string;
        readonly media: { readonly image: Readonly<Record<string, string>> };
        readonly completionEvents: readonly string[];
      }[];
    }[];
  };
}

const read = (file: string) => readFileSync(path.join(projectFolder, file), "utf8");
const folder = "media/screenshots";
const { contributes } = JSON.parse(read("package.json")) as Manifest;
const strings = JSON.parse(read("package.nls.json")) as Readonly<Record<string, string>>;
const text = (key: string) => strings[key.slice(1, -1)] ?? "";
const generated = pictures.flatMap((picture) =>
  picture.themes.map((theme) => `${folder}/${fileOf(picture, theme)}`),
);
const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
const picturesIn = (page: string) =>
  [...read(page).matchAll(/!\[([^\]]*)\]\((?:\.\.\/)?([^)]+)\)/g)].map(
    ([, says = "", file = ""]) => ({ says, file }),
  );
const inReadme = picturesIn("README.md");
const inDocs = globSync("docs/*.md", { cwd: projectFolder }).flatMap(picturesIn);
const inWalkthrough = steps.flatMap(({ media }) => Object.values(media.image));

describe("the pictures", () => {
  const size = (file: string) => statSync(path.join(projectFolder, file)).size;

  it("all exist, come from the script, and are small", () => {
    assert.deepEqual(
      readdirSync(path.join(projectFolder, folder))
        .map((name) => `${folder}/${name}`)
        .sort(),
      [...generated, `${folder}/${film}`].sort(),
    );
    for (const file of generated) assert.ok(size(file) < 40_000, file);
  });

  it("of README, docs and walkthrough come from the script and are described; only those of the walkthrough are in the package", () => {
    const shipped = read(".vscodeignore")
      .split("\n")
      .filter((line) => line.startsWith("!media/screenshots/"));
    assert.deepEqual(shipped, [...new Set(inWalkthrough)].map((file) => `!${file}`).sort());
    for (const file of inWalkthrough) assert.ok(generated.includes(file), file);
    const [first, ...others] = inReadme;
    assert.equal(first?.file, `${folder}/${film}`);
    assert.ok(others.length > 0 && others.length <= 10);
    for (const { file } of [...others, ...inDocs]) assert.ok(generated.includes(file), file);
    for (const { says, file } of [...inReadme, ...inDocs]) assert.ok(says.length > 40, file);
  });

  it("begin in the README with an animated one, under 1.5 MB", () => {
    const gif = readFileSync(path.join(projectFolder, folder, film));
    assert.ok(gif.length < 1_500_000, `${gif.length} bytes`);
    assert.equal(gif.toString("latin1", 0, 6), "GIF89a");
    assert.ok(gif.includes("NETSCAPE2.0"), "it repeats");
  });
});

describe("the walkthrough", () => {
  const commands = new Set([
    ...contributes.commands.map(({ command }) => command),
    ...Object.values(contributes.views)
      .flat()
      .map(({ id }) => `${id}.focus`),
  ]);

  it("has four steps, each with a picture for every kind of theme; the workspace's own project is the first if there is one", () => {
    assert.deepEqual(
      steps.map(({ when }) => when),
      ["crewdeck.hasProject", "!crewdeck.hasProject", ...Array<undefined>(3)],
    );
    for (const { media } of steps)
      assert.deepEqual(Object.keys(media.image), ["dark", "light", "hc", "hcLight"]);
  });

  it("leads to commands that exist, as the welcome views do, and the first of them to the walkthrough", () => {
    const linked = (contents: string) =>
      [...contents.matchAll(/\(command:([\w.]+)(\?[^)]*)?\)/g)].map(([, command = "", query]) => ({
        command,
        query,
      }));
    for (const { description } of steps) assert.ok(linked(text(description)).length > 0);
    const all = [
      ...steps.map(({ description }) => description),
      ...contributes.viewsWelcome.map(({ contents }) => contents),
    ].flatMap((key) => linked(text(key)));
    for (const { command } of all)
      assert.ok(commands.has(command) || command.startsWith("workbench."), command);
    assert.ok(all.some(({ command }) => command === "crewdeck.takeTour"));
    const tour = /"crewdeck\.crewdeck#(\w+)"/.exec(read("src/actions/view.ts"))?.[1];
    const ids = contributes.walkthroughs.map(({ id }) => id);
    assert.deepEqual(ids, [tour]);
  });

  it("completes steps by commands and context keys that exist", () => {
    const keys = read("src/editor/manifest.ts");
    for (const event of steps.flatMap(({ completionEvents }) => completionEvents)) {
      const [, kind, what = ""] =
        /^(onCommand|onContext):(crewdeck\.\w+)( && activeEditor == gettingStartedPage)?$/.exec(
          event,
        ) ?? [];
      assert.ok(kind === "onCommand" ? commands.has(what) : keys.includes(`"${what}",`), event);
    }
  });
});
