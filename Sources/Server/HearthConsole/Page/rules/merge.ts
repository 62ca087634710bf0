import { diffLines } from "./diff";

/** A part of a text that both sides have changed: the base, and each side's version. */
export interface Conflict {
  base: string[];
  theirs: string[];
  mine: string[];
}

/** The merged text, in order: settled lines, and conflicts that the user has to resolve. */
export type MergePart = { kind: "settled"; lines: string[] } | { kind: "conflict"; at: number; conflict: Conflict };

interface Change {
  /** The replaced lines of the base, from 0; the end is exclusive. */
  from: number;
  to: number;
  lines: string[];
}

/**
 * Merges two texts with a common base, line by line. A change that both sides made is applied once; changes of different lines are
 * all applied.
 */
export function merge(base: string, theirs: string, mine: string): MergePart[] {
  const lines = base.split("\n");
  const [a, b] = [changes(base, theirs), changes(base, mine)];
  const parts: MergePart[] = [];
  const settle = (more: string[]) => {
    const last = parts[parts.length - 1];
    if (last?.kind === "settled") last.lines.push(...more);
    else if (more.length) parts.push({ kind: "settled", lines: [...more] });
  };
  let [at, conflicts] = [0, 0];
  while (a.length || b.length) {
    const from = Math.min(a[0]?.from ?? Infinity, b[0]?.from ?? Infinity);
    let to = from;
    const [inA, inB]: [Change[], Change[]] = [[], []];
    // Adjacent changes form one part: their order is not determined.
    const take = (left: Change[], taken: Change[]) => {
      let isTaken = false;
      while (left[0] && (left[0].from <= to)) {
        to = Math.max(to, left[0].to);
        taken.push(left.shift()!);
        isTaken = true;
      }
      return isTaken;
    };
    while (take(a, inA) || take(b, inB));
    settle(lines.slice(at, from));
    const [theirLines, myLines] = [applied(lines, inA, from, to), applied(lines, inB, from, to)];
    if (!inB.length || same(theirLines, myLines)) settle(theirLines);
    else if (!inA.length) settle(myLines);
    else parts.push({ kind: "conflict", at: conflicts++, conflict: { base: lines.slice(from, to), theirs: theirLines, mine: myLines } });
    at = to;
  }
  settle(lines.slice(at));
  return parts;
}

/** Returns the text with a choice for each conflict. */
export function mergedText(parts: readonly MergePart[], choices: readonly ("theirs" | "mine")[]): string {
  return parts.flatMap(part => part.kind === "settled" ? part.lines : part.conflict[choices[part.at] ?? "mine"]).join("\n");
}

export function conflictsOf(parts: readonly MergePart[]): Conflict[] {
  return parts.flatMap(part => part.kind === "conflict" ? [part.conflict] : []);
}

function changes(before: string, after: string): Change[] {
  const found: Change[] = [];
  let line = 0;
  let open: Change | null = null;
  for (const each of diffLines(before, after)) {
    if (each.kind === "same") {
      line++;
      open = null;
      continue;
    }
    if (!open) found.push(open = { from: line, to: line, lines: [] });
    if (each.kind === "added") open.lines.push(each.text);
    else open.to = ++line;
  }
  return found;
}

function applied(lines: readonly string[], changes: readonly Change[], from: number, to: number): string[] {
  const result: string[] = [];
  let at = from;
  for (const change of changes) {
    result.push(...lines.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...result, ...lines.slice(at, to)];
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
