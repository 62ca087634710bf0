import type { OutlinePage } from "../api/console";
import { compareKeys, isWithinPath, Path, pathText } from "../tree/keys";
import { differences } from "../tree/diff";
import { Node, nodeAt } from "../tree/node";
import { BY_KEY, End, Order } from "../tree/order";
import { timeOfPushId } from "../tree/pushId";
import type { ProtocolClient } from "../wire/protocolClient";
import { Branch, Gap, Window } from "./branch";
import { ChangeLog } from "./changeLog";
import { ChangeActivity } from "./changeActivity";
import { Line, lineAt, lineOf, NodeLine } from "./line";
import { RowListens } from "./rowListens";
import { OutlineRefresh } from "./outlineRefresh";
import { ChildGap, ChildWindow } from "./window";

export interface ModelHost {
  /** Reads a page of names, kinds and sizes. */
  outline(path: string, order: Order, from: string | undefined, direction: "asc" | "desc", limit: number,
    isBackground: boolean): Promise<OutlinePage>;
  /** Notifies of added or removed lines, caused by other clients or by the user's own action. */
  structureChanged(isLive: boolean): void;
  /** Notifies of changed values or marks. */
  rowsChanged(): void;
  showError(text: string): void;
}

const WATCHED_PATHS_MAXIMUM = 200;
/** The number of open lines above which the branches that were seen longest ago close. */
const LINES_MAXIMUM = 20_000;

/** The open part of the tree: its branches, their windows, and the observed changes. */
export class TreeModel {
  readonly root: Branch;
  readonly activity = new ChangeActivity();
  readonly log = new ChangeLog();
  readonly rowListens: RowListens;
  /** The chosen orders and ends, by path. */
  readonly chosenOrders = new Map<string, { order: Order; end: End }>();
  isPaused = false;
  visible: Line[] = [];
  readonly outlines = new OutlineRefresh(this);

  constructor(
    readonly client: ProtocolClient,
    private readonly host: ModelHost,
    /** True when an identity other than the administrator reads: rows are read one by one where a node is refused. */
    readonly isImpersonating = false,
    /** The identity's uid, which is often a key. */
    readonly ownKey: string | null = null,
  ) {
    this.rowListens = new RowListens(this);
    this.root = new Branch(this, [], null, BY_KEY, "first");
  }

  page(path: Path, order: Order, from: string | undefined, direction: "asc" | "desc",
    limit: number, isBackground = false): Promise<OutlinePage> {
    return this.host.outline(pathText(path), order, from, direction, limit, isBackground);
  }

  structureChanged(isLive = false): void {
    this.host.structureChanged(isLive);
  }

  rowsChanged(): void {
    this.host.rowsChanged();
  }

  showError(text: string): void {
    this.host.showError(text);
  }

  valueOf(window: Window, key: string): Node | null {
    if (window.source === "rows") return this.rowListens.valueAt(pathText([...window.branch.path, key]));
    return window.node()?.child(key) ?? null;
  }

  /** Returns the loaded value at a path, from any window or row. */
  valueAt(path: Path): Node | null {
    let branch: Branch | null = this.root;
    for (let depth = 0; branch && depth < path.length; depth++) {
      const key: string = path[depth]!;
      const window: Window | undefined = branch.windows.find(each => each.indexOf(key) >= 0);
      if (!window) return null;
      const value = this.valueOf(window, key);
      if (value) return nodeAt(value, path, depth + 1);
      branch = window.open.get(key) ?? null;
    }
    return null;
  }

  branchAt(path: Path): Branch | null {
    let branch: Branch | null = this.root;
    for (const key of path) {
      let below: Branch | null = null;
      const windows: Window[] = branch.windows;
      for (const each of windows) below = each.open.get(key) ?? below;
      if (!below) return null;
      branch = below;
    }
    return branch;
  }

  async expand(line: NodeLine): Promise<Branch> {
    if (line.open) return line.open;
    const choice = this.chosenOrders.get(pathText(line.path));
    const branch = new Branch(this, line.path, line.window, choice?.order ?? BY_KEY, choice?.end ?? await this.defaultEnd(line));
    line.window.setOpen(line.key, branch);
    branch.recount();
    this.structureChanged();
    await branch.load();
    if (this.root.lineCount > LINES_MAXIMUM) this.closeLeastRecentlySeen(branch);
    return branch;
  }

  /** Closes the branch that was seen longest ago when too many are open, but none that contains the new one. */
  private closeLeastRecentlySeen(kept: Branch): void {
    let oldest: { window: Window; branch: Branch; seenAt: number } | null = null;
    const walk = (window: Window) => {
      for (const branch of window.open.values()) {
        const seenAt = Math.max(0, ...branch.windows.map(each => each.seenAt));
        const isAround = isWithinPath(kept.path, branch.path);
        if (!isAround && branch.lineCount > 0 && seenAt < (oldest?.seenAt ?? Infinity)) oldest = { window, branch, seenAt };
        if (isAround) branch.windows.forEach(walk);
      }
    };
    this.root.windows.forEach(walk);
    const found = oldest as { window: Window; branch: Branch } | null;
    if (!found) return;
    found.window.setOpen(found.branch.key, null);
    found.branch.dispose();
    found.window.branch.recount();
    this.structureChanged();
    if (this.root.lineCount > LINES_MAXIMUM) this.closeLeastRecentlySeen(kept);
  }

