/** Why the service does not start. */
export type RefusalReason = "options" | "node" | "project" | "data" | "inUse" | "port";

/** The exit code for each reason; 0 is a clean end and 1 an error nobody foresaw. */
export const exitCodes: Readonly<Record<RefusalReason, number>> = {
  options: 2,
  node: 3,
  project: 4,
  data: 5,
  inUse: 6,
  port: 7,
};

/** A reason not to start, with a message for a person that says what to do. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** Where the service listens that already uses the data, if known. */
  readonly url: string | undefined;

  constructor(reason: RefusalReason, message: string, url?: string) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.url = url;
  }
}
