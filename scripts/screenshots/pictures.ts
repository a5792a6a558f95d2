import type { ThemeName } from "../../test/support/window/vscode-window.ts";

/** The themes by their part of a picture's file name. */
export const themes = {
  dark: "Default Dark Modern",
  light: "Default Light Modern",
  hc: "Default High Contrast",
} satisfies Record<string, ThemeName>;

/** A theme in which pictures are taken. */
export type PictureTheme = keyof typeof themes;

/** A picture of one screen of the product. */
export interface Picture {
  /** Its file name without theme and extension. */
  readonly name: string;
  /** The themes in which it is taken; the walkthrough shows the one for the reader's theme. */
  readonly themes: readonly PictureTheme[];
  /** The part of the window that is shown, in pixels from its corner; all of it if undefined. */
  readonly part?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  };
}

/** The window's size in pixels: small, so that its text can be read if a page shows it at half its size. */
export const windowSize = { width: 960, height: 620 };

/** For screens that show more at once. */
export const largeWindowSize = { width: 1200, height: 760 };

const both = ["dark", "light"] as const;
const all = ["dark", "light", "hc"] as const;
const dark = ["dark"] as const;

/** The file of the README's moving picture in media/screenshots. */
export const film = "story.gif";

/** Of a project that `crewai create` made, in the order in which they are taken. */
export const createdPictures: readonly Picture[] = [
  { name: "serve", themes: both, part: { x: 0, y: 32, width: 480, height: 310 } },
  { name: "examples", themes: dark, part: { x: 0, y: 32, width: 960, height: 470 } },
  { name: "tasks", themes: both, part: { x: 0, y: 32, width: 960, height: 400 } },
  { name: "findings", themes: all, part: { x: 0, y: 32, width: 960, height: 560 } },
  { name: "timeline", themes: both, part: { x: 0, y: 32, width: 1200, height: 728 } },
  { name: "page", themes: both, part: { x: 0, y: 32, width: 1200, height: 728 } },
  { name: "report", themes: both, part: { x: 0, y: 32, width: 960, height: 360 } },
  { name: "comparison", themes: all, part: { x: 0, y: 32, width: 1200, height: 728 } },
  { name: "testing", themes: dark, part: { x: 0, y: 32, width: 1200, height: 728 } },
  { name: "models", themes: dark, part: { x: 0, y: 32, width: 1200, height: 400 } },
];

/** Of the example crew, in the order in which they are taken. */
export const examplePictures: readonly Picture[] = [
  { name: "welcome", themes: all, part: { x: 0, y: 32, width: 400, height: 380 } },
  { name: "connect", themes: dark, part: { x: 0, y: 0, width: 960, height: 400 } },
  { name: "form", themes: all, part: { x: 0, y: 32, width: 960, height: 476 } },
  { name: "form-advanced", themes: dark },
  { name: "toast", themes: dark, part: { x: 480, y: 460, width: 480, height: 160 } },
  { name: "status-bar", themes: dark, part: { x: 0, y: 460, width: 480, height: 160 } },
  { name: "reject", themes: both, part: { x: 288, y: 32, width: 672, height: 560 } },
  { name: "compare", themes: dark, part: { x: 0, y: 32, width: 960, height: 400 } },
  { name: "completed", themes: dark },
  { name: "flow", themes: dark, part: { x: 0, y: 32, width: 960, height: 560 } },
  { name: "request-file", themes: dark },
  { name: "walkthrough", themes: dark },
];

/** Every picture. */
export const pictures: readonly Picture[] = [...createdPictures, ...examplePictures];

/** The file of a picture in media/screenshots. */
export function fileOf({ name, themes: taken }: Picture, theme: PictureTheme): string {
  return taken.length === 1 ? `${name}.webp` : `${name}-${theme}.webp`;
}
