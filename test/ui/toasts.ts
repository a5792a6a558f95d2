import type { VSCodeWindow } from "../support/window.ts";

declare global {
  interface Window {
    seenToasts?: string[];
  }
}

/** Starts to record a window's notifications, because a toast closes by itself. A reload stops it. */
export async function watchToasts({ page }: VSCodeWindow): Promise<void> {
  await page.evaluate(() => {
    const seen: string[] = [];
    window.seenToasts = seen;
    const noted = new WeakSet<Element>();
    new MutationObserver(() => {
      for (const toast of document.querySelectorAll(".notification-toast")) {
        const text = toast.querySelector(".notification-list-item-message")?.textContent ?? "";
        if (text === "" || noted.has(toast)) continue;
        noted.add(toast);
        seen.push(text);
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}

/** The texts of a window's notifications since {@link watchToasts}; none if it is closed. */
export async function toastsOf({ page }: VSCodeWindow): Promise<readonly string[]> {
  return page.isClosed() ? [] : page.evaluate(() => window.seenToasts ?? []);
}
