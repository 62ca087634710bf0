import { preview, valueText } from "../format/value";
import { displayText } from "../format/text";
import { differences } from "../tree/diff";
import { isSamePath, isWithinPath, Path } from "../tree/keys";
import { Json, leavesOf, Node, toExport } from "../tree/node";

export type ChangeKind = "added" | "changed" | "removed";

export interface LoggedChange {
  /** Milliseconds since 1970. */
  at: number;
  path: Path;
  kind: ChangeKind;
  /** The value, or both values of a changed one, for display. */
  text: string;
}

/** A change with its new value, by which the same change from another listen is recognised. */
interface RecordedChange extends LoggedChange {
  /** The new value as JSON; undefined for a large one. */
  after: Json | undefined;
}

const CAPACITY = 500;
/** The number of places to which one change is split. */
const PLACES_MAXIMUM = 3;
/** The number of values up to which a part is compared. */
const LEAVES_MAXIMUM = 64;
/** The time within which several listens tell of one change. */
const DUPLICATE_MILLISECONDS = 1000;
/** The number of entries among which the same change is looked for. */
const COMPARED_MAXIMUM = 64;
const TEXT_LIMIT = 80;

/** The newest observed changes, as a ring buffer. A change of which several listens tell is one. */
export class ChangeLog {
  private readonly ring: (RecordedChange | undefined)[] = [];
  private next = 0;

  /** Records a change; one of a few places below a node is recorded for each of them. */
  record(at: number, path: Path, before: Node | null, after: Node | null): void {
    const places = before?.children && after?.children ? differences(before, after, PLACES_MAXIMUM + 1) : [];
    if (!places.length || places.length > PLACES_MAXIMUM) return this.add(at, path, before, after);
    for (const each of places) this.add(at, [...path, ...each.path], each.before, each.after);
  }

  private add(at: number, path: Path, before: Node | null, after: Node | null): void {
    const json = leavesOf(after, LEAVES_MAXIMUM + 1) > LEAVES_MAXIMUM ? undefined : toExport(after);
    if (this.dropDuplicates(at, path, json)) return;
    this.ring[this.next] = { at, path, kind: kindOfChange(before, after), text: changeText(before, after), after: json };
    this.next = (this.next + 1) % CAPACITY;
  }

  /** Returns true when the change was recorded for this path or for one above it. Removes those below it that it
      contains. */
  private dropDuplicates(at: number, path: Path, after: Json | undefined): boolean {
    if (after === undefined) return false;
    for (let age = 1; age <= Math.min(COMPARED_MAXIMUM, this.ring.length); age++) {
      const slot = (this.next - age + CAPACITY) % CAPACITY;
      const each = this.ring[slot];
      if (!each) continue;
      if (at - each.at > DUPLICATE_MILLISECONDS) return false;
      if (each.after === undefined) continue;
      if (isWithinPath(path, each.path)) {
        // The newest change there decides: another one since would have been recorded.
        if (isSameJson(jsonAt(each.after, path.slice(each.path.length)), after)) return true;
        if (isSamePath(path, each.path)) return false;
      } else if (isWithinPath(each.path, path) && isSameJson(jsonAt(after, each.path.slice(path.length)), each.after)) {
        this.ring[slot] = undefined;
      }
    }
    return false;
  }

  /** Returns the changes at or below a path, the newest first. */
  below(path: Path, limit: number): LoggedChange[] {
    const found: LoggedChange[] = [];
    for (let age = 1; age <= this.ring.length && found.length < limit; age++) {
      const change = this.ring[(this.next - age + CAPACITY) % CAPACITY];
      if (change && isWithinPath(change.path, path)) found.push(change);
    }
    return found;
  }
}

export function kindOfChange(before: Node | null, after: Node | null): ChangeKind {
  return before === null ? "added" : after === null ? "removed" : "changed";
}

/** Returns the values of a change in a few words: `"a" → "b"`. */
export function changeText(before: Node | null, after: Node | null): string {
  if (!after) return shortText(before);
  return before && !before.children && !after.children ? `${shortText(before)} → ${shortText(after)}` : shortText(after);
}

function shortText(node: Node | null): string {
  if (!node) return "null";
  return displayText(node.children ? `{${preview(node) || "…"}}` : valueText(node.value!), TEXT_LIMIT);
}

function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function jsonAt(json: Json, path: Path): Json {
  let part: Json = json;
  for (const key of path) {
    if (part === null || typeof part !== "object" || Array.isArray(part) || !Object.prototype.hasOwnProperty.call(part, key)) return null;
    part = part[key]!;
  }
  return part;
}
