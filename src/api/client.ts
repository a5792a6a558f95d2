import type { Clock } from "./clock.ts";
import type { CrewApiErrorKind } from "./errors.ts";
import type { CrewInputs, KickoffAnswer, KickoffRequest, ResumeAnswer, ResumeRequest, StatusPath, StatusReading } from "./types.ts";

export type TokenSource = () => Promise<string>;
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}
export interface Traffic {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly status?: number;
  readonly error?: CrewApiErrorKind;
  readonly milliseconds: number;
}
/** As much of a `fetch` answer as is read here. */
export interface FetchAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<string | Uint8Array> | null;
}
export type Fetch = (url: string, init: { method: string; headers: Record<string, string>; body?: string; redirect: "manual"; signal: AbortSignal }) => Promise<FetchAnswer>;
export interface CrewClientOptions {
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly statusPath?: StatusPath;
  onStatusPath?(path: StatusPath): void;
  onTraffic?(traffic: Traffic): void;
  readonly maxBytes?: number;
  readonly userAgent?: string;
}

export class CrewClient {
  readonly baseUrl: string;
  constructor(baseUrl: string, _token: string | TokenSource, _options: CrewClientOptions = {}) {
    this.baseUrl = baseUrl;
  }
  inputs(_call?: CallOptions): Promise<CrewInputs> { return Promise.reject(new Error("not built yet")); }
  kickoff(_request: KickoffRequest, _call?: CallOptions): Promise<KickoffAnswer> { return Promise.reject(new Error("not built yet")); }
  status(_kickoffId: string, _call?: CallOptions): Promise<StatusReading> { return Promise.reject(new Error("not built yet")); }
  resume(_request: ResumeRequest, _call?: CallOptions): Promise<ResumeAnswer> { return Promise.reject(new Error("not built yet")); }
}
