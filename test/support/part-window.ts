import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import * as v from "valibot";
import type { Message } from "../../src/base/protocol.ts";
import { BuiltPage, type BuiltPageOptions, eachWithPage } from "./built-page.ts";

/** A part of the web application in a bare page: the built page with the real model; VS Code's part is simulated. */
export class PartWindow<From extends Message, To extends Message> {
  readonly sent: From[] = [];
  readonly #name: BuiltPageOptions["name"];
  readonly #schema: v.GenericSchema<unknown, From>;
  #built: BuiltPage | undefined;
  #messages: readonly To[] = [];

  constructor(name: BuiltPageOptions["name"], schema: v.GenericSchema<unknown, From>) {
    this.#name = name;
    this.#schema = schema;
    eachWithPage(() => this.#built);
  }

  get page(): Page {
    assert.ok(this.#built !== undefined, "the test has opened a page");
    return this.#built.page;
  }

  async setTheme(theme: string): Promise<void> {
    await this.#built?.setTheme(theme);
  }

  /** Opens the page, which is sent these messages whenever it is ready. */
  protected async begin(
    messages: readonly To[],
    options: Omit<BuiltPageOptions, "name">,
  ): Promise<void> {
    this.sent.splice(0);
    this.#messages = messages;
    this.#built = await BuiltPage.open({ ...options, name: this.#name });
    await this.#built.load((raw) => this.#receive(raw));
  }

  /** Before another is opened in the same test. Also fails if the console had errors. */
  async close(): Promise<void> {
    const { complaints = [] } = this.#built ?? {};
    await this.#built?.close();
    this.#built = undefined;
    assert.deepEqual(complaints, [], "what the console complained of");
  }

  async post(message: To): Promise<void> {
    await this.#built?.post(message);
  }

  protected async showAll(messages: readonly To[]): Promise<void> {
    this.keep(messages);
    for (const message of messages) await this.post(message);
  }

  /** What is shown after the next reload. */
  protected keep(messages: readonly To[]): void {
    this.#messages = messages;
  }

  #receive(raw: unknown): void {
    const message = v.parse(this.#schema, raw);
    this.sent.push(message);
    if (message.type !== "ready") return;
    for (const each of this.#messages) void this.post(each);
  }
}
