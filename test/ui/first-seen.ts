import type { VSCodeWindow } from "../support/window.ts";

/** 1 on the view's icon, a lens above the output that waits, and the notification that it waits. */
type Sign = "badge" | "lens" | "notification";

/** When each is in the window, in milliseconds since 1970: `times` resolves when all are. */
export function firstSeen({ page }: VSCodeWindow, signs: readonly Sign[]) {
  return page.evaluateHandle((signs) => {
    const isSeen: Record<Sign, () => boolean> = {
      badge: () => {
        const icon = document.querySelector('.activitybar .action-label[aria-label^="Crewdeck"]');
        const content = icon?.closest(".action-item")?.querySelector(".badge-content");
        return content?.checkVisibility() === true && content.textContent === "1";
      },
      lens: () =>
        [...document.querySelectorAll(".codelens-decoration a")].some(({ textContent }) =>
          textContent.includes("Reject…"),
        ),
      notification: () =>
        [...document.querySelectorAll(".notification-toast")].some(
          (toast) => !before.has(toast) && toast.textContent.includes("waits for you"),
        ),
    };
    const before = new Set(document.querySelectorAll(".notification-toast"));
    const times = new Promise<Record<Sign, number>>((resolve) => {
      const found = { badge: 0, lens: 0, notification: 0 };
      const observer = new MutationObserver(() => {
        for (const sign of signs) if (found[sign] === 0 && isSeen[sign]()) found[sign] = Date.now();
        if (signs.some((sign) => found[sign] === 0)) return;
        observer.disconnect();
        resolve(found);
      });
      observer.observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    // In an object, because a bare promise would be awaited first.
    return { times };
  }, signs);
}
