import type { OutlinePage } from "../api/console";
import { Path } from "../tree/keys";
import type { Node } from "../tree/node";
import { Bound, End, Order } from "../tree/order";
import {
  BranchModel, ChildGap, ChildWindow, isJoined, PAGE_ROWS, WindowBranch, WINDOW_BYTES_MAXIMUM, WINDOW_ROWS_MAXIMUM,
} from "./window";

/** The maximum number of rows under one node; above it the windows that were seen longest ago become gaps. */
const BRANCH_ROWS_MAXIMUM = 3000;
/** The maximum number of windows of one node that listen. */
const LISTENING_WINDOWS_MAXIMUM = 3;

/** The note in place of rows: that they load, or the reason why they cannot. */
export interface BranchNote {
  tone: "wait" | "refused" | "error";
  text: string;
}

/** The model as branches and their lines use it. */
interface TreeBranchModel extends BranchModel {
  valueOf(window: Window, key: string): Node | null;
}

export type Window = ChildWindow<Branch>;
export type Gap = ChildGap<Branch>;
export type Part = Window | Gap;

/** An open node: its children in windows, with gaps between them. */
export class Branch implements WindowBranch<Branch> {
  parts: Part[] = [];
  note: BranchNote | null = { tone: "wait", text: "Opening" };
  noteSince = 0;
  /** The number of children by the outline. */
  count = 0;
  isExact = true;
  lineCount = 0;
  private generation = 0;

  constructor(
    readonly model: TreeBranchModel,
    readonly path: Path,
    /** The window of this node's own row; null for the root. */
    readonly parent: Window | null,
    public order: Order,
    public end: End,
  ) {
    this.noteSince = performance.now();
  }

  get key(): string {
    return this.path[this.path.length - 1] ?? "";
  }

  get windows(): Window[] {
    return this.parts.filter((part): part is Window => part instanceof ChildWindow);
  }

  get hasGaps(): boolean {
    return this.parts.some(part => part instanceof ChildGap);
  }

  /** Loads the first page; immediately when the window above holds the node already. */
  async load(): Promise<void> {
    const generation = ++this.generation;
    if (this.parent && this.parent.source !== "rows" && this.parent.node()?.child(this.key)?.children) {
      const window = new ChildWindow<Branch>(this, this.order, "parent");
      window.isComplete = true;
      this.note = null;
      this.replace([window]);
      window.resort();
      this.count = window.keys.length;
      this.model.structureChanged();
      return;
    }
    try {
      const page = await this.model.page(this.path, this.order, undefined, this.end === "first" ? "asc" : "desc", PAGE_ROWS);
      if (generation !== this.generation) return;
      this.setCounts(page);
      const window = this.makeWindow(page, this.end);
      if (page.more && this.order.by === "key") this.boundOpenEnd(window);
      if (page.more && this.order.by !== "key") window.limit = PAGE_ROWS;
      await this.showWhenReady(window, () => this.replace([window]));
    } catch (error) {
      if (generation !== this.generation) return;
      this.fail(error);
    }
  }

  private setCounts(page: OutlinePage): void {
    this.count = page.count;
    this.isExact = page.isExact;
  }

  private fail(error: unknown): void {
    this.note = { tone: "error", text: error instanceof Error ? error.message : String(error) };
    this.recount();
    this.model.structureChanged();
  }

  private makeWindow(page: OutlinePage, anchor: End): Window {
    const isSmall = page.rows.reduce((sum, row) => sum + row.bytes, 0) <= WINDOW_BYTES_MAXIMUM;
    const window = new ChildWindow<Branch>(this, this.order, isSmall ? "query" : "rows");
    window.anchor = anchor;
    for (const row of page.rows) window.info.set(row.key, row);
    const keys = page.rows.map(row => row.key);
    window.setKeys(anchor === "last" ? keys.reverse() : keys);
    window.isComplete = !isSmall;
    return window;
  }

  /** Returns the bound of a page with more behind it: its last row. */
  private boundOpenEnd(window: Window): void {
    const keys = window.keys;
    if (window.anchor === "first") window.high = { value: null, key: keys[keys.length - 1]!, isIncluded: true };
    else window.low = { value: null, key: keys[0]!, isIncluded: true };
  }

