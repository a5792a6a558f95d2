// `npm run screenshots`, or `npm run screenshots -- NAME…` for some: drives the product in a real window, with the real local service, and writes every picture of media/screenshots: WebP,
// which VS Code's walkthrough shows and which takes the least room in the package, and the README's moving picture, a GIF. crewAI is real,
// too; the model is a server of this machine that answers as scripts/screenshots/created-project.ts says.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { crewaiEnv, newestCrewai, pythonWith } from "../test/support/crewai.ts";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { noteFailure } from "../test/support/open-windows.ts";
import { openWindow, type VSCodeWindow, type WindowOptions } from "../test/support/window.ts";
import { makeProject, playCreatedProject, startModel } from "./screenshots/created-project.ts";
import { Film } from "./screenshots/film.ts";
import {
  createdPictures,
  examplePictures,
  film,
  fileOf,
  themes,
  windowSize,
  type Picture,
  type PictureTheme,
} from "./screenshots/pictures.ts";
import { makeWorkspace, playScenes, type Camera } from "./screenshots/scenes.ts";

/** Without names, all pictures. */
const names = process.argv.slice(2);
const isWanted = (name: string) => names.length === 0 || names.includes(name);

type Play = (window: VSCodeWindow, take: Camera) => Promise<void>;

const folder = path.join(projectFolder, "media", "screenshots");

mkdirSync(folder, { recursive: true });
const programs = programsWithoutPython();
const model = await startModel();
for (const theme of ["dark", "light"] as const) {
  const isTaken = ({ name, themes }: Picture) => isWanted(name) && themes.includes(theme);
  if (createdPictures.some(isTaken))
    await inCreatedProject(theme, (window) =>
      takePictures(window, theme, createdPictures, playCreatedProject),
    );
  if (examplePictures.some(isTaken))
    await inExampleWorkspace(theme, (window) =>
      takePictures(window, theme, examplePictures, playScenes),
    );
}
if (isWanted(film))
  await inCreatedProject("dark", async (window) => {
    const story = new Film(window);
    await story.play();
    await story.save(path.join(folder, film));
    console.log(film);
  });
await model.stop();

async function inCreatedProject(
  theme: PictureTheme,
  act: (window: VSCodeWindow) => Promise<void>,
): Promise<void> {
  const workspace = await makeProject();
  const settings = { "crewdeck.python": await pythonWith(newestCrewai) };
  await inWindow(theme, { workspace, settings, env: crewaiEnv(model) }, act);
}

async function inExampleWorkspace(
  theme: PictureTheme,
  act: (window: VSCodeWindow) => Promise<void>,
): Promise<void> {
  // The pictures show its name.
  const workspace = path.join(temporaryFolder("screenshots"), "office-briefings");
  makeWorkspace(workspace);
  await inWindow(theme, { workspace }, act);
}

/** Removes the workspace's parent folder at the end. */
async function inWindow(
  theme: PictureTheme,
  { workspace, settings, ...options }: WindowOptions & { workspace: string },
  act: (window: VSCodeWindow) => Promise<void>,
): Promise<void> {
  const window = await openWindow({
    ...options,
    // With VSCODE_CLI, VS Code keeps this PATH; without, it takes the one of a login shell.
    env: { ...options.env, PATH: programs, VSCODE_CLI: "1" },
    workspace,
    size: windowSize,
    settings: {
      "editor.minimap.enabled": false,
      "workbench.hover.delay": 500,
      "workbench.colorTheme": themes[theme],
      ...settings,
    },
  });
  try {
    await act(window);
  } catch (error) {
    noteFailure("screenshots");
    throw error;
  } finally {
    await window.close();
    rmSync(path.dirname(workspace), { recursive: true, force: true });
  }
}

/** The form names the Python on the PATH, which readers don't have: the windows have only what they need. */
function programsWithoutPython(): string {
  const programs = temporaryFolder("programs");
  const places = (process.env["PATH"] ?? "").split(path.delimiter);
  for (const name of ["node", "sh", "git"]) {
    const place = places.find((each) => existsSync(path.join(each, name)));
    if (place !== undefined) symlinkSync(path.join(place, name), path.join(programs, name));
  }
  return programs;
}

/** Plays scenes, and keeps this theme's pictures; those in high contrast are taken beside the dark ones. */
async function takePictures(
  window: VSCodeWindow,
  theme: PictureTheme,
  listed: readonly Picture[],
  play: Play,
): Promise<void> {
  const wanted = new Set(
    listed.filter((picture) => picture.themes.includes(theme) && isWanted(picture.name)),
  );
  await play(window, async (name) => {
    const picture = listed.find((one) => one.name === name);
    if (picture === undefined) throw new Error(`The picture "${name}" is not listed.`);
    if (!wanted.delete(picture)) return;
    await takePicture(window, picture, theme);
    if (theme !== "dark" || !picture.themes.includes("hc")) return;
    await window.setTheme(themes.hc);
    await takePicture(window, picture, "hc");
    await window.setTheme(themes.dark);
  });
  if (wanted.size > 0)
    throw new Error(
      `Not taken: ${[...wanted].map((picture) => fileOf(picture, theme)).join(", ")}.`,
    );
}

async function takePicture(
  window: VSCodeWindow,
  picture: Picture,
  theme: PictureTheme,
): Promise<void> {
  const shot = await window.page.screenshot({
    animations: "disabled",
    ...(picture.part && { clip: picture.part }),
  });
  const file = fileOf(picture, theme);
  await save(shot, path.join(folder, file));
  console.log(file);
}

/** A screen has few colours: a palette without dithering reduces a picture to a third of its size. Below a quality of 80, small icons can lose their colour. */
async function save(shot: Buffer, file: string): Promise<void> {
  const few = await sharp(shot).png({ palette: true, quality: 80, dither: 0 }).toBuffer();
  await sharp(few).webp({ lossless: true, effort: 6, quality: 100 }).toFile(file);
}
