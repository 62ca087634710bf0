import { h } from "preact";
import { DataView } from "../data/dataView";
import { Button } from "../widgets/button";
import { Icon, Logo } from "../widgets/icon";
import { guardOverlay } from "../widgets/loadingOverlay";
import { LazyComponent } from "../widgets/lazyComponent";
import { App } from "./app";
import { CommandPalette } from "./commandPalette";
import { Rail } from "./rail";
import { SessionCountdown, SessionEnded } from "./sessionSheets";
import { SignIn } from "./signIn";
import { Store, View } from "../state/store";
import { ConsoleView } from "../views";
import { Toasts } from "./toasts";

const LETTERS_OFF = "hearth-console-letters-off";
const COUNTDOWN_SECONDS = 60;

const loadPresence = () => import("./overlays").then(module => module.PresenceSheet);
const loadKeys = () => import("./overlays").then(module => module.ShortcutsSheet);

/** The page: the sign-in form, or the rail with a view. */
export class Frame extends View<{ app: App }> {
  private timer: ReturnType<typeof setInterval> | undefined;
  private goPressedAt = 0;

  protected stores(): Store[] {
    return [this.props.app];
  }

  override componentDidMount(): void {
    super.componentDidMount();
    addEventListener("keydown", guardOverlay, true);
    addEventListener("keydown", event => this.handleKey(event));
    this.timer = setInterval(() => this.isExpiring && this.forceUpdate(), 1000);
  }

  override componentWillUnmount(): void {
    super.componentWillUnmount();
    clearInterval(this.timer);
  }

  private get isExpiring(): boolean {
    const { session } = this.props.app;
    return session.state.name === "in" && session.secondsLeftIdle(Date.now()) <= COUNTDOWN_SECONDS;
  }

  private readonly areLetterKeysOn = () => localStorage.getItem(LETTERS_OFF) === null;

  private switchLetters(): void {
    if (this.areLetterKeysOn()) localStorage.setItem(LETTERS_OFF, "1");
    else localStorage.removeItem(LETTERS_OFF);
    this.forceUpdate();
  }

  private handleKey(event: KeyboardEvent): void {
    const { app } = this.props;
    if (app.session.state.name !== "in" || event.defaultPrevented) return;
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      app.showOverlay(app.overlay === "command" ? null : "command");
      return event.preventDefault();
    }
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
      || event.target instanceof HTMLSelectElement;
    if (isTyping || event.metaKey || event.ctrlKey || event.altKey || app.overlay || app.data.sheet) return;
    if (event.key === "Escape" && app.data.isInspectorOpen) {
      app.data.isInspectorOpen = false;
      app.data.publish();
    }
    if (!this.areLetterKeysOn()) return;
    const isAfterGo = performance.now() - this.goPressedAt < 1000;
    this.goPressedAt = 0;
    const view = isAfterGo ? app.views.find(each => each.key === event.key) : undefined;
    if (view) {
      app.go(view.path);
      return event.preventDefault();
    }
    switch (event.key) {
      case "/":
        if (!app.view.load) app.data.editPath();
        else app.focusSearch();
        break;
      case "?": app.showOverlay("keys"); break;
      case "[": history.back(); break;
      case "]": history.forward(); break;
      case "g": this.goPressedAt = performance.now(); break;
      default: return;
    }
    event.preventDefault();
  }

  private view({ path, load }: ConsoleView) {
    const { app } = this.props;
    if (!load) return <DataView data={app.data} areLetterKeysOn={this.areLetterKeysOn} />;
    if (!app.data.database) return <main aria-label="Opening" aria-busy="true" />;
    // A view begins anew with another database: none of its parts stays bound to the one before.
    return <LazyComponent key={`${path} ${app.data.database}`} load={load} componentProps={{ app, address: app.address, database: app.data.database }}
      onFail={() => app.partFailedToLoad()} />;
  }

  render() {
    const { app } = this.props;
    const { state } = app.session;
    if (state.name === "opening") return app.session.mayBeOpen ? <Opening isReconnecting={state.isReconnecting ?? false} /> : <div class="door" aria-busy="true" />;
    if (state.name === "out") return <div style={{ height: "100%" }}><SignIn session={app.session} problem={state.problem} />
      <Toasts notices={app.notices} /></div>;
    return <div class="frame" data-state={state.name}>
      <Rail app={app} />
      <div class="stage">
        {this.isExpiring ? <SessionCountdown app={app} seconds={app.session.secondsLeftIdle(Date.now())} /> : null}
        {app.session.isUpdated ? <div class="banner ember" role="status"><span class="grow">
          <b>Hearth was updated.</b> This page is of the version before.</span>
          <Button label="Reload" onPress={() => location.reload()} /></div> : null}
        {app.problem ? <div class="banner ember" role="alert"><Icon name="warning" /><span class="grow">{app.problem}</span>
          <Button label="Try again" onPress={() => void app.loadDatabases()} /></div> : null}
        {this.view(app.view)}
      </div>
      {app.overlay === "command" ? <CommandPalette key="command" app={app} /> : null}
      {app.overlay === "keys" ? <LazyComponent key="keys" load={loadKeys}
        componentProps={{ app, isOn: this.areLetterKeysOn(), onSwitch: () => this.switchLetters() }} onFail={() => app.partFailedToLoad()}
        onClose={() => app.showOverlay(null)} /> : null}
      {app.presenceRequest ? <LazyComponent key="presence" load={loadPresence} componentProps={{ app }} onFail={() => app.presenceRequest?.(false)}
        onClose={() => app.presenceRequest?.(false)} /> : null}
      {state.name === "ended" ? <SessionEnded app={app} reason={state.reason} /> : null}
      <Toasts notices={app.notices} />
    </div>;
  }
}

/** The skeleton of the page, before its content is known. */
function Opening(props?: { isReconnecting: boolean }) {
  return <div class="frame" aria-busy="true"><div class="rail"><div class="brand"><Logo />Hearth</div></div>
    <div class="stage"><main aria-label="Opening"><div class="data-head" /><div class="data-bar" />
      {props!.isReconnecting ? <div class="empty" role="status"><h1>Reconnecting…</h1><p>The server does not answer.</p></div> : null}
    </main></div></div>;
}