  /** Keeps the old view until the new one can be drawn. */
  private showWhenReady(window: Window, put: () => void): Promise<void> {
    return new Promise(done => {
      let isDrawn = false;
      const draw = () => {
        if (isDrawn) return;
        isDrawn = true;
        this.note = null;
        put();
        this.model.structureChanged();
        done();
      };
      if (window.source === "query") window.listen(draw);
      if (window.source !== "query" || !this.model.client.isOpen) draw();
    });
  }

  /** Handles a node whose values the identity may not read as a whole: the rows are read one by one. */
  windowRefused(window: Window): void {
    window.source = "rows";
    window.isComplete = true;
    window.setKeys([...window.info.keys()]);
    if (!this.parts.includes(window)) return;
    this.recount();
    this.model.structureChanged();
  }

  /** Loads rows of a gap, from the side that is nearer to the viewport. */
  async fill(gap: Gap, side: "above" | "below", fromKey?: string): Promise<void> {
    if (gap.isLoading) return;
    gap.isLoading = true;
    const generation = this.generation;
    const { above, below } = gap;
    const isDown = fromKey !== undefined || (side === "above" && above !== null) || (side === "below" && !below);
    try {
      const from = fromKey ?? (isDown ? above?.keys[above.keys.length - 1] : below?.keys[0]);
      const page = await this.model.page(this.path, this.order, from, isDown ? "asc" : "desc", PAGE_ROWS);
      if (fromKey !== undefined) await this.includeFirst(page, fromKey);
      if (generation !== this.generation) return;
      if (!page.rows.length && fromKey !== undefined) {
        gap.isLoading = false;
        return;
      }
      if (!page.rows.length) return this.close(gap);
      const window = this.makeWindow(page, isDown ? "first" : "last");
      const first = window.keys[0]!;
      const last = window.keys[window.keys.length - 1]!;
      if (this.order.by === "key") {
        window.low = fromKey !== undefined || !isDown ? bound(first, true) : otherSide(above?.end() ?? null);
        window.high = isDown ? bound(last, true) : otherSide(below?.start() ?? null);
        this.trimToNeighbours(window, gap, page.more);
      } else {
        window.limit = PAGE_ROWS;
        if (isDown) window.low = otherSide(above?.end() ?? above?.boundAt(from!, true) ?? null);
        else window.high = otherSide(below?.start() ?? below?.boundAt(from!, true) ?? null);
      }
      await this.showWhenReady(window, () => this.insert(window, gap));
    } catch (error) {
      gap.isLoading = false;
      this.model.showError(error instanceof Error ? error.message : String(error));
    }
  }

  private async includeFirst(page: OutlinePage, key: string): Promise<void> {
    const own = await this.model.page([...this.path, key], this.order, undefined, "asc", 1);
    if (own.kind !== "null") page.rows.unshift({ key, kind: own.kind, count: own.count, bytes: own.bytes });
  }

  /** Joins a window with its neighbour: it ends where that begins. */
  private trimToNeighbours(window: Window, gap: Gap, more: boolean): void {
    const neighbour = gap.below?.keys.length ? new Set(gap.below.keys) : new Set<string>();
    const earlier = gap.above?.keys.length ? new Set(gap.above.keys) : new Set<string>();
    const kept = window.keys.filter(key => !neighbour.has(key) && !earlier.has(key));
    const isCut = kept.length < window.keys.length;
    window.setKeys(kept);
    if (window.anchor === "first" && (isCut || !more)) window.high = gap.below ? otherSide(gap.below.start()) : null;
    if (window.anchor === "last" && (isCut || !more)) window.low = gap.above ? otherSide(gap.above.end()) : null;
  }

  private close(gap: Gap): void {
    if (gap.above) gap.above.high = gap.below ? otherSide(gap.below.start()) : null;
    else if (gap.below) gap.below.low = null;
    this.replace(this.windows);
    this.model.structureChanged();
  }

  private insert(window: Window, gap: Gap): void {
    const windows = this.windows;
    const at = gap.above ? windows.indexOf(gap.above) + 1 : 0;
    windows.splice(at, 0, window);
    window.seenAt = performance.now();
    this.replace(windows);
    this.dropLeastRecentlySeen(window);
  }

