// `npm run serve`: the local crew service as just built, with the arguments it was called with.
import { endWithParent } from "./end-with-parent.ts";

endWithParent();
// A path made at run time: the program is built, and the type checker knows nothing of it.
const program = new URL("../dist/service.mjs", import.meta.url).href;
await import(program);
