import assert from "node:assert/strict";
import { joined, TextBeingSent } from "../../../src/feedback/typed-text.ts";

describe("words under way", () => {
  it("are those that were sent where their box is empty or still holds them", () => {
    for (const inBox of ["", " \n", "Shorter.", "Shorter.\n"]) {
      const words = new TextBeingSent("Shorter.");
      assert.equal(words.with(inBox).trimEnd(), "Shorter.");
      assert.equal(words.beyond(inBox), "");
    }
  });

  it("are told from what was typed on behind them, however the machine breaks lines", () => {
    const words = new TextBeingSent("Shorter.\nPlease. ");
    assert.equal(words.with("Shorter.\r\nPlease. Thanks."), "Shorter.\r\nPlease. Thanks.");
    assert.equal(words.beyond("Shorter.\r\nPlease. Thanks."), "Thanks.");
  });

  it("hold what was handed over once more, and what came into the empty box after that", () => {
    const words = new TextBeingSent("Shorter.");
    words.add("Shorter. And funnier.");
    words.add("");
    words.add("Thanks.");
    assert.equal(words.with("Bye."), "Shorter. And funnier.\n\nThanks.\n\nBye.");
    assert.equal(words.beyond("Bye."), "And funnier.\n\nThanks.\n\nBye.");
  });

  it("and words that were changed meanwhile are both kept", () => {
    assert.equal(new TextBeingSent("Shorter.").with("Longer."), "Shorter.\n\nLonger.");
    assert.equal(new TextBeingSent("Shorter.").beyond("Longer."), "Longer.");
    assert.equal(new TextBeingSent("").beyond("A note."), "A note.");
  });
});

describe("words joined with those in a box", () => {
  it("do not stand there twice", () => {
    assert.equal(joined("One", "One and two"), "One and two");
    assert.equal(joined("One", "Two"), "One\n\nTwo");
    assert.equal(joined("One", ""), "One");
  });
});
