// Claims the same things as its siblings, as soon as it is told to, and says which ones it got.
import { Intents } from "../../../src/sending/sends.ts";

const [, , folder = "", count = "0"] = process.argv;
const intents = new Intents(folder);
process.send?.("ready");
process.once("message", () => {
  void Promise.all(
    Array.from({ length: Number(count) }, async (_, index) =>
      (await intents.claim(`key ${index}`, {})) ? [index] : [],
    ),
  ).then((got) => process.send?.(got.flat()));
});
