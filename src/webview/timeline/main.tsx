import { lookAt, type ToTimeline } from "../../views/timeline/messages.ts";
import { clock } from "../clock.tsx";
import { draw, host } from "../host.ts";
import { Timeline } from "./timeline.tsx";

host.listen<ToTimeline>({
  show({ view }) {
    clock.set(view.now);
    const { localId } = view;
    draw(
      <Timeline
        key={localId}
        view={view}
        look={lookAt(localId, host.kept.look)}
        onLook={(look) => host.keep({ look })}
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
  empty: ({ text }) => draw(<p class="empty">{text}</p>),
});
