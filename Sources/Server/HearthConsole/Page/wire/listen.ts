import { isWithinPath, Path, parsePath } from "../tree/keys";
import { fromExport, Json, Node, nodeAt, putAt } from "../tree/node";
import { Query } from "../tree/order";

/** A change below a listen's path, and the former value. */
export interface Change {
  path: Path;
  before: Node | null;
}

export interface ListenObserver {
  /** Notifies that the value is complete for the first time, or again after a reconnection. */
  ready?(): void;
  changed?(changes: Change[]): void;
  /** Notifies that the server refused or cancelled the listen. No more changes come. */
  refused?(status: string, reason: string): void;
}

/** The data of one path and query, with all its observers. */
export class Listen {
  root: Node | null = null;
  isReady = false;
  /** True when data has arrived: the server sends none for an empty path. */
  hasData = false;
  refusal: { status: string; reason: string } | null = null;
  readonly observers = new Set<ListenObserver>();

  constructor(readonly path: Path, readonly query: Query | null, readonly tag: number | null) {}

  /** Returns the request's parameters. */
  body(): { p: string; q?: Query; t?: number } {
    const p = "/" + this.path.join("/");
    return this.query ? { p, q: this.query, t: this.tag! } : { p };
  }

  setData(path: string, json: Json): Change[] {
    return this.put(parsePath(path), fromExport(json));
  }

  merge(path: string, children: { [path: string]: Json }): Change[] {
    const above = parsePath(path);
    return Object.keys(children).flatMap(below => this.put([...above, ...parsePath(below)], fromExport(children[below])));
  }

  /** Applies a push above the listen's path, which sets the part of it at that path. */
  private put(path: string[], part: Node | null): Change[] {
    this.hasData = true;
    if (!isWithinPath(path, this.path)) {
      if (!isWithinPath(this.path, path)) return [];
      part = nodeAt(part, this.path.slice(path.length));
      path = [...this.path];
    }
    const below = path.slice(this.path.length);
    const before = nodeAt(this.root, below[below.length - 1] === ".priority" ? below.slice(0, -1) : below);
    this.root = putAt(this.root, below, part);
    return [{ path: below, before }];
  }
}
