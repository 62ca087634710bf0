import { isWithin, Path } from "../tree/keys";

export interface LoggedChange {
  at: number;
  path: Path;
  kind: "added" | "changed" | "removed";
}

const KEPT = 500;

/** The newest changes that were seen, as a ring. */
export class ChangeLog {
  private readonly ring: LoggedChange[] = [];
  private next = 0;

  add(change: LoggedChange): void {
    this.ring[this.next] = change;
    this.next = (this.next + 1) % KEPT;
  }

  /** The newest at or below a path, newest first. */
  below(path: Path, limit: number): LoggedChange[] {
    const found: LoggedChange[] = [];
    for (let back = 1; back <= this.ring.length && found.length < limit; back++) {
      const change = this.ring[(this.next - back + KEPT) % KEPT]!;
      if (isWithin(change.path, path)) found.push(change);
    }
    return found;
  }
}
