import type { Crews } from "./crews.ts";

/** Reports crews that become reachable: connected, started (local), or with another address. */
export function watchArrivals(
  crews: Pick<Crews, "list" | "onDidChange">,
  onArrival: (crewId: string) => void,
): { dispose(): void } {
  const addresses = () =>
    new Map(
      crews
        .list()
        .flatMap(({ id, url, local }) => (local?.running === false ? [] : [[id, url] as const])),
    );
  let before = addresses();
  return crews.onDidChange(() => {
    const now = addresses();
    const arrived = [...now].filter(([id, url]) => before.get(id) !== url);
    before = now;
    for (const [id] of arrived) onArrival(id);
  });
}
