import assert from "node:assert/strict";
import { temporaryFolder } from "../support/folders.ts";
import { endedExecutions, storageFolder, writeExecutions } from "../support/many-executions.ts";
import { openWindow, type VSCodeWindow } from "../support/window.ts";

const many = 10_000;
/** How often each time is measured, because the machine may be busy for a moment. */
const rounds = 3;
const archive = {
  id: "url:https://old.example.com",
  name: "Archive",
  url: "https://old.example.com",
};

describe("Watching, in the window", () => {
  let window: VSCodeWindow;

  before(async () => {
    const dataFolder = temporaryFolder("many");
    // No crew is connected: stored executions are shown, and nothing polls during the measurement.
    writeExecutions(storageFolder(dataFolder), endedExecutions(archive, many, Date.now()));
    window = await openWindow({ dataFolder, settings: { "crewdeck.keepEndedExecutions": 0 } });
    await window.tree.open("Crewdeck");
    await window.tree.row("Topic 1").waitFor();
  });

  after(() => window.close());

  const groupBy = async (label: string) => {
    await window.runCommand("Crewdeck: Group Executions By…");
    await window.quickInput.choose("Group executions by", label);
    await window.quickInput.widget.waitFor({ state: "hidden" });
  };

  it("expands a group of 10,000 executions and refreshes one row quickly: medians, printed", async () => {
    const { tree, quickInput } = window;
    const [expanding, refreshing]: [number[], number[]] = [[], []];
    let title = "Topic 0";
    for (let round = 1; round <= rounds; round += 1) {
      // Another grouping discards the rows below its groups. Until its own rows show that the refresh has ended, VS Code runs a row's command without the row.
      await groupBy("Crew");
      await tree.row("Archive").waitFor();
      await groupBy("State");
      const twistie = tree.row("Completed").locator(".monaco-tl-twistie");
      await tree.row("Topic 1").waitFor({ state: "detached" });
      expanding.push(await timeUntil(window, "mousedown", "Topic 1", () => twistie.click()));
      await tree.menu(title, "Rename Execution…");
      await quickInput.waitFor("A title of your choice");
      title = `Renamed ${round}`;
      await quickInput.input.fill(title);
      refreshing.push(await timeUntil(window, "keydown", title, () => quickInput.press("Enter")));
    }
    const [expanded, refreshed] = [median(expanding), median(refreshing)];
    const all = (times: readonly number[]) => times.map((time) => time.toFixed(0)).join(", ");
    console.log(
      `      With ${many} executions in a group: ${expanded.toFixed(0)} ms from the click to its rows (${all(expanding)}), ${refreshed.toFixed(0)} ms from the key to the renamed row (${all(refreshing)})`,
    );
    // Far more than it takes, also on a busy machine.
    assert.ok(Math.min(...expanding) < 5_000);
    assert.ok(Math.min(...refreshing) < 2_000);
    await groupBy("Crew");
    await tree.row("Archive").waitFor();
  });
});

/** Milliseconds from an action to the frame that shows a row with this label, by the page's clock. */
async function timeUntil(
  { page }: VSCodeWindow,
  event: "mousedown" | "keydown",
  label: string,
  act: () => Promise<unknown>,
): Promise<number> {
  const watch = await page.evaluateHandle(
    ([event, label]) => {
      const taken = new Promise<number>((resolve) => {
        let begun = 0;
        addEventListener(event, () => (begun = performance.now()), { capture: true, once: true });
        const observer = new MutationObserver(() => {
          if (
            begun === 0 ||
            ![...document.querySelectorAll(".customview-tree .label-name")].some(
              (name) => name.textContent === label,
            )
          )
            return;
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - begun));
        });
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      });
      // In an object, because a bare promise would be awaited first.
      return { taken };
    },
    [event, label] as const,
  );
  await act();
  return await watch.evaluate(({ taken }) => taken);
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Infinity;
}
