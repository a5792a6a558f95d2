import assert from "node:assert/strict";
import { joined, TextBeingSent } from "../../../src/feedback/typed-text.ts";

describe("text that is being sent", () => {
  it("is unchanged if its box is empty or still has it", () => {
    for (const inBox of ["", " \n", "Shorter.", "Shorter.\n"]) {
      const words = new TextBeingSent("Shorter.");
      assert.equal(words.with(inBox).trimEnd(), "Shorter.");
      assert.equal(words.beyond(inBox), "");
    }
  });

  it("is distinguished from text typed after it, with any line endings", () => {
    const words = new TextBeingSent("Shorter.\nPlease. ");
    assert.equal(words.with("Shorter.\r\nPlease. Thanks."), "Shorter.\r\nPlease. Thanks.");
    assert.equal(words.beyond("Shorter.\r\nPlease. Thanks."), "Thanks.");
  });

  it("includes what a second click added, and what was then typed into the empty box", () => {
    const words = new TextBeingSent("Shorter.");
    words.add("Shorter. And funnier.");
    words.add("");
    words.add("Thanks.");
    assert.equal(words.with("Bye."), "Shorter. And funnier.\n\nThanks.\n\nBye.");
    assert.equal(words.beyond("Bye."), "And funnier.\n\nThanks.\n\nBye.");
  });

  it("is kept together with text that was changed in the meantime", () => {
    assert.equal(new TextBeingSent("Shorter.").with("Longer."), "Shorter.\n\nLonger.");
    assert.equal(new TextBeingSent("Shorter.").beyond("Longer."), "Longer.");
    assert.equal(new TextBeingSent("").beyond("A note."), "A note.");
  });
});

describe("text joined with that in a box", () => {
  it("does not appear twice", () => {
    assert.equal(joined("One", "One and two"), "One and two");
    assert.equal(joined("One", "Two"), "One\n\nTwo");
    assert.equal(joined("One", ""), "One");
  });
});
