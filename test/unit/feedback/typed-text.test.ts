import assert from "node:assert/strict";
import { joined, TextBeingSent } from "../../../src/feedback/typed-text.ts";

describe("text that is being sent", () => {
  it("is unchanged if its box is empty or still has it", () => {
    for (const inBox of ["", " \n", "Shorter.", "Shorter.\n"]) {
      const sending = new TextBeingSent("Shorter.");
      assert.equal(sending.with(inBox).trimEnd(), "Shorter.");
      assert.equal(sending.beyond(inBox), "");
    }
  });

  it("is distinguished from text typed after it, with any line endings", () => {
    const sending = new TextBeingSent("Shorter.\nPlease. ");
    assert.equal(sending.with("Shorter.\r\nPlease. Thanks."), "Shorter.\r\nPlease. Thanks.");
    assert.equal(sending.beyond("Shorter.\r\nPlease. Thanks."), "Thanks.");
  });

  it("includes what a second click added, and what was then typed into the empty box", () => {
    const sending = new TextBeingSent("Shorter.");
    sending.add("Shorter. And funnier.");
    sending.add("");
    sending.add("Thanks.");
    assert.equal(sending.with("Bye."), "Shorter. And funnier.\n\nThanks.\n\nBye.");
    assert.equal(sending.beyond("Bye."), "And funnier.\n\nThanks.\n\nBye.");
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
