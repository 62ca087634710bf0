export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
  /** The line number from 1, in the text that has the line; in the new one for an unchanged line. */
  line: number;
}

const CELLS_MAXIMUM = 4_000_000;

/** Returns the differences of two texts, line by line: the longest common subsequence stays. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (from: number, to: number): DiffLine[] => b.slice(from, to).map((text, at) => ({ kind: "same", text, line: from + at + 1 }));
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end), start);
  return [...same(0, start), ...middle, ...same(b.length - end, b.length)];
}

function diffMiddle(a: string[], b: string[], offset: number): DiffLine[] {
  const removed = (at: number): DiffLine => ({ kind: "removed", text: a[at]!, line: offset + at + 1 });
  const added = (at: number): DiffLine => ({ kind: "added", text: b[at]!, line: offset + at + 1 });
  const width = b.length + 1;
  if (a.length * width > CELLS_MAXIMUM) return [...a.map((_, at) => removed(at)), ...b.map((_, at) => added(at))];
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: b[j]!, line: offset + j + 1 });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push(removed(i++));
    } else {
      lines.push(added(j++));
    }
  }
  return lines;
}

/** Returns the new text's lines that are not in the old one, from 1. */
export function changedLines(before: string, after: string): number[] {
  return diffLines(before, after).filter(line => line.kind === "added").map(line => line.line);
}

/** Returns the lines that both texts have, counted from 1: the line of the new text by that of the old one. */
export function keptLines(before: string, after: string): Map<number, number> {
  const kept = new Map<number, number>();
  let old = 0;
  for (const { kind, line } of diffLines(before, after)) {
    if (kind !== "added") old++;
    if (kind === "same") kept.set(old, line);
  }
  return kept;
}

/** Returns the changes with a few lines around them; null stands for omitted lines. */
export function hunks(lines: DiffLine[], around = 3): (DiffLine | null)[] {
  const shown = new Set<number>();
  lines.forEach((line, at) => {
    if (line.kind === "same") return;
    for (let near = at - around; near <= at + around; near++) shown.add(near);
  });
  const found: (DiffLine | null)[] = [];
  lines.forEach((line, at) => {
    if (shown.has(at)) found.push(line);
    else if (found.length && found[found.length - 1] !== null) found.push(null);
  });
  if (found[found.length - 1] === null) found.pop();
  return found;
}
