// `npm run screenshots`: drives the product in a real window, with the real local service, and writes every picture of media/screenshots: WebP,
// which VS Code's walkthrough shows and which takes the least room in the package, and the README's moving picture, a GIF.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { openWindow, type VSCodeWindow } from "../test/support/window.ts";
import { startExampleCrew } from "../test/ui/story.ts";
import { Film } from "./screenshots/film.ts";
import {
  film,
  fileOf,
  pictures,
  themes,
  windowSize,
  type PictureTheme,
} from "./screenshots/pictures.ts";
import { makeWorkspace, playScenes } from "./screenshots/scenes.ts";

const folder = path.join(projectFolder, "media", "screenshots");

mkdirSync(folder, { recursive: true });
for (const theme of ["dark", "light"] as const) await inWindow(theme, takePictures);
await inWindow("dark", async (window) => {
  await startExampleCrew(window);
  const story = new Film(window);
  await story.play();
  await story.save(path.join(folder, film));
  console.log(film);
});

async function inWindow(
  theme: PictureTheme,
  act: (window: VSCodeWindow, theme: PictureTheme) => Promise<void>,
): Promise<void> {
  const parent = temporaryFolder("screenshots");
  // The pictures show its name.
  const workspace = path.join(parent, "office-briefings");
  mkdirSync(workspace);
  const window = await openWindow({
    workspace,
    size: windowSize,
    settings: {
      "editor.minimap.enabled": false,
      "workbench.hover.delay": 500,
      "workbench.colorTheme": themes[theme],
    },
  });
  try {
    await act(window, theme);
  } finally {
    await window.close();
    rmSync(parent, { recursive: true, force: true });
  }
}

/** Plays all scenes, and keeps this theme's pictures. */
async function takePictures(window: VSCodeWindow, theme: PictureTheme): Promise<void> {
  makeWorkspace(window.workspace);
  const wanted = new Set(pictures.filter((picture) => picture.themes.includes(theme)));
  await playScenes(window, async (name) => {
    const picture = pictures.find((one) => one.name === name);
    if (picture === undefined) throw new Error(`The picture "${name}" is not listed.`);
    if (!wanted.delete(picture)) return;
    const shot = await window.page.screenshot({
      animations: "disabled",
      ...(picture.part && { clip: picture.part }),
    });
    const file = fileOf(picture, theme);
    await save(shot, path.join(folder, file));
    console.log(file);
  });
  if (wanted.size > 0)
    throw new Error(
      `Not taken: ${[...wanted].map((picture) => fileOf(picture, theme)).join(", ")}.`,
    );
}

/** A screen has few colours: a palette without dithering reduces a picture to a third of its size. */
async function save(shot: Buffer, file: string): Promise<void> {
  const few = await sharp(shot).png({ palette: true, quality: 60, dither: 0 }).toBuffer();
  await sharp(few).webp({ lossless: true, effort: 6 }).toFile(file);
}
