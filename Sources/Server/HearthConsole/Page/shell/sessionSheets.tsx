import { h } from "preact";
import { Button } from "../widgets/button";
import { Sheet } from "../widgets/sheet";
import { App } from "./app";

/** The dialog of an ended session, over the view, which keeps its state: no typed text is lost. */
export function SessionEnded(props?: { app: App; reason: string }) {
  const { app, reason } = props!;
  const foot = <span class="line grow"><span class="note-text">Open the new link in this browser.</span>
    <Button label="Try again" kind="primary" onPress={() => void app.resumeSession()} /></span>;
  return <Sheet title="Your session has ended" foot={foot}>
    <p>{reason} Typed text is kept in this tab.</p>
    <p>Print a new link on the server's machine:</p>
    <div class="shell-line">hearth console --data data</div>
  </Sheet>;
}

/** The countdown of the session's last minute. */
export function SessionCountdown(props?: { app: App; seconds: number }) {
  const { app, seconds } = props!;
  const isIdle = app.session.secondsLeft(Date.now()) > seconds + 5;
  return <div class="banner ember" role="status">
    <span class="grow"><b>{seconds} s</b> until this session ends{isIdle ? " because it is idle"
      : ""}. Typed text stays in the tab{isIdle ? "" : "; a new link continues here"}.</span>
    {isIdle ? <Button label="Stay signed in" onPress={() => void app.extendSession()} /> : null}
  </div>;
}
