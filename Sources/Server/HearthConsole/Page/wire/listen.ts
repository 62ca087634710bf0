import { isWithin, Path, pathOf } from "../tree/keys";
import { fromExport, Json, Node, nodeAt, putAt } from "../tree/node";
import { Query } from "../tree/order";

/** A place that changed below a listen's path, and what stood there before. */
export interface Change {
  path: Path;
  before: Node | null;
}

export interface ListenObserver {
  /** The held value is complete for the first time, or again after the connection was away. */
  ready?(): void;
  changed?(changes: Change[]): void;
  /** The server refused or cut the listen. Nothing more comes. */
  refused?(status: string, reason: string): void;
}

/** What is held for one path and query, with all who look at it. */
export class Listen {
  root: Node | null = null;
  isReady = false;
  /** Whether something came since it was last asked for: the server tells nothing of an empty place. */
  isFilled = false;
  refusal: { status: string; reason: string } | null = null;
  readonly observers = new Set<ListenObserver>();

  constructor(readonly path: Path, readonly query: Query | null, readonly tag: number | null) {}

  /** What the request names it by. */
  body(): { p: string; q?: Query; t?: number } {
    const p = "/" + this.path.join("/");
    return this.query ? { p, q: this.query, t: this.tag! } : { p };
  }

  take(path: string, json: Json): Change[] {
    return this.put(pathOf(path), fromExport(json));
  }

  merge(path: string, children: { [path: string]: Json }): Change[] {
    const above = pathOf(path);
    return Object.keys(children).flatMap(below => this.put([...above, ...pathOf(below)], fromExport(children[below])));
  }

  /** A push above the listen's path is for it what stands there at that path. */
  private put(path: string[], part: Node | null): Change[] {
    this.isFilled = true;
    if (!isWithin(path, this.path)) {
      if (!isWithin(this.path, path)) return [];
      part = nodeAt(part, this.path.slice(path.length));
      path = [...this.path];
    }
    const below = path.slice(this.path.length);
    const before = nodeAt(this.root, below[below.length - 1] === ".priority" ? below.slice(0, -1) : below);
    this.root = putAt(this.root, below, part);
    return [{ path: below, before }];
  }
}
