import type { VSCodeWindow } from "../support/window.ts";

declare global {
  interface Window {
    seenToasts?: string[];
  }
}

/** Begins to note every notification that a window shows, since a toast closes by itself. A reload ends it. */
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

/** What the notifications said that a window has shown since {@link watchToasts}; nothing of a window that is closed. */
export async function toastsOf({ page }: VSCodeWindow): Promise<readonly string[]> {
  return page.isClosed() ? [] : page.evaluate(() => window.seenToasts ?? []);
}
