import { Pulse } from "../api/events";
import { Notices } from "../state/notices";
import { Identity, readPlace, readRoute, Route, routeText } from "../state/route";
import { Session } from "../state/session";
import { Store } from "../state/store";
import { compareKeys, isSame, Path, textOf } from "../tree/keys";
import { BY_KEY, End, Order, orderText } from "../tree/order";
import { Link } from "../wire/link";
import { Branch } from "./branch";
import { connect, identityName } from "./connection";
import { Acts } from "./acts";
import { Edits } from "./edits";
import { Editor } from "./editor";
import { AllLines, FilteredLines, Lines } from "./lines";
import { TreeModel } from "./model";

export type SheetName = "add" | "priority" | "rename" | "move" | "remove" | "paste" | "as" | "goto" | null;

const AROUND_MILLISECONDS = 150;

/** The state and the actions of the data view, without its elements. */
export class DataController extends Store {
  database = "";
  link: Link | null = null;
  asLink: Link | null = null;
  model: TreeModel | null = null;
  route: Route;
  sheet: SheetName = null;
  sheetBranch: Branch | null = null;
  isPaused = false;
  isInspectorOpen = false;
  missing: Path | null = null;
  readonly acts = new Acts(this);
  readonly edits: Edits;
  readonly editor: Editor;
  /** Draws the rows; the flags tell whether lines were added or removed, and whether another client caused it. */
  draw: (isStructural: boolean, isLive?: boolean) => void = () => {};
  /** Called when another tree replaces this one. */
  restart: () => void = () => {};
  /** Gives the keyboard focus to the tree. */
  focus: () => void = () => {};
  reveal: (path: Path) => void = () => {};
  editPath: () => void = () => {};
  private readonly pulse: Pulse;
  private filtered: FilteredLines | null = null;
  private timers: ReturnType<typeof setInterval>[] = [];
  private soon: ReturnType<typeof setTimeout> | undefined;
  private restTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly session: Session, readonly notices: Notices) {
    super();
    this.route = readRoute(location.hash);
    this.pulse = new Pulse(session.api, (paths, event) => this.model?.pulse(paths, event.counts, performance.now()));
    const outline = (path: Path) => session.api.outline(this.database, textOf(path), { limit: 1 });
    this.edits = new Edits({ wire: () => this.link!.wire, outline });
    this.editor = new Editor(this.edits, undo => this.acts.offerUndo(undo));
    addEventListener("hashchange", () => location.hash.startsWith("#key=") || this.moved());
    addEventListener("popstate", () => location.hash.startsWith("#key=") || this.moved());
    document.addEventListener("visibilitychange", () => this.visibilityChanged());
  }

  get lines(): Lines {
    if (!this.model) return { count: 0, at: () => null, of: () => -1 };
    if (!this.route.filter) return new AllLines(this.model);
    return (this.filtered ??= new FilteredLines(this.model, this.route.filter));
  }

  get matches(): number {
    return this.filtered?.matches ?? 0;
  }

  get activeLink(): Link | null {
    return this.asLink ?? this.link;
  }

  get isLive(): boolean {
    return this.link?.state.name === "live";
  }

  /** The reason why the data is read-only now, or null. */
  get readOnlyReason(): string | null {
    if (this.session.readOnlyReason) return this.session.readOnlyReason;
    if (this.route.as) return `Writing is off while you look as ${identityName(this.route.as)}.`;
    if (!this.isLive) return "There is no connection: an edit would be made without seeing.";
    return null;
  }

  start(database: string): void {
    this.stop();
    this.database = database;
    this.link = connect(this.session, database, null, () => this.linkChanged());
    this.openModel();
    this.timers = [setInterval(() => this.tick(), 1000), setInterval(() => void this.model?.outlines.run(), 2000)];
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.pulse.stop();
    this.model?.dispose();
    this.asLink?.end();
    this.link?.end();
    this.model = null;
    this.link = this.asLink = null;
  }

  /** Opens a model for the identity in use. Open nodes stay open. */
  private openModel(): void {
    const open = this.model?.openPaths() ?? [];
    this.model?.dispose();
    this.asLink?.end();
    const identity = this.route.as;
    this.asLink = identity ? connect(this.session, this.database, identity, () => this.linkChanged()) : null;
    const api = this.session.api;
    const host = {
      outline: (path: string, order: Order, from: string | undefined, direction: "asc" | "desc", limit: number, isPeek: boolean) =>
        api.outline(this.database, path, { order, from, direction, limit, isPeek }),
      structureChanged: (isLive: boolean) => this.redrawForData(true, isLive),
      rowsChanged: () => this.redrawForData(false, true),
      say: (text: string) => this.notices.say(text, "bad"),
    };
    this.model = new TreeModel(this.activeLink!.wire, host, identity !== null, identity && "uid" in identity ? identity.uid : null);
    this.isPaused = false;
    this.restart();
    this.rememberChoice();
    void this.openPaths(open);
  }

  private async openPaths(open: Path[]): Promise<void> {
    const model = this.model!;
    await model.root.load();
    for (const path of open) {
      const line = model.lineFor(path);
      if (line) await model.expand(line);
    }
    if (model === this.model) await this.show(this.route.path);
  }

  /** Opens the parents of a path and scrolls it into view. */
  private async show(path: Path): Promise<void> {
    const model = this.model!;
    if (!path.length) return this.redraw(true);
    const isThere = await model.reveal(path);
    if (model !== this.model || !isSame(path, this.route.path)) return;
    const line = isThere ? model.lineFor(path) : null;
    if (line?.node?.children || line?.info?.kind === "object") void model.expand(line!);
    this.missing = isThere ? null : path;
    this.reveal(path);
    this.redraw(true);
  }

  /** Handles a change of the address by the browser. */
  private moved(): void {
    if (readPlace(location.hash).view !== "data") return;
    const route = readRoute(location.hash);
    if (routeText(route) !== routeText(this.route)) this.routed(route);
  }

  private routed(route: Route): void {
    const before = this.route;
    this.route = route;
    this.filtered = null;
    this.missing = null;
    if (!this.model) return;
    if (JSON.stringify(before.as) !== JSON.stringify(route.as)) return this.openModel();
    this.rememberChoice();
    const branch = this.model.branchAt(route.path);
    const choice = this.model.choices.get(textOf(route.path));
    if (branch && choice && (orderText(choice.order) !== orderText(branch.order) || choice.end !== branch.end)) {
      void this.model.reorder(branch, choice.order, choice.end);
    }
    if (!isSame(before.path, route.path)) void this.show(route.path);
    this.redraw(true);
  }

  private rememberChoice(): void {
    const { path, order, end } = this.route;
    if (order || end) this.model!.choices.set(textOf(path), { order: order ?? BY_KEY, end: end ?? "first" });
    if (!path.length && (order || end)) {
      this.model!.root.order = order ?? BY_KEY;
      this.model!.root.end = end ?? "first";
    }
  }

  /** Navigates, as a new entry of the history. */
  go(change: Partial<Route>): void {
    const route = { ...this.route, ...change };
    if (change.path && !("order" in change)) route.order = route.end = null;
    const text = routeText(route);
    if (text === location.hash) return;
    history.pushState(null, "", text);
    this.session.place = text.slice(1);
    this.routed(route);
  }

  /** Selects a row, without an entry of the history for each step. */
  select(path: Path): void {
    if (isSame(path, this.route.path)) return this.changed();
    this.route = { ...this.route, path, order: null, end: null };
    this.keepAddress();
    this.missing = null;
    this.redraw(false);
  }

  private keepAddress(): void {
    const text = routeText(this.route);
    history.replaceState(null, "", text);
    this.session.place = text.slice(1);
  }

  /** The open node whose children the bar describes: the selected one, or its parent. */
  get currentBranch(): Branch | null {
    if (!this.model) return null;
    return this.model.branchAt(this.route.path) ?? this.model.branchAt(this.route.path.slice(0, -1)) ?? this.model.root;
  }

  order(order: Order, end: End): void {
    const branch = this.currentBranch;
    if (!branch || !this.model) return;
    void this.model.reorder(branch, order, end).then(() => this.showEnd(branch, end));
    if (isSame(branch.path, this.route.path)) {
      this.route = { ...this.route, order, end };
      this.keepAddress();
    }
    this.changed();
  }

  private showEnd(branch: Branch, end: End): void {
    const keys = branch.windows.flatMap(window => window.keys);
    const key = end === "first" ? keys[0] : keys[keys.length - 1];
    if (key !== undefined) this.reveal([...branch.path, key]);
  }

  filter(text: string): void {
    this.route = { ...this.route, filter: text };
    this.keepAddress();
    this.redraw(true);
  }

  lookAs(identity: Identity | null): void {
    this.sheet = null;
    this.editor.cancel();
    this.go({ as: identity });
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.model?.pause(isPaused);
    this.redraw(true);
  }

  open(sheet: SheetName, branch: Branch | null = null): void {
    this.sheet = sheet;
    this.sheetBranch = branch;
    this.changedAtOnce();
  }

  /** Handles a part of the page that could not be loaded. */
  sheetMissing(): void {
    this.open(null);
    this.notices.say("The server did not give this part of the page. If it was updated, reload.", "bad");
  }

  /** Scrolls a key, or the next one, into view. */
  async jump(branch: Branch, key: string): Promise<void> {
    await this.model?.jump(branch, key);
    const keys = branch.windows.flatMap(window => window.keys);
    const at = keys.find(each => compareKeys(each, key) >= 0) ?? keys[keys.length - 1];
    if (at !== undefined) this.go({ path: [...branch.path, at] });
  }

  /** Reconnects with a new credential, after a new session. */
  reconnect(): void {
    this.start(this.database);
  }

  private redraw(isStructural: boolean): void {
    this.filtered = null;
    this.draw(isStructural);
    this.changed();
  }

  /** Draws after changes of the data: rows in the next frame, the rest a few times a second. */
  private redrawForData(isStructural: boolean, isLive: boolean): void {
    this.draw(isStructural, isLive);
    if (this.soon) return;
    this.soon = setTimeout(() => {
      this.soon = undefined;
      if (this.missing && this.model?.lineFor(this.missing)) void this.show(this.missing);
      if (this.filtered) this.redraw(true);
      else this.changed();
    }, AROUND_MILLISECONDS);
  }

  private linkChanged(): void {
    if (this.link?.state.name === "live") this.draw(true);
    this.changed();
  }

  private tick(): void {
    if (!this.model || document.hidden) return;
    this.model.heat.tick(performance.now());
    if (!this.isPaused && this.isLive) this.pulse.watch(this.database, this.model.watchedPaths());
    this.redraw(false);
  }

  /** Stops listening while the tab is hidden. */
  private visibilityChanged(): void {
    clearTimeout(this.restTimer);
    if (!document.hidden) return this.redraw(true);
    this.restTimer = setTimeout(() => {
      this.model?.rest();
      this.pulse.stop();
    }, 5000);
  }
}
