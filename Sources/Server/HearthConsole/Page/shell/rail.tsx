import { h } from "preact";
import { formatCount } from "../format/number";
import { duration } from "../format/time";
import { Icon, Logo } from "../widgets/icon";
import { Menu, MenuItem } from "../widgets/menu";
import { Button } from "../widgets/button";
import { App } from "./app";
import { Store, View } from "../state/store";
import { ConsoleView, ViewName } from "../views";
import { switchTheme, theme } from "./theme";

const isApple = /Mac|iP(hone|ad)/.test(navigator.platform);
export const COMMAND_KEY = isApple ? "⌘K" : "Ctrl K";

const RECENT_MILLISECONDS = 300_000;

interface RailState {
  menu: { name: "database" | "session"; anchor: Element } | null;
}

/** The navigation, the live state, and the session's user. On narrow screens a bar at the bottom. */
export class Rail extends View<{ app: App }, RailState> {
  override state: RailState = { menu: null };

  protected stores(): Store[] {
    return [this.props.app, this.props.app.data, this.props.app.session, this.props.app.denials];
  }

  private open(name: "database" | "session", event: Event): void {
    this.setState({ menu: { name, anchor: event.currentTarget as Element } });
  }

  render() {
    const { app } = this.props;
    const { menu } = this.state;
    const close = () => this.setState({ menu: null });
    const views = app.views.filter(view => view.navigation === "rail");
    return <div style={{ display: "contents" }}>
      <nav class="rail" aria-label="Console">
        <div class="brand"><Logo />Hearth</div>
        {this.database()}
        <button type="button" class="place" onClick={() => app.showOverlay("command")}><Icon name="search" />Go to<span class="after">
          <kbd>{COMMAND_KEY}</kbd></span></button>
        <div style={{ height: "6px" }} />
        {views.map(view => this.place(view))}
        {this.foot()}
      </nav>
      <nav class="tabs" aria-label="Console">
        {views.map(({ path, title, icon }) => <a key={path} href={`#/${path}`} aria-current={this.current(path)}
          onClick={event => this.go(event, path)}><Icon name={icon} />{title}</a>)}
        <button type="button" aria-haspopup="menu" onClick={event => this.open("session", event)}><Icon name="person" />Session</button>
      </nav>
      {menu?.name === "database" ? <Menu name="Database" anchor={menu.anchor} onClose={close} items={[
        ...this.databaseItems(), ...this.viewItems().map((item, at) => ({ ...item, icon: undefined, startsGroup: at === 0 }))]} /> : null}
      {menu?.name === "session" ? <Menu name="Session" anchor={menu.anchor} onClose={close} items={this.sessionItems()} /> : null}
    </div>;
  }

  private current(view: ViewName): "page" | undefined {
    return this.props.app.view.path === view ? "page" : undefined;
  }

  private place({ path, title, icon }: ConsoleView) {
    const refused = path === "rules" ? this.props.app.denials.countSince(Date.now() - RECENT_MILLISECONDS) : 0;
    return <a key={path} class="place" href={`#/${path}`} aria-current={this.current(path)} onClick={event => this.go(event, path)}>
      <Icon name={icon} />{title}{refused ? <span class="after red-text" title="refused in the last 5 minutes">{formatCount(refused)}</span> : null}</a>;
  }

  /** Navigates to a view; a second press of the data's entry goes to its root. */
  private go(event: Event, view: ViewName): void {
    const { app } = this.props;
    event.preventDefault();
    if (view === "data" && app.address.view === "data") app.data.go({ path: [] });
    else app.go(view);
  }

  private database() {
    const { app } = this.props;
    const others = app.databases.length - 1;
    const more = others < 1 ? "" : `${others} more`;
    return <button type="button" class="database" aria-haspopup="menu" onClick={event => this.open("database", event)}
      aria-label={`Database ${app.data.database}${more && ", " + more}`}>
      <Icon name="database" /><bdi class="cut">{app.data.database || "…"}</bdi><span class="note-text">{more}</span><Icon name="down" />
    </button>;
  }

  private databaseItems(): MenuItem[] {
    const { app } = this.props;
    return app.databases.map(each => ({ label: each.name, isChosen: each.name === app.data.database, run: () => app.choose(each.name) }));
  }

  /** The items of the views that only menus lead to. */
  private viewItems(): MenuItem[] {
    const { app } = this.props;
    return app.views.filter(view => view.navigation === "menu").map(({ path, title, icon }) => ({
      label: title, icon, run: () => app.go(path) }));
  }

  private sessionItems(): MenuItem[] {
    const { app } = this.props;
    const items: MenuItem[] = [
      { label: theme() === "dark" ? "Light colours" : "Dark colours", icon: theme() === "dark" ? "sun" : "moon", run: () => this.toggleTheme() },
      { label: "Go to", icon: "search", run: () => app.showOverlay("command") },
      ...this.viewItems(),
      { label: "Keys", icon: "keyboard", run: () => app.showOverlay("keys") },
      { label: "Sign out", icon: "cross", startsGroup: true, run: () => void app.signOut() },
    ];
    return app.databases.length > 1 ? [...this.databaseItems().map(item => ({ ...item, isChosen: undefined,
      icon: "database" as const })), { ...items[0]!, startsGroup: true }, ...items.slice(1)] : items;
  }

  private toggleTheme(): void {
    switchTheme();
    this.forceUpdate();
  }

  private foot() {
    const { app } = this.props;
    const session = app.session.state;
    if (session.name !== "in" && session.name !== "ended") return null;
    const isIn = session.name === "in";
    return <div class="rail-foot">
      <ConnectionLine app={app} />
      <div class="line who"><bdi class="cut">{session.person}</bdi></div>
      {isIn ? <div class="line"><span>{session.role === "viewer" ? "Read-only" : "Administrator"}</span>
        <span class="after">{duration(app.session.secondsLeft(Date.now()))}<span class="roomy"> left</span></span></div> : null}
      <div class="rail-tools">
        <Button label={theme() === "dark" ? "Light colours" : "Dark colours"} icon={theme() === "dark" ? "sun" : "moon"}
          kind="quiet" onlyIcon onPress={() => this.toggleTheme()} />
        <Button label="Keys" icon="keyboard" kind="quiet" onlyIcon onPress={() => app.showOverlay("keys")} />
        <Button label="Session" icon="more" kind="quiet" onlyIcon popup="menu" onPress={event => this.open("session", event)} />
        {isIn && session.version ? <span class="after">{session.version}</span> : null}
      </div>
    </div>;
  }
}

function ConnectionLine(props?: { app: App }) {
  const { data } = props!.app;
  const link = data.connection;
  const state = link?.state.name ?? "connecting";
  const [dot, text] = data.isPaused && state === "live" ? ["waiting", "Paused"] :
    state === "live" ? ["", "Live"] : state === "offline" ? ["away", "No connection"] : state === "stopped"
      ? ["stopped", "Stopped"] : ["waiting", "Connecting"];
  const trip = state === "live" ? link!.roundTrip : null;
  return <div class="line"><span class={`dot ${dot}`} /><span>{text}</span>
    {trip === null ? null : <span class="after">{trip < 10 ? trip.toFixed(1) : Math.round(trip)} ms</span>}</div>;
}
