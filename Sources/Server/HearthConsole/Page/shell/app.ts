import { DataController } from "../data/controller";
import { DenialFeed } from "../state/denials";
import { Notices } from "../state/notices";
import { Place, placeText, readPlace, routeText } from "../state/route";
import { sentence, Session } from "../state/session";
import { Store } from "../state/store";
import { ConsoleView, ViewName, viewsFor } from "../views";

/** The state that all views share. */
export class App extends Store {
  readonly session = new Session();
  readonly notices = new Notices();
  readonly data = new DataController(this.session, this.notices);
  readonly denials = new DenialFeed(this.session.api);
  place: Place = readPlace(location.hash);
  /** Focuses the view's own search field; views set it. */
  search: () => void = () => {};
  databases: { name: string; isDefault: boolean }[] = [];
  overlay: "command" | "keys" | null = null;
  problem: string | null = null;
  /** Called with the result of a requested proof of presence; null when none is requested. */
  presence: ((isShown: boolean) => void) | null = null;
  private isStarted = false;
  /** The databases, requested in parallel with the session. */
  private coming: Promise<{ name: string; isDefault: boolean }[]> | null = null;
  private generation = 0;

  constructor() {
    super();
    this.session.observe(() => this.sessionChanged());
    this.session.api.askPresence = () => this.askPresence();
    this.data.observe(() => this.look());
    for (const event of ["hashchange", "popstate"]) addEventListener(event, () => this.look());
  }

  /** The views that this session may see. */
  get views(): readonly ConsoleView[] {
    return viewsFor(this.session.role);
  }

  /** The view of the address; the first one when this session may not see it. */
  get view(): ConsoleView {
    return this.views.find(view => view.path === this.place.view) ?? this.views[0]!;
  }

  async start(): Promise<void> {
    if (this.session.isLikely && !location.hash.startsWith("#key=")) {
      this.coming = this.session.api.databases();
      this.coming.catch(() => {});
    }
    await this.session.open();
  }

  private askPresence(): Promise<boolean> {
    // Further requests wait for the same proof.
    const before = this.presence;
    return new Promise(done => {
      this.presence = isShown => {
        this.presence = null;
        before?.(isShown);
        done(isShown);
        this.changedAtOnce();
      };
      this.changedAtOnce();
    });
  }

  private sessionChanged(): void {
    if (this.session.state.name === "in") {
      if (!this.isStarted) void this.enter();
      else if (this.session.generation !== this.generation) this.data.reconnect();
      this.generation = this.session.generation;
    }
    this.changed();
  }

  async enter(): Promise<void> {
    this.isStarted = true;
    try {
      this.databases = await (this.coming ?? this.session.api.databases());
      this.coming = null;
      this.problem = null;
      this.use((this.databases.find(each => each.isDefault) ?? this.databases[0])?.name ?? "");
    } catch (error) {
      this.isStarted = false;
      this.problem = sentence(error);
    }
    this.changed();
  }

  choose(database: string): void {
    this.data.go({ path: [], order: null, end: null, filter: "" });
    this.use(database);
    this.changed();
  }

  private use(database: string): void {
    this.data.start(database);
    this.denials.start(database);
    this.look();
  }

  /** Navigates to a part of a view, as a new entry of the history. */
  go(view: ViewName, parts: readonly string[] = [], asked?: URLSearchParams): void {
    const text = view === "data" && !parts.length ? routeText(this.data.route) : placeText(view, parts, asked);
    if (text !== location.hash) history.pushState(null, "", text);
    this.session.place = text.slice(1);
    if (view === "data") dispatchEvent(new PopStateEvent("popstate"));
    this.look();
  }

  /** Follows the current address. */
  private look(): void {
    if (location.hash.startsWith("#key=")) return;
    const place = readPlace(location.hash);
    const isSame = placeText(place.view, place.parts, place.asked) === placeText(this.place.view, this.place.parts, this.place.asked);
    if (isSame) return;
    if (place.view !== this.place.view) this.search = () => {};
    this.place = place;
    this.changed();
  }

  show(overlay: "command" | "keys" | null): void {
    this.overlay = overlay;
    this.changedAtOnce();
  }

  partMissing(): void {
    this.show(null);
    this.data.sheetMissing();
  }

  async signOut(): Promise<void> {
    this.data.stop();
    this.denials.stop();
    this.isStarted = false;
    await this.session.signOut();
  }

  async goOn(): Promise<void> {
    await this.session.goOn().catch(error => this.notices.fail(error));
  }

  /** Retries after the session ended: another may have begun in this browser. */
  async tryAgain(): Promise<void> {
    try {
      await this.session.goOn();
      this.data.reconnect();
    } catch (error) {
      this.notices.fail(error);
    }
  }
}
