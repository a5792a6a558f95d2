/** The service listens. */
interface Listening {
  readonly type: "listening";
  readonly url: string;
}

/** The service does not start, and says why. */
export interface Refused {
  readonly type: "refused";
  readonly reason: "inUse" | "project" | "node" | "data" | "port" | "other";
  readonly message: string;
  /** With `inUse`: where the other one listens, if it is known. */
  readonly url?: string;
}

const reasons = ["inUse", "project", "node", "data", "port"] as const;

/** Reads what the service says over IPC; nothing for a message of another kind. */
export function readMessage(received: unknown): Listening | Refused | undefined {
  if (typeof received !== "object" || received === null) return undefined;
  const { type, url, reason, message }: Readonly<Record<string, unknown>> = { ...received };
  if (type === "listening") return typeof url === "string" ? { type, url } : undefined;
  if (type !== "refused") return undefined;
  return {
    type,
    reason: reasons.find((known) => known === reason) ?? "other",
    message: typeof message === "string" ? message : "The service gives no reason.",
    ...(typeof url === "string" ? { url } : {}),
  };
}
