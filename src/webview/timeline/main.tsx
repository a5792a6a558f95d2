import * as l10n from "@vscode/l10n";
import { type Look, lookAt, type ToTimeline } from "../../views/timeline/messages.ts";
import { clock } from "../clock.tsx";
import { draw, host } from "../host.ts";
import { Timeline } from "./timeline.tsx";

/** How long to collect changes of the look (ms). */
const pause = 200;

let saving: ReturnType<typeof setTimeout> | undefined;

function keep(look: Look): void {
  host.keep({ look });
  clearTimeout(saving);
  saving = setTimeout(() => host.post({ type: "look", look }), pause);
}

const { look } = host.kept;
if (look !== undefined) host.post({ type: "look", look });
host.listen<ToTimeline>({
  show({ view }) {
    clock.set(view.now);
    const { localId } = view;
    draw(
      <Timeline
        key={localId}
        view={view}
        look={lookAt(localId, host.kept.look)}
        onLook={keep}
        onReveal={({ id: spanId }, takesFocus) =>
          host.post({ type: "reveal", localId, spanId, takesFocus })
        }
        onDefine={
          view.isLocal
            ? ({ id: spanId }) => host.post({ type: "define", localId, spanId })
            : undefined
        }
      />,
    );
  },
  empty({ text }) {
    draw(
      <div class="empty">
        <p>{text}</p>
        <button type="button" onClick={() => host.post({ type: "list" })}>
          {l10n.t("Show Executions")}
        </button>
      </div>,
    );
  },
});
