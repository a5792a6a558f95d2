import type { Confirmation } from "./confirmation.ts";

/** What a tool is about to do, before it is invoked. */
export interface Preparation {
  /** What is shown while the tool runs; plain text. */
  readonly progress: string;
  /** What a person must allow first; absent for what only reads. */
  readonly confirmation?: Confirmation;
}

/** One tool for a language model. Its input is untrusted: it may be of any type, whatever the schema in the manifest says. */
export interface Tool {
  /** Checks the input without changing anything. @throws UserError, whose message tells the model what is wrong */
  prepare(input: unknown, signal: AbortSignal): Promise<Preparation>;
  /**
   * Does what was asked, and returns the text for the model. The signal counts until something is sent. @throws UserError or CrewApiError as {@link prepare}
   */
  invoke(input: unknown, signal: AbortSignal): Promise<string>;
}
