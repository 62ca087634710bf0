import { CommitCountStream } from "../api/events";
import { Notices } from "../state/notices";
import { Identity, readAddress, readRoute, Route, routeText } from "../state/route";
import { Session } from "../state/session";
import { Store } from "../state/store";
import { compareKeys, isSamePath, Path, pathText } from "../tree/keys";
import { BY_KEY, End, Order, orderText } from "../tree/order";
import { DatabaseConnection } from "../wire/databaseConnection";
import { Branch } from "./branch";
import { connect, identityName } from "./connection";
import { DataActions } from "./dataActions";
import { Edits } from "./edits";
import { Editor } from "./editor";
import { AllLines, FilteredLines, Lines } from "./lines";
import { TreeModel } from "./model";

export type SheetName = "add" | "priority" | "rename" | "move" | "remove" | "paste" | "as" | "goto" | null;

const REDRAW_MILLISECONDS = 150;

/** The state and the actions of the data view, without its elements. */
export class DataController extends Store {
  database = "";
  connection: DatabaseConnection | null = null;
  identityConnection: DatabaseConnection | null = null;
  model: TreeModel | null = null;
  route: Route;
  sheet: SheetName = null;
  sheetBranch: Branch | null = null;
  isPaused = false;
  isInspectorOpen = false;
  missingPath: Path | null = null;
  readonly actions = new DataActions(this);
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
  private readonly commitCounts: CommitCountStream;
  private filtered: FilteredLines | null = null;
  private timers: ReturnType<typeof setInterval>[] = [];
  private redrawTimer: ReturnType<typeof setTimeout> | undefined;
  private pauseTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly session: Session, readonly notices: Notices) {
    super();
    this.route = readRoute(location.hash);
    this.commitCounts = new CommitCountStream(session.api, (paths, event) => this.model?.recordCommits(paths, event.counts, performance.now()));
    const outline = (path: Path) => session.api.outline(this.database, pathText(path), { limit: 1 });
    this.edits = new Edits({ client: () => this.connection!.client, outline });
    this.editor = new Editor(this.edits, undo => this.actions.offerUndo(undo));
    addEventListener("hashchange", () => location.hash.startsWith("#key=") || this.addressChanged());
    addEventListener("popstate", () => location.hash.startsWith("#key=") || this.addressChanged());
    document.addEventListener("visibilitychange", () => this.visibilityChanged());
  }

  get lines(): Lines {
    if (!this.model) return { count: 0, at: () => null, indexOf: () => -1 };
    if (!this.route.filter) return new AllLines(this.model);
    return (this.filtered ??= new FilteredLines(this.model, this.route.filter));
  }

  get matches(): number {
    return this.filtered?.matches ?? 0;
  }

  get activeConnection(): DatabaseConnection | null {
    return this.identityConnection ?? this.connection;
  }

  get isLive(): boolean {
    return this.connection?.state.name === "live";
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
    this.connection = connect(this.session, database, null, () => this.connectionChanged());
    this.openModel();
    this.timers = [setInterval(() => this.tick(), 1000), setInterval(() => void this.model?.outlines.run(), 2000)];
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.commitCounts.stop();
    this.model?.dispose();
    this.identityConnection?.end();
    this.connection?.end();
    this.model = null;
    this.connection = this.identityConnection = null;
  }

  /** Opens a model for the identity in use. Open nodes stay open. */
  private openModel(): void {
    const open = this.model?.openPaths() ?? [];
    this.model?.dispose();
    this.identityConnection?.end();
    const identity = this.route.as;
    this.identityConnection = identity ? connect(this.session, this.database, identity, () => this.connectionChanged()) : null;
    const api = this.session.api;
    const host = {
      outline: (path: string, order: Order, from: string | undefined, direction: "asc" | "desc", limit: number, isBackground: boolean) =>
        api.outline(this.database, path, { order, from, direction, limit, isBackground }),
      structureChanged: (isLive: boolean) => this.redrawForData(true, isLive),
      rowsChanged: () => this.redrawForData(false, true),
      showError: (text: string) => this.notices.show(text, "bad"),
    };
    this.model = new TreeModel(this.activeConnection!.client, host, identity !== null, identity && "uid" in identity ? identity.uid : null);
    this.isPaused = false;
    this.restart();
    this.rememberOrder();
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
    if (model !== this.model || !isSamePath(path, this.route.path)) return;
    const line = isThere ? model.lineFor(path) : null;
    if (line?.node?.children || line?.info?.kind === "object") void model.expand(line!);
    this.missingPath = isThere ? null : path;
    this.reveal(path);
    this.redraw(true);
  }

  /** Handles a change of the address by the browser. */
  private addressChanged(): void {
    if (readAddress(location.hash).view !== "data") return;
    const route = readRoute(location.hash);
    if (routeText(route) !== routeText(this.route)) this.applyRoute(route);
  }

  private applyRoute(route: Route): void {
    const before = this.route;
    this.route = route;
    this.filtered = null;
    this.missingPath = null;
    if (!this.model) return;
    if (JSON.stringify(before.as) !== JSON.stringify(route.as)) return this.openModel();
    this.rememberOrder();
    const branch = this.model.branchAt(route.path);
    const choice = this.model.chosenOrders.get(pathText(route.path));
    if (branch && choice && (orderText(choice.order) !== orderText(branch.order) || choice.end !== branch.end)) {
      void this.model.reorder(branch, choice.order, choice.end);
    }
    if (!isSamePath(before.path, route.path)) void this.show(route.path);
    this.redraw(true);
  }

  private rememberOrder(): void {
    const { path, order, end } = this.route;
    if (order || end) this.model!.chosenOrders.set(pathText(path), { order: order ?? BY_KEY, end: end ?? "first" });
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
    this.session.address = text.slice(1);
    this.applyRoute(route);
  }

  /** Selects a row, without an entry of the history for each step. */
  select(path: Path): void {
    if (isSamePath(path, this.route.path)) return this.publish();
    this.route = { ...this.route, path, order: null, end: null };
    this.replaceAddress();
    this.missingPath = null;
    this.redraw(false);
  }

  private replaceAddress(): void {
    const text = routeText(this.route);
    history.replaceState(null, "", text);
    this.session.address = text.slice(1);
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
    if (isSamePath(branch.path, this.route.path)) {
      this.route = { ...this.route, order, end };
      this.replaceAddress();
    }
    this.publish();
  }

  private showEnd(branch: Branch, end: End): void {
    const keys = branch.windows.flatMap(window => window.keys);
    const key = end === "first" ? keys[0] : keys[keys.length - 1];
    if (key !== undefined) this.reveal([...branch.path, key]);
  }

  filter(text: string): void {
    this.route = { ...this.route, filter: text };
    this.replaceAddress();
    this.redraw(true);
  }

  viewAs(identity: Identity | null): void {
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
    this.publishNow();
  }

  /** Handles a part of the page that could not be loaded. */
  sheetFailedToLoad(): void {
    this.open(null);
    this.notices.show("The server did not give this part of the page. If it was updated, reload.", "bad");
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
    this.publish();
  }

  /** Draws after changes of the data: rows in the next frame, the rest a few times a second. */
  private redrawForData(isStructural: boolean, isLive: boolean): void {
    this.draw(isStructural, isLive);
    if (this.redrawTimer) return;
    this.redrawTimer = setTimeout(() => {
      this.redrawTimer = undefined;
      if (this.missingPath && this.model?.lineFor(this.missingPath)) void this.show(this.missingPath);
      if (this.filtered) this.redraw(true);
      else this.publish();
    }, REDRAW_MILLISECONDS);
  }

  private connectionChanged(): void {
    if (this.connection?.state.name === "live") this.draw(true);
    this.publish();
  }

  private tick(): void {
    if (!this.model || document.hidden) return;
    this.model.activity.tick(performance.now());
    if (!this.isPaused && this.isLive) this.commitCounts.watch(this.database, this.model.watchedPaths());
    this.redraw(false);
  }

  /** Stops listening while the tab is hidden. */
  private visibilityChanged(): void {
    clearTimeout(this.pauseTimer);
    if (!document.hidden) return this.redraw(true);
    this.pauseTimer = setTimeout(() => {
      this.model?.pauseListening();
      this.commitCounts.stop();
    }, 5000);
  }
}