  /** Rebuilds the parts: gaps stand where two windows are not joined. */
  private replace(windows: Window[]): void {
    for (const old of this.windows) if (!windows.includes(old)) old.dispose();
    this.parts = [];
    let above: Window | null = null;
    for (const window of windows) {
      const isOpenAbove = above ? !isJoined(above.end(), window.start()) : window.start() !== null || this.mayContinueAbove(window);
      if (isOpenAbove) this.parts.push(new ChildGap<Branch>(this, above, window));
      this.parts.push(window);
      above = window;
    }
    if (above && (above.end() !== null || this.mayContinueBelow(above))) this.parts.push(new ChildGap<Branch>(this, above, null));
    this.recount();
  }

  /** Returns true when only the outline tells whether there is more: for other orders than the key's, and for rows
      without values. */
  private mayContinueBelow(window: Window): boolean {
    return this.order.by !== "key" && window.anchor === "first" && window.keys.length >= PAGE_ROWS;
  }

  private mayContinueAbove(window: Window): boolean {
    return this.order.by !== "key" && window.anchor === "last" && window.keys.length >= PAGE_ROWS;
  }

  private dropLeastRecentlySeen(kept: Window): void {
    const windows = this.windows;
    let rows = windows.reduce((sum, window) => sum + window.keys.length, 0);
    const bySeen = windows.filter(window => window !== kept).sort((a, b) => a.seenAt - b.seenAt);
    for (const window of bySeen) {
      if (rows <= BRANCH_ROWS_MAXIMUM) break;
      rows -= window.keys.length;
      windows.splice(windows.indexOf(window), 1);
    }
    if (windows.length < this.windows.length) this.replace(windows);
  }

  /** Limits the listening windows to three; those seen longest ago are paused and keep their data. */
  limitListening(): void {
    const awake = this.windows.filter(window => window.isListening).sort((a, b) => b.seenAt - a.seenAt);
    for (const window of awake.slice(LISTENING_WINDOWS_MAXIMUM)) window.stopListening();
  }

  /** Sorts again after the parent's window was reloaded. */
  resortFromParent(): void {
    for (const window of this.windows) if (window.source === "parent") window.resort();
  }

  /** Applies a change within the parent's window: `path[depth]` is the child of this node that holds it. */
  applyFromParent(path: Path, depth: number): boolean {
    const window = this.windows[0];
    if (!window || window.source !== "parent") return false;
    let isMoved = false;
    if (depth >= path.length) {
      window.resort();
      isMoved = true;
    } else {
      isMoved = window.updateKey(path[depth]!, window.node()?.children ?? null) !== 0 || this.order.by !== "key";
      if (window.open.get(path[depth]!)?.applyFromParent(path, depth + 1)) isMoved = true;
    }
    if (isMoved) this.recount();
    return isMoved;
  }

  /** Counts the lines of this branch and of the branches around it again. */
  recount(): void {
    let sum = this.note ? 1 : 0;
    for (const part of this.parts) sum += part instanceof ChildGap ? 1 : part.lineCount;
    this.lineCount = sum;
    if (this.isFullyLoaded) this.count = this.windows[0]!.keys.length;
    this.parent?.branch.recount();
  }

  /** True when all children are loaded: their number is exact, and follows each change. */
  private get isFullyLoaded(): boolean {
    return this.parts.length === 1 && this.windows.length === 1 && this.windows[0]!.source !== "rows" && this.windows[0]!.isComplete &&
      (this.windows[0]!.source === "parent" || this.windows[0]!.keys.length < WINDOW_ROWS_MAXIMUM);
  }

  get loaded(): number {
    return this.windows.reduce((sum, window) => sum + window.keys.length, 0);
  }

  dispose(): void {
    this.generation++;
    for (const window of this.windows) window.dispose();
    this.parts = [];
  }
}

function bound(key: string, isIncluded: boolean): Bound {
  return { value: null, key, isIncluded };
}

/** Returns the bound of the neighbouring window: a child that one side includes, the other side excludes. */
function otherSide(of: Bound | null): Bound | null {
  return of && { ...of, isIncluded: !of.isIncluded };
}
