// `npm run serve`: the local crew service as just built, with the arguments it was called with.
import { endWithParent } from "./end-with-parent.ts";

endWithParent();
// The path is computed because the type checker can't find the built program.
const program = new URL("../dist/service.mjs", import.meta.url).href;
await import(program);
