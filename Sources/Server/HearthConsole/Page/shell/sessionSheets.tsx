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
    <p>{reason} What you typed is kept in this tab.</p>
    <p>For a new link, on the machine that has the data:</p>
    <div class="shell-line">hearth console --data data</div>
  </Sheet>;
}

/** The countdown of the session's last minute. */
export function SessionCountdown(props?: { app: App; seconds: number }) {
  const { app, seconds } = props!;
  const isIdle = app.session.secondsLeft(Date.now()) > seconds + 5;
  return <div class="banner ember" role="status">
    <span class="grow"><b>{seconds} s</b> until this session ends{isIdle ? ", for nothing was done"
      : ""}. What you typed stays in the tab{isIdle ? "" : "; a new link goes on here"}.</span>
    {isIdle ? <Button label="Go on" onPress={() => void app.extendSession()} /> : null}
  </div>;
}
