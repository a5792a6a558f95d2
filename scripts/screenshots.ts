// `npm run screenshots`: drives the product in a real window, with the real local service, and writes every picture of media/screenshots.
import { rmSync } from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { projectFolder, temporaryFolder } from "../test/support/folders.ts";
import { fileOf, pictures, themes, windowSize, type PictureTheme } from "./screenshots/pictures.ts";
import { makeWorkspace, playScenes } from "./screenshots/scenes.ts";
import { openWindow } from "../test/support/window.ts";

for (const theme of ["dark", "light"] as const) await takePictures(theme);

/** Plays all scenes in a window of that theme, and keeps the pictures that are wanted in it. */
async function takePictures(theme: PictureTheme): Promise<void> {
  const parent = temporaryFolder("screenshots");
  // Its name is seen in the pictures.
  const workspace = path.join(parent, "office-briefings");
  makeWorkspace(workspace);
  const window = await openWindow({
    workspace,
    size: windowSize,
    settings: {
      "editor.minimap.enabled": false,
      "workbench.hover.delay": 500,
      "workbench.colorTheme": themes[theme],
    },
  });
  const wanted = new Set(pictures.filter((picture) => picture.themes.includes(theme)));
  try {
    await playScenes(window, async (name) => {
      const picture = pictures.find((one) => one.name === name);
      if (picture === undefined) throw new Error(`The picture "${name}" is not listed.`);
      if (!wanted.delete(picture)) return;
      const file = fileOf(picture, theme);
      const shot = await window.page.screenshot({
        animations: "disabled",
        ...(picture.part && { clip: picture.part }),
      });
      // A screen has few colours: with a palette a picture takes a third of the room in the package.
      await sharp(shot)
        .png({ palette: true, quality: 90, effort: 10 })
        .toFile(path.join(projectFolder, "media", "screenshots", file));
      console.log(file);
    });
  } finally {
    await window.close();
    rmSync(parent, { recursive: true, force: true });
  }
  if (wanted.size > 0)
    throw new Error(
      `Nobody took: ${[...wanted].map((picture) => fileOf(picture, theme)).join(", ")}.`,
    );
}