  /** Returns the initial end of a branch: push ids are shown from their newest. */
  private async defaultEnd(line: NodeLine): Promise<End> {
    const children = line.node?.children;
    if (children) return timeOfPushId(greatestKey(children.keys())) === null ? "first" : "last";
    if ((line.info?.count ?? 0) < 2) return "first";
    try {
      const page = await this.page(line.path, BY_KEY, undefined, "desc", 1);
      return page.rows[0] && timeOfPushId(page.rows[0].key) !== null ? "last" : "first";
    } catch {
      return "first";
    }
  }

  collapse(line: NodeLine): void {
    if (!line.open) return;
    line.window.setOpen(line.key, null);
    line.open.dispose();
    line.window.branch.recount();
    this.structureChanged();
  }

  collapseAt(path: Path): void {
    const line = this.lineFor(path);
    if (line) this.collapse(line);
  }

  async reorder(branch: Branch, order: Order, end: End): Promise<void> {
    branch.order = order;
    branch.end = end;
    this.chosenOrders.set(pathText(branch.path), { order, end });
    await branch.load();
  }

  /** Opens all parents of a path, and loads the rows around its key. Returns true when the path exists. */
  async reveal(path: Path): Promise<boolean> {
    if (this.root.note?.tone === "wait") await this.root.load();
    let branch: Branch = this.root;
    for (let depth = 0; depth < path.length; depth++) {
      const key = path[depth]!;
      if (!branch.windows.some(window => window.indexOf(key) >= 0)) await this.jump(branch, key);
      const line = this.lineFor(path.slice(0, depth + 1));
      if (!line) return false;
      if (depth === path.length - 1) return true;
      branch = await this.expand(line);
    }
    return true;
  }

  lineFor(path: Path): NodeLine | null {
    const at = lineOf(this.root, path);
    const line = at < 0 ? null : lineAt(this.root, at);
    return line?.type === "node" ? line : null;
  }

  /** Loads the rows from a key on, into the gap that contains it. */
  async jump(branch: Branch, key: string): Promise<void> {
    if (branch.order.by !== "key") return;
    const gap = branch.parts.find((part, at): part is Gap => {
      if (!(part instanceof ChildGap)) return false;
      const above = branch.parts[at - 1];
      const below = branch.parts[at + 1];
      return (!(above instanceof ChildWindow) || compareKeys(above.keys[above.keys.length - 1] ?? "", key) < 0) &&
        (!(below instanceof ChildWindow) || compareKeys(key, below.keys[0] ?? "") < 0);
    });
    if (gap) await branch.fill(gap, "above", key);
  }

  /** Sets the visible lines: their windows and rows listen, others are paused. */
  show(lines: Line[], now: number): void {
    this.visible = lines;
    if (this.isPaused) return;
    const branches = new Set<Branch>();
    const rows: NodeLine[] = [];
    for (const line of lines) {
      if (line.type !== "node") continue;
      line.window.seenAt = now;
      branches.add(line.window.branch);
      rows.push(line);
      let window: Window | null = line.window;
      while (window && window.source === "parent") window = window.branch.parent;
      if (window) {
        window.seenAt = now;
        window.listen();
        branches.add(window.branch);
      }
    }
    // Before the first lines: the first data has to be displayed too.
    if (!lines.length) for (const window of this.root.windows) window.listen();
    for (const branch of branches) branch.limitListening();
    this.rowListens.show(rows, now);
  }

  /** Returns the visible inner nodes, whose commits the server counts. */
  watchedPaths(): string[] {
    const paths: string[] = [];
    for (const line of this.visible) {
      if (line.type === "node" && (line.open || line.info?.kind === "object" || line.node?.children)) paths.push(pathText(line.path));
      if (paths.length === WATCHED_PATHS_MAXIMUM) break;
    }
    return paths;
  }

  recordCommits(paths: string[], counts: number[], now: number): void {
    paths.forEach((path, at) => this.activity.recordCommits(path, counts[at] ?? 0, now));
    for (const line of this.visible) {
      const branch = line.type === "node" ? line.window.branch : line.branch;
      this.outlines.markChanged(branch);
    }
    this.rowsChanged();
  }

  recordChange(path: Path, before: Node | null, after: Node | null): void {
    const now = performance.now();
    if (before?.children && after?.children) {
      for (const each of differences(before, after, 50)) this.activity.recordChange([...path, ...each.path], now);
    } else {
      this.activity.recordChange(path, now);
    }
    this.log.record(Date.now(), path, before, after);
    this.rowsChanged();
  }

  /** Records a change of a part of which only a sample is loaded. */
  recordUnseenChange(path: Path): void {
    this.activity.recordChange(path, performance.now());
    this.rowsChanged();
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (!isPaused) return this.structureChanged();
    this.pauseListening();
  }

  /** Pauses all listening until lines are shown again. */
  pauseListening(): void {
    const walk = (branch: Branch) => {
      for (const window of branch.windows) {
        window.stopListening();
        window.open.forEach(walk);
      }
    };
    walk(this.root);
    this.rowListens.clear();
  }

  /** Returns the open paths, from the top. */
  openPaths(): Path[] {
    const paths: Path[] = [];
    const walk = (branch: Branch) => {
      if (branch.path.length) paths.push(branch.path);
      for (const window of branch.windows) window.open.forEach(walk);
    };
    walk(this.root);
    return paths;
  }

  dispose(): void {
    this.root.dispose();
    this.rowListens.clear();
  }
}

function greatestKey(keys: Iterable<string>): string {
  let greatest = "";
  for (const key of keys) if (greatest === "" || compareKeys(key, greatest) > 0) greatest = key;
  return greatest;
}
