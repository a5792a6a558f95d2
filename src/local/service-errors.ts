export const reasons = ["inUse", "project", "node", "data", "port", "python"] as const;

/** Why a service doesn't start, as it says itself. */
export interface Refusal {
  readonly reason: (typeof reasons)[number] | "other";
  readonly message: string;
}

export class ServiceRefusal extends Error {
  override readonly name = "ServiceRefusal";
  readonly reason: Refusal["reason"];

  constructor({ reason, message }: Refusal) {
    super(message);
    this.reason = reason;
  }
}

/** A service ended or didn't respond, without a reason. */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
}
