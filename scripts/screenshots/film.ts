import type { Locator } from "playwright-core";
import sharp from "sharp";
import { waitFor } from "../../test/support/wait.ts";
import type { VSCodeWindow } from "../../test/support/window.ts";
import { filledIn, showReport } from "./created-project.ts";
import { untilStarted } from "./scenes.ts";

interface Frame {
  readonly picture: Buffer;
  /** How long it is shown, in milliseconds. */
  readonly shown: number;
}

/** A browser's screenshots have no mouse pointer, so this one is drawn into the page. */
const pointer = "crewdeck-pointer";

/** The README's moving picture: from a project that `crewai create` made to an approved and completed execution. */
export class Film {
  readonly #window: VSCodeWindow;
  readonly #frames: Frame[] = [];
  #at = { x: 480, y: 330 };

  constructor(window: VSCodeWindow) {
    this.#window = window;
  }

  /** Drives the window and takes the frames. */
  async play(): Promise<void> {
    const { tree, page, webview } = this.#window;
    await tree.open("Crewdeck");
    const serve = page.locator(".part.sidebar").getByRole("button", { name: "Serve This Crew" });
    await serve.waitFor();
    await untilStarted(this.#window);
    await this.#widenSideBar();
    await this.#drawPointer();
    await this.#take(1000);
    await this.#click(serve);
    const kickOff = webview.content.getByRole("button", { name: "Kick Off", exact: true });
    await kickOff.waitFor();
    await this.#take(900);
    for (const [field, text] of Object.entries(filledIn)) await this.#type(field, text);
    await this.#click(kickOff);
    await this.#untilRow("Running");
    await webview.content.getByRole("heading", { name: filledIn.topic }).waitFor();
    await this.#take(1500);
    const approve = webview.content.getByRole("button", { name: "Approve", exact: true });
    await this.#untilStill(approve);
    await this.#take(2500);
    await this.#click(approve);
    await this.#untilRow("Running");
    await this.#take(1200);
    await this.#untilRow("Completed");
    await this.#take(1200);
    await showReport(this.#window);
    await this.#take(4000);
  }

  /** Waits until the execution's row says its new state. */
  async #untilRow(state: string): Promise<void> {
    await waitFor(`a row that is ${state}`, async () =>
      (await this.#window.tree.executions()).some(({ spoken }) => spoken.includes(state)),
    );
  }

  /** Rows show the state of an execution after its title. */
  async #widenSideBar(): Promise<void> {
    const { mouse } = this.#window.page;
    await mouse.move(290, 310);
    await mouse.down();
    await mouse.move(350, 310, { steps: 4 });
    await mouse.up();
    // The border is highlighted while the mouse is on it.
    await mouse.move(600, 500);
    await this.#window.page.locator(".monaco-sash.hover").waitFor({ state: "detached" });
  }

  /** A page that opens scrolls to the output that waits. */
  async #untilStill(element: Locator): Promise<void> {
    let before: number | undefined;
    let times = 0;
    await waitFor("an element that stays in its place", async () => {
      const y = (await element.boundingBox())?.y;
      times = y === before ? times + 1 : 0;
      before = y;
      return y !== undefined && times >= 10;
    });
  }

  /** Writes the frames as a GIF that repeats. */
  async save(file: string): Promise<void> {
    await sharp(
      this.#frames.map(({ picture }) => picture),
      { join: { animated: true } },
    )
      .gif({ delay: this.#frames.map(({ shown }) => shown), loop: 0, effort: 10, dither: 0 })
      .toFile(file);
  }

  async #take(shown: number): Promise<void> {
    const picture = await this.#window.page.screenshot({ animations: "disabled" });
    this.#frames.push({ picture, shown });
  }

  async #type(field: string, text: string): Promise<void> {
    const box = this.#window.webview.content.getByRole("textbox", { name: field });
    await this.#click(box);
    for (const part of text.match(/.{1,4}/g) ?? []) {
      await box.pressSequentially(part);
      await this.#take(160);
    }
    await this.#take(500);
  }

  async #click(target: Locator): Promise<void> {
    await this.#pointAt(target);
    await target.click();
  }

  /** Moves the drawn pointer to the middle of an element, in some frames. */
  async #pointAt(target: Locator): Promise<void> {
    const box = await target.boundingBox();
    if (box === null) throw new Error("What is to be clicked is not in view.");
    const to = { x: box.x + Math.min(box.width / 2, 60), y: box.y + box.height / 2 };
    const from = this.#at;
    for (const part of [0.35, 0.7, 0.92, 1]) {
      this.#at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      await this.#movePointer();
      await this.#take(part === 1 ? 500 : 60);
    }
  }

  async #movePointer(): Promise<void> {
    await this.#window.page.evaluate(
      ([id, x, y]) => {
        const element = document.getElementById(id);
        if (element !== null) element.style.transform = `translate(${x}px, ${y}px)`;
      },
      [pointer, this.#at.x, this.#at.y] as const,
    );
  }

  async #drawPointer(): Promise<void> {
    await this.#window.page.evaluate((id) => {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.id = id;
      svg.setAttribute(
        "style",
        "position:fixed;left:0;top:0;width:20px;height:24px;z-index:100000;pointer-events:none",
      );
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", "M1 1v17l4.5-4 3 7 3-1.3-3-6.7H15z");
      path.setAttribute("style", "fill:#fff;stroke:#000;stroke-width:1.2");
      svg.append(path);
      document.body.append(svg);
    }, pointer);
    await this.#movePointer();
  }
}
