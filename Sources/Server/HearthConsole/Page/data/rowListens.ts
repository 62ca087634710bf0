import { Path, pathText } from "../tree/keys";
import { kindOf, Node, nodeAt } from "../tree/node";
import { BY_KEY, queryOf } from "../tree/order";
import type { Listen } from "../wire/listen";
import type { BranchModel } from "./window";
import type { NodeLine } from "./line";

const ROWS_MAXIMUM = 80;
/** The time after which a row that is no longer visible stops listening. */
const UNSEEN_MILLISECONDS = 5000;
/** The size up to which values in rows are loaded automatically, in bytes. */
const VALUE_BYTES_MAXIMUM = 4096;
/** The interval at which a refused row is read again: a permission may have been granted. */
const RETRY_MILLISECONDS = 3000;
/** The longer interval at which children of a refused row are read again: they take more requests. */
const PROBE_MILLISECONDS = 12_000;
/** The number of children of a refused node that are tried, to find out whether a value below it may be read. */
const PROBED_CHILDREN = 12;

export type RowAccess = "readable" | "parts" | "hidden" | "pending";

interface Row {
  path: Path;
  listen: Listen | null;
  stop: () => void;
  access: RowAccess;
  reason: string;
  seenAt: number;
  requestedAt: number;
  probedAt: number;
  isInner: boolean;
  isProbe: boolean;
}

/** The model whose rows are listened to. */
interface RowModel extends Pick<BranchModel, "client" | "recordChange" | "recordUnseenChange" | "page"> {
  readonly isImpersonating: boolean;
  readonly ownKey: string | null;
  rowsChanged(): void;
  collapseAt(path: Path): void;
}

/** The rows that listen one by one, because the window around them is too large, or may not be read as a whole. */
export class RowListens {
  private readonly rows = new Map<string, Row>();

  constructor(private readonly model: RowModel) {}

  valueAt(text: string): Node | null {
    const row = this.rows.get(text);
    return row?.listen?.isReady && !row.isProbe ? row.listen.root : null;
  }

  accessOf(text: string): { access: RowAccess; reason: string } | null {
    return this.rows.get(text) ?? null;
  }

  get size(): number {
    return this.rows.size;
  }

  /** Sets the visible rows. */
  show(lines: NodeLine[], now: number): void {
    let room = ROWS_MAXIMUM - this.rows.size;
    for (const line of lines) {
      if (line.window.source !== "rows") continue;
      const text = pathText(line.path);
      const row = this.rows.get(text);
      if (row) row.seenAt = now;
      else if (this.isWanted(line) && room-- > 0) this.start(line, text, now);
    }
    for (const [text, row] of this.rows) {
      if (now - row.seenAt > UNSEEN_MILLISECONDS) {
        row.stop();
        this.rows.delete(text);
      } else if ((row.access === "hidden" || row.access === "parts") && now - row.requestedAt > RETRY_MILLISECONDS) {
        row.requestedAt = now;
        row.stop();
        this.listen(row, text);
      }
    }
  }

  /** Returns true when a row needs its own listen; as another identity each does, for the decisions differ. */
  private isWanted(line: NodeLine): boolean {
    const info = line.info;
    return this.model.isImpersonating || (info !== null && info.bytes <= VALUE_BYTES_MAXIMUM);
  }

  private start(line: NodeLine, text: string, now: number): void {
    const info = line.info;
    const isProbe = !!info && info.bytes > VALUE_BYTES_MAXIMUM && info.kind === "object";
    const row: Row = { path: line.path, listen: null, stop: () => {}, access: "pending", reason: "", seenAt: now, requestedAt: now,
      probedAt: -Infinity, isInner: info?.kind === "object", isProbe };
    this.rows.set(text, row);
    this.listen(row, text);
  }

  private listen(row: Row, text: string): void {
    const query = row.isProbe ? queryOf(BY_KEY, null, null, 1, "first") : null;
    const made = this.model.client.listen(row.path, query, {
      ready: () => {
        row.access = "readable";
        this.model.rowsChanged();
      },
      changed: changes => {
        for (const { path, before } of changes) {
          const place = [...row.path, ...path];
          if (row.isProbe) this.model.recordUnseenChange(place);
          else this.model.recordChange(place, before, nodeAt(made.listen.root, path));
        }
        this.model.rowsChanged();
      },
      refused: (_status, reason) => {
        if (row.access !== "parts") row.access = "hidden";
        row.reason = reason;
        this.model.rowsChanged();
        void this.probe(row);
      },
    });
    if (this.rows.get(text) !== row) return made.stop();
    row.listen = made.listen;
    row.stop = made.stop;
  }

  /** Finds out whether a value below a refused node may be read, by some of its children. */
  private async probe(row: Row): Promise<void> {
    const now = performance.now();
    if (!row.isInner || now - row.probedAt < PROBE_MILLISECONDS) return;
    row.probedAt = now;
    const isOpen = await this.isPartReadable(row.path, 2).catch(() => false);
    if (row.access === "hidden" || row.access === "parts") row.access = isOpen ? "parts" : "hidden";
    if (row.access === "hidden") this.model.collapseAt(row.path);
    this.model.rowsChanged();
  }

  private async isPartReadable(path: Path, depth: number): Promise<boolean> {
    const page = await this.model.page(path, BY_KEY, undefined, "asc", PROBED_CHILDREN, true);
    const keys = page.rows.map(child => child.key);
    const own = this.model.ownKey;
    if (page.more && own && !keys.includes(own)) keys.push(own);
    for (const key of keys) if (await this.mayRead([...path, key])) return true;
    if (depth > 1) {
      for (const child of page.rows) {
        if (child.kind === "object" && await this.isPartReadable([...path, child.key], depth - 1)) return true;
      }
    }
    return false;
  }

  private mayRead(path: Path): Promise<boolean> {
    return new Promise(answer => {
      const made = this.model.client.listen(path, queryOf(BY_KEY, null, null, 1, "first"), {
        ready: () => setTimeout(() => (made.stop(), answer(true))),
        refused: () => answer(false),
      });
    });
  }

  clear(): void {
    for (const row of this.rows.values()) row.stop();
    this.rows.clear();
  }
}

export function isLeaf(node: Node | null): boolean {
  return node !== null && kindOf(node) !== "object";
}
