import { Node } from "../tree/node";
import { comparer, Order, sortedKeys } from "../tree/order";

/** An open node as the surrounding list counts it. */
export interface OpenBranch {
  readonly lineCount: number;
  dispose(): void;
}

/** A list of keys in display order, with the open branches among them. Its lines are counted without visiting them: one
    for each key, and those of the open branches. */
export class KeyList<B extends OpenBranch> {
  keys: string[] = [];
  readonly open = new Map<string, B>();
  private opened: { at: number; branch: B }[] | null = null;

  constructor(public order: Order) {}

  get lineCount(): number {
    let sum = this.keys.length;
    for (const branch of this.open.values()) sum += branch.lineCount;
    return sum;
  }

  /** Returns the line at an index: a key of this list, or a position within an open branch. */
  locate(line: number): { at: number } | { branch: B; line: number } {
    let shift = 0;
    for (const { at, branch } of this.openInOrder()) {
      if (line <= at + shift) break;
      const inside = line - at - shift - 1;
      if (inside < branch.lineCount) return { branch, line: inside };
      shift += branch.lineCount;
    }
    return { at: line - shift };
  }

  /** Returns the line of a key, or -1. */
  lineOf(key: string): number {
    const at = this.indexOf(key);
    if (at < 0) return -1;
    let line = at;
    for (const each of this.openInOrder()) {
      if (each.at >= at) break;
      line += each.branch.lineCount;
    }
    return line;
  }

  indexOf(key: string): number {
    return this.keys.indexOf(key);
  }

  setOpen(key: string, branch: B | null): void {
    if (branch) this.open.set(key, branch);
    else this.open.delete(key);
    this.opened = null;
  }

  /** Replaces the keys; branches of removed keys close. */
  setKeys(keys: string[]): void {
    this.keys = keys;
    this.opened = null;
    if (!this.open.size) return;
    const kept = new Set(keys);
    for (const [key, branch] of [...this.open]) {
      if (kept.has(key)) continue;
      this.open.delete(key);
      branch.dispose();
    }
  }

  sortFrom(children: Map<string, Node> | null): void {
    this.setKeys(children ? sortedKeys(this.order, children) : []);
  }

  /** Moves a key to its position after its child changed. Returns -1, 0 or 1: the number of added lines. */
  updateKey(key: string, children: Map<string, Node> | null): number {
    const child = children?.get(key);
    const isKeyOrder = this.order.by === "key";
    const held = isKeyOrder ? this.find(key, child ?? null, children) : { at: this.indexOf(key), isThere: false };
    if (!isKeyOrder) held.isThere = held.at >= 0;
    if (child && held.isThere && isKeyOrder) return 0;
    if (held.isThere) this.keys.splice(held.at, 1);
    if (child) this.keys.splice(this.find(key, child, children).at, 0, key);
    this.opened = null;
    if (!child) {
      const branch = this.open.get(key);
      if (branch) {
        this.open.delete(key);
        branch.dispose();
      }
    }
    return (child ? 1 : 0) - (held.isThere ? 1 : 0);
  }

  private find(key: string, child: Node | null, children: Map<string, Node> | null): { at: number; isThere: boolean } {
    const compare = comparer(this.order);
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.keys[middle]!;
      const difference = compare(other, children?.get(other) ?? child!, key, child!);
      if (difference === 0) return { at: middle, isThere: true };
      if (difference < 0) low = middle + 1;
      else high = middle;
    }
    return { at: low, isThere: false };
  }

  private openInOrder(): { at: number; branch: B }[] {
    return (this.opened ??= [...this.open]
      .map(([key, branch]) => ({ at: this.keys.indexOf(key), branch }))
      .sort((a, b) => a.at - b.at));
  }
}
