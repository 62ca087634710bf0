import { compareKeys } from "./keys";
import { isEqual, leavesOf, Node } from "./node";

export interface Difference {
  path: string[];
  before: Node | null;
  after: Node | null;
}

export interface DifferenceCounts {
  added: number;
  changed: number;
  removed: number;
  same: number;
}

/** Returns the places where two nodes differ, as deep as both have children, in the order of keys, at most `limit` of
    them. */
export function differences(before: Node | null, after: Node | null, limit = Infinity): Difference[] {
  const found: Difference[] = [];
  walk(before, after, [], difference => {
    found.push(difference);
    return found.length < limit;
  });
  return found;
}

/** Returns the numbers of added, changed, removed and unchanged values. */
export function countDifferences(before: Node | null, after: Node | null): DifferenceCounts {
  const counts = { added: 0, changed: 0, removed: 0, same: 0 };
  tally(before, after, counts);
  return counts;
}

function tally(before: Node | null, after: Node | null, counts: DifferenceCounts): void {
  if (!before && !after) return;
  if (!before) counts.added += leavesOf(after);
  else if (!after) counts.removed += leavesOf(before);
  else if (before.children && after.children) {
    for (const [key, child] of before.children) tally(child, after.child(key), counts);
    for (const [key, child] of after.children) if (!before.children.has(key)) tally(null, child, counts);
  } else if (!before.children && !after.children) {
    counts[before.value === after.value && before.priority === after.priority ? "same" : "changed"]++;
  } else {
    counts.removed += leavesOf(before);
    counts.added += leavesOf(after);
  }
}

function walk(before: Node | null, after: Node | null, path: string[], take: (found: Difference) => boolean): boolean {
  if (before === after) return true;
  if (!before?.children || !after?.children || before.priority !== after.priority) {
    return isEqual(before, after) || take({ path, before, after });
  }
  const keys = new Set([...before.children.keys(), ...after.children.keys()]);
  for (const key of [...keys].sort(compareKeys)) {
    if (!walk(before.child(key), after.child(key), [...path, key], take)) return false;
  }
  return true;
}
