import type { VSCodeWindow } from "../support/window.ts";

const steps = ".gettingStartedContainer .getting-started-step";

/** Opens the walkthrough with the link in the empty view, and waits for its steps. */
export async function takeTheTour({ tree, page }: VSCodeWindow): Promise<void> {
  await tree.open("Crewdeck");
  await page.locator(".welcome-view").getByText("Take the Tour").click();
  await page.locator(steps).first().waitFor();
}

export async function openWalkthrough(window: VSCodeWindow): Promise<void> {
  await window.runCommand("Welcome: Open Walkthrough...");
  await window.quickInput.choose("Select a walkthrough to open", "Get Started with Crewdeck");
  await window.page.locator(steps).first().waitFor();
}

export function doneSteps({ page }: VSCodeWindow): Promise<boolean[]> {
  return page
    .locator(steps)
    .evaluateAll((elements) =>
      elements.map(
        (step) => step.querySelector('[role="checkbox"]')?.getAttribute("aria-checked") === "true",
      ),
    );
}
