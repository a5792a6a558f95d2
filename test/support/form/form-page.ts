import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { eachWithPage } from "../built-page.ts";
import { waitFor } from "../wait.ts";
import { FormWindow, type FormWindowOptions } from "./form-window.ts";

export class FormPage {
  #form: FormWindow | undefined;

  constructor() {
    eachWithPage(() => this.#form);
  }

  async open(options: FormWindowOptions): Promise<FormWindow> {
    this.#form = await FormWindow.open(options);
    return this.#form;
  }

  get window(): FormWindow {
    assert.ok(this.#form !== undefined, "the test has opened a form");
    return this.#form;
  }

  get page(): Page {
    return this.window.page;
  }

  setTheme(theme: string): Promise<void> {
    return this.window.setTheme(theme);
  }

  readonly field = (name: string): Locator => this.page.getByRole("textbox", { name, exact: true });
  readonly list = (name: string): Locator => this.page.getByRole("combobox", { name, exact: true });
  readonly mode = (name: string): Locator => this.list(`Send ${name} as`);
  readonly button = (name: string): Locator => this.page.getByRole("button", { name });
  readonly kickOff = (): Locator =>
    this.page.getByRole("button", { name: "Kick Off", exact: true });
  readonly value = (name: string): Promise<string> => this.field(name).inputValue();
  readonly fill = async (values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(values)) await this.field(name).fill(text);
  };
  readonly started = (): Promise<unknown> =>
    waitFor("the start", () => this.window.started.length === 1);
  readonly start = async (): Promise<void> => {
    await this.kickOff().click();
    await this.started();
  };
  /** Waits until hint, note and problem of a field, which describe it to a screen reader, are as expected. */
  readonly says = (field: string | Locator, expected: RegExp): Promise<unknown> =>
    waitFor(`${String(expected)} at a field`, async () =>
      expected.test(await descriptionOf(typeof field === "string" ? this.field(field) : field)),
    );
  readonly isFocused = (name: string): Promise<unknown> =>
    waitFor(`the focus in ${name}`, () =>
      this.field(name).evaluate((box) => box === document.activeElement),
    );
}

function descriptionOf(field: Locator): Promise<string> {
  return field.evaluate((box) =>
    (box.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" ")
      .trim(),
  );
}
