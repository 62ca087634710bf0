import { DatabaseEntry, isUnreachable } from "../api/console";
import { DataController } from "../data/controller";
import { DenialFeed } from "../state/denials";
import { Notices } from "../state/notices";
import { ViewAddress, addressText, readAddress, routeText } from "../state/route";
import { errorText, Session } from "../state/session";
import { Store } from "../state/store";
import { pageTitle } from "../state/title";
import { ConsoleView, ViewName, viewsFor } from "../views";

const RETRY_MILLISECONDS = 2000;

/** The state that all views share. */
export class App extends Store {
  readonly session = new Session();
  readonly notices = new Notices();
  readonly data = new DataController(this.session, this.notices);
  readonly denials = new DenialFeed(this.session.api);
  address: ViewAddress = readAddress(location.hash);
  /** Focuses the view's own search field; views set it. */
  focusSearch: () => void = () => {};
  /** The name of what the view shows, for the title of the document; null for what the address names. */
  private subject: string | null = null;
  databases: DatabaseEntry[] = [];
  overlay: "command" | "keys" | null = null;
  problem: string | null = null;
  /** Called with the result of a requested proof of presence; null when none is requested. */
  presenceRequest: ((isShown: boolean) => void) | null = null;
  private isStarted = false;
  /** The databases, requested in parallel with the session. */
  private pendingDatabases: Promise<DatabaseEntry[]> | null = null;
  private generation = 0;

  constructor() {
    super();
    this.session.observe(() => this.sessionChanged());
    this.session.api.requestPresence = () => this.requestPresence();
    this.data.observe(() => this.followAddress());
    this.observe(() => this.updateTitle());
    for (const event of ["hashchange", "popstate"]) addEventListener(event, () => this.followAddress());
  }

  /** The views that this session may see. */
  get views(): readonly ConsoleView[] {
    return viewsFor(this.session.role);
  }

  /** The view of the address; the first one when this session may not see it. */
  get view(): ConsoleView {
    return this.views.find(view => view.path === this.address.view) ?? this.views[0]!;
  }

  async start(): Promise<void> {
    if (this.session.mayBeOpen && !location.hash.startsWith("#key=")) {
      this.pendingDatabases = this.session.api.databases();
      this.pendingDatabases.catch(() => {});
    }
    await this.session.open();
  }

  private requestPresence(): Promise<boolean> {
    // Further requests wait for the same proof.
    const before = this.presenceRequest;
    return new Promise(done => {
      this.presenceRequest = isShown => {
        this.presenceRequest = null;
        before?.(isShown);
        done(isShown);
        this.publishNow();
      };
      this.publishNow();
    });
  }

  private sessionChanged(): void {
    if (this.session.state.name === "in") {
      if (!this.isStarted) void this.loadDatabases();
      else if (this.session.generation !== this.generation) this.data.reconnect();
      this.generation = this.session.generation;
    }
    this.publish();
  }

  async loadDatabases(): Promise<void> {
    this.isStarted = true;
    try {
      this.databases = await (this.pendingDatabases ?? this.session.api.databases());
      this.pendingDatabases = null;
      this.problem = null;
      this.openDatabase((this.databases.find(each => each.isDefault) ?? this.databases[0])?.name ?? "");
    } catch (error) {
      this.isStarted = false;
      this.pendingDatabases = null;
      const isAway = isUnreachable(error);
      this.problem = isAway ? "Reconnecting: the server does not answer." : errorText(error);
      if (isAway) setTimeout(() => this.isStarted || void this.loadDatabases(), RETRY_MILLISECONDS);
    }
    this.publish();
  }

  choose(database: string): void {
    this.data.go({ path: [], order: null, end: null, filter: "" });
    this.openDatabase(database);
    this.publish();
  }

  private openDatabase(database: string): void {
    this.data.start(database);
    this.denials.start(database);
    this.followAddress();
  }

  /** Navigates to a part of a view, as a new entry of the history. */
  go(view: ViewName, parts: readonly string[] = [], parameters?: URLSearchParams): void {
    const text = view === "data" && !parts.length ? routeText(this.data.route) : addressText(view, parts, parameters);
    if (text !== location.hash) history.pushState(null, "", text);
    this.session.address = text.slice(1);
    if (view === "data") dispatchEvent(new PopStateEvent("popstate"));
    this.followAddress();
  }

  /** Follows the current address. */
  private followAddress(): void {
    if (location.hash.startsWith("#key=")) return;
    const place = readAddress(location.hash);
    const isSame = addressText(place.view, place.parts, place.parameters) === addressText(this.address.view, this.address.parts, this.address.parameters);
    if (isSame) return;
    if (place.view !== this.address.view) this.focusSearch = () => {};
    if (place.view !== this.address.view || place.parts[0] !== this.address.parts[0]) this.subject = null;
    this.address = place;
    this.publish();
  }

  /** Names what the view shows, until another part of it or another view is shown. */
  setSubject(subject: string | null): void {
    if (subject === this.subject) return;
    this.subject = subject;
    this.updateTitle();
  }

  private updateTitle(): void {
    const isIn = this.session.state.name === "in" || this.session.state.name === "ended";
    document.title = isIn ? pageTitle(this.view.title, { ...this.address, view: this.view.path }, this.data.database, this.subject) : "Hearth";
  }

  showOverlay(overlay: "command" | "keys" | null): void {
    this.overlay = overlay;
    this.publishNow();
  }

  partFailedToLoad(): void {
    this.showOverlay(null);
    this.data.sheetFailedToLoad();
  }

  async signOut(): Promise<void> {
    this.data.stop();
    this.denials.stop();
    this.isStarted = false;
    await this.session.signOut();
  }

  async extendSession(): Promise<void> {
    await this.session.extend().catch(error => this.notices.showError(error));
  }

  /** Retries after the session ended: another may have begun in this browser. */
  async resumeSession(): Promise<void> {
    try {
      await this.session.extend();
      this.data.reconnect();
    } catch (error) {
      this.notices.showError(error);
    }
  }
}
