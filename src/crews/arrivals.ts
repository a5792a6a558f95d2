import type { Crews } from "./crews.ts";

/** Tells of a crew that can be asked from now on: it was connected, a stopped local one was started, or it has another address. */
export function watchArrivals(
  crews: Pick<Crews, "list" | "onDidChange">,
  tell: (crewId: string) => void,
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
    for (const [id] of arrived) tell(id);
  });
}
