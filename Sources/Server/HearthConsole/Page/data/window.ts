import type { OutlinePage, OutlineRow } from "../api/console";
import { Node, nodeAt } from "../tree/node";
import { Bound, End, Order, queryOf, sortValue } from "../tree/order";
import { isWithinPath, Path } from "../tree/keys";
import type { Change } from "../wire/listen";
import type { ProtocolClient } from "../wire/protocolClient";
import { KeyList, OpenBranch } from "./keyList";

/** The size up to which a window loads its children as a whole, in bytes. */
export const WINDOW_BYTES_MAXIMUM = 262_144;
/** The number of children to which a window may grow by additions of other clients. */
export const WINDOW_ROWS_MAXIMUM = 1000;
export const PAGE_ROWS = 200;

/** The source of a window's values: a part that another window holds, a listen of its own, or none; then its rows
    listen one by one. */
export type WindowSource = "parent" | "query" | "rows";

/** The model that branches and their windows belong to. */
export interface BranchModel {
  readonly client: ProtocolClient;
  page(path: Path, order: Order, from: string | undefined, direction: "asc" | "desc", limit: number,
    isBackground?: boolean): Promise<OutlinePage>;
  structureChanged(isLive?: boolean): void;
  recordChange(path: Path, before: Node | null, after: Node | null): void;
  recordUnseenChange(path: Path): void;
  showError(text: string): void;
}

/** The branch that a window belongs to. */
export interface WindowBranch<B extends WindowBranch<B>> extends OpenBranch {
  readonly model: BranchModel;
  readonly path: Path;
  readonly key: string;
  readonly parent: ChildWindow<B> | null;
  windowRefused(window: ChildWindow<B>): void;
  recount(): void;
  resortFromParent(): void;
  applyFromParent(path: Path, depth: number): boolean;
}

/** A contiguous range of children of one node. */
export class ChildWindow<B extends WindowBranch<B>> extends KeyList<B> {
  info = new Map<string, OutlineRow>();
  low: Bound | null = null;
  high: Bound | null = null;
  anchor: End = "first";
  limit = WINDOW_ROWS_MAXIMUM;
  isComplete = false;
  seenAt = 0;
  private root: Node | null = null;
  private stopListen: (() => void) | null = null;

  constructor(readonly branch: B, order: Order, public source: WindowSource) {
    super(order);
  }

  /** Returns the node whose children these are, as far as it is loaded. */
  node(): Node | null {
    if (this.source === "query") return this.root;
    if (this.source === "rows") return null;
    const above = this.branch.parent!;
    return above.node()?.child(this.branch.key) ?? null;
  }

  get isListening(): boolean {
    return this.stopListen !== null;
  }

  /** The size by the outline, where it is known. */
  get bytes(): number {
    let sum = 0;
    for (const row of this.info.values()) sum += row.bytes;
    return sum;
  }

  /** Starts the window's listen, if it has one. */
  listen(whenReady?: () => void): void {
    if (this.source !== "query" || this.stopListen) return;
    const model = this.branch.model;
    const query = queryOf(this.order, this.low, this.high, this.limit, this.anchor);
    const made = model.client.listen(this.branch.path, query, {
      ready: () => {
        this.root = made.listen.root;
        this.isComplete = true;
        this.resort();
        whenReady?.();
        model.structureChanged();
      },
      changed: changes => {
        this.root = made.listen.root;
        this.apply(changes);
      },
      refused: () => {
        this.stopListen = null;
        this.root = null;
        this.branch.windowRefused(this);
        whenReady?.();
      },
    });
    this.stopListen = made.stop;
  }

  stopListening(): void {
    this.stopListen?.();
    this.stopListen = null;
  }

  /** Sorts all keys again, and those of the branches below that use this window's data. */
  resort(): void {
    this.sortFrom(this.node()?.children ?? null);
    for (const branch of this.open.values()) branch.resortFromParent();
    this.branch.recount();
  }

  /** Applies changes below this window's node. */
  private apply(changes: Change[]): void {
    const model = this.branch.model;
    let isMoved = false;
    for (const { path, before } of changes) {
      const after = nodeAt(this.root, path);
      model.recordChange([...this.branch.path, ...path], before, after);
      if (!path.length) {
        this.resort();
        isMoved = true;
        continue;
      }
      if (this.updateKey(path[0]!, this.root?.children ?? null) !== 0 || this.order.by !== "key") isMoved = true;
      if (this.open.get(path[0]!)?.applyFromParent(path, 1)) isMoved = true;
    }
    if (isMoved) {
      this.branch.recount();
      model.structureChanged(true);
    }
  }

  /** Returns the upper bound of the window: the last row of a full one. */
  end(): Bound | null {
    return this.anchor === "first" && this.isFull ? this.boundAt(this.keys[this.keys.length - 1]!, true) : this.high;
  }

  start(): Bound | null {
    return this.anchor === "last" && this.isFull ? this.boundAt(this.keys[0]!, true) : this.low;
  }

  private get isFull(): boolean {
    return this.keys.length >= this.limit && this.source !== "parent";
  }

  boundAt(key: string, isIncluded: boolean): Bound {
    const child = this.node()?.child(key);
    const value = child && this.order.by !== "key" ? sortValue(this.order, child) : null;
    return { value: value ?? null, key, isIncluded };
  }

  dispose(): void {
    this.stopListening();
    for (const branch of this.open.values()) branch.dispose();
    this.open.clear();
  }

  covers(path: readonly string[]): boolean {
    return this.source !== "rows" && isWithinPath(path, this.branch.path);
  }
}

/** A range of rows that are not loaded, between two windows or at an end. */
export class ChildGap<B extends WindowBranch<B>> {
  isLoading = false;
  constructor(readonly branch: B, readonly above: ChildWindow<B> | null, readonly below: ChildWindow<B> | null) {}
}

/** Returns true when no child can be between two windows. */
export function isJoined(above: Bound | null, below: Bound | null): boolean {
  return !!above && !!below && above.key === below.key && above.isIncluded !== below.isIncluded;
}
