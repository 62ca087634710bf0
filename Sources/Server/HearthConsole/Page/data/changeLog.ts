import { isWithinPath, Path } from "../tree/keys";

export interface LoggedChange {
  /** Milliseconds since 1970. */
  at: number;
  path: Path;
  kind: "added" | "changed" | "removed";
}

const CAPACITY = 500;

/** The newest observed changes, as a ring buffer. */
export class ChangeLog {
  private readonly ring: LoggedChange[] = [];
  private next = 0;

  add(change: LoggedChange): void {
    this.ring[this.next] = change;
    this.next = (this.next + 1) % CAPACITY;
  }

  /** Returns the changes at or below a path, the newest first. */
  below(path: Path, limit: number): LoggedChange[] {
    const found: LoggedChange[] = [];
    for (let age = 1; age <= this.ring.length && found.length < limit; age++) {
      const change = this.ring[(this.next - age + CAPACITY) % CAPACITY]!;
      if (isWithinPath(change.path, path)) found.push(change);
    }
    return found;
  }
}
