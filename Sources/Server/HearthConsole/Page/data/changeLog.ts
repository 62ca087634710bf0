import { isWithinPath, Path } from "../tree/keys";

export interface LoggedChange {
  at: number;
  path: Path;
  kind: "added" | "changed" | "removed";
}

const KEPT = 500;

/** The newest observed changes, as a ring buffer. */
export class ChangeLog {
  private readonly ring: LoggedChange[] = [];
  private next = 0;

  add(change: LoggedChange): void {
    this.ring[this.next] = change;
    this.next = (this.next + 1) % KEPT;
  }

  /** Returns the changes at or below a path, the newest first. */
  below(path: Path, limit: number): LoggedChange[] {
    const found: LoggedChange[] = [];
    for (let back = 1; back <= this.ring.length && found.length < limit; back++) {
      const change = this.ring[(this.next - back + KEPT) % KEPT]!;
      if (isWithinPath(change.path, path)) found.push(change);
    }
    return found;
  }
}
