import type { OutlineRow } from "../api/console";
import { Path } from "../tree/keys";
import { Kind, kindOf, Node } from "../tree/node";
import { Branch, BranchNote, Gap, Window } from "./branch";
import { ChildGap } from "./window";

/** A line of the tree, as it is displayed. */
export type Line = NodeLine | GapLine | NoteLine;

export interface NodeLine {
  type: "node";
  path: Path;
  key: string;
  depth: number;
  window: Window;
  node: Node | null;
  info: OutlineRow | null;
  open: Branch | null;
  /** The position among its siblings, from 1, or 0 when rows before it are not loaded. */
  position: number;
  size: number;
}

export interface GapLine {
  type: "gap";
  branch: Branch;
  gap: Gap;
  depth: number;
}

export interface NoteLine {
  type: "note";
  branch: Branch;
  note: BranchNote;
  depth: number;
}

export function lineAt(branch: Branch, line: number): Line | null {
  const depth = branch.path.length;
  if (branch.note) {
    if (line === 0) return { type: "note", branch, note: branch.note, depth };
    line--;
  }
  let before = 0;
  for (const part of branch.parts) {
    if (part instanceof ChildGap) {
      if (line === 0) return { type: "gap", branch, gap: part, depth };
      line--;
      before = NaN;
      continue;
    }
    const count = part.lineCount;
    if (line >= count) {
      line -= count;
      before += part.keys.length;
      continue;
    }
    const found = part.locate(line);
    return "branch" in found ? lineAt(found.branch, found.line) : nodeLine(part, found.at, before);
  }
  return null;
}

function nodeLine(window: Window, at: number, before: number): NodeLine {
  const { branch } = window;
  const key = window.keys[at]!;
  return {
    type: "node", key, window, depth: branch.path.length, path: [...branch.path, key],
    node: branch.model.valueOf(window, key), info: window.info.get(key) ?? null, open: window.open.get(key) ?? null,
    position: Number.isNaN(before) ? 0 : before + at + 1, size: Math.max(branch.count, branch.loaded),
  };
}

/** Returns the line of a path, or -1 when it is not open or not loaded. */
export function lineOf(root: Branch, path: Path): number {
  let line = 0;
  let branch: Branch | null = root;
  for (let depth = 0; depth < path.length; depth++) {
    if (!branch) return -1;
    const key: string = path[depth]!;
    if (branch.note) line++;
    let inside: Branch | null = null;
    let isFound = false;
    for (const part of branch.parts as Branch["parts"]) {
      const at: number = part instanceof ChildGap ? -1 : part.lineOf(key);
      if (at >= 0) {
        line += at;
        inside = (part as Window).open.get(key) ?? null;
        isFound = true;
        break;
      }
      line += part instanceof ChildGap ? 1 : part.lineCount;
    }
    if (!isFound) return -1;
    if (depth < path.length - 1) line++;
    branch = inside;
  }
  return path.length ? line : -1;
}

export function kindOfLine(line: NodeLine): Kind {
  return line.node ? kindOf(line.node) : line.info?.kind ?? "null";
}

/** Returns the number of children that a row displays. */
export function countOfLine(line: NodeLine): number {
  if (line.open && !line.open.note) return Math.max(line.open.count, 0);
  return line.node?.children ? line.node.children.size : line.info?.count ?? 0;
}
