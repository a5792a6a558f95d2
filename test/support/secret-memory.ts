import type { SecretStorage } from "../../src/base/events.ts";

export class SecretMemory implements SecretStorage {
  readonly entries = new Map<string, string>();
  readonly reads: string[] = [];

  get(key: string): Promise<string | undefined> {
    this.reads.push(key);
    return Promise.resolve(this.entries.get(key));
  }

  store(key: string, value: string): Promise<void> {
    this.entries.set(key, value);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.entries.delete(key);
    return Promise.resolve();
  }
}

/** A secret storage without secrets. */
export const noSecrets = {
  keep: () => Promise.resolve(),
  complete: ({ request }: { readonly request?: { readonly callbacks: object } }) =>
    Promise.resolve({ callbacks: request?.callbacks ?? {}, lost: [] }),
};

/** Crews that can't call this machine. */
export const noAddresses = { for: () => Promise.resolve(undefined) };
