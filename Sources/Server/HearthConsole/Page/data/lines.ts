import { preview, valueText } from "../format/value";
import { isSamePath, Path } from "../tree/keys";
import { Node } from "../tree/node";
import { Line, lineAt, lineOf } from "./line";
import type { TreeModel } from "./model";

/** The lines of a tree by their index. */
export interface Lines {
  readonly count: number;
  at(line: number): Line | null;
  indexOf(path: Path): number;
}

/** All lines of the open nodes. */
export class AllLines implements Lines {
  constructor(private readonly model: TreeModel) {}

  get count(): number {
    return this.model.root.lineCount;
  }

  at(line: number): Line | null {
    return line < 0 || line >= this.count ? null : lineAt(this.model.root, line);
  }

  indexOf(path: Path): number {
    return lineOf(this.model.root, path);
  }
}

/** The number of values that are searched below a closed row. */
const SEARCHED_LEAVES = 2000;

/** The loaded lines that have a text in their key or value, with their parents. */
export class FilteredLines implements Lines {
  private readonly found: Line[] = [];
  matches = 0;

  constructor(model: TreeModel, filter: string) {
    const wanted = filter.toLowerCase();
    const all = new AllLines(model);
    const above: Line[] = [];
    for (let at = 0; at < all.count; at++) {
      const line = all.at(at)!;
      if (line.type !== "node") continue;
      above.length = line.depth;
      above[line.depth] = line;
      if (!isMatch(line.key, line.open ? null : line.node, wanted)) continue;
      this.matches++;
      for (const each of above) if (each && !this.found.includes(each, Math.max(0, this.found.length - 40))) this.found.push(each);
    }
  }

  get count(): number {
    return this.found.length;
  }

  at(line: number): Line | null {
    return this.found[line] ?? null;
  }

  indexOf(path: Path): number {
    return this.found.findIndex(line => line.type === "node" && isSamePath(line.path, path));
  }
}

function isMatch(key: string, node: Node | null, wanted: string): boolean {
  if (key.toLowerCase().includes(wanted)) return true;
  if (!node) return false;
  if (!node.children) return valueText(node.value!).toLowerCase().includes(wanted);
  if (preview(node).toLowerCase().includes(wanted)) return true;
  let left = SEARCHED_LEAVES;
  const search = (part: Node): boolean => {
    if (--left < 0) return false;
    if (!part.children) return String(part.value).toLowerCase().includes(wanted);
    for (const [name, child] of part.children) if (name.toLowerCase().includes(wanted) || search(child)) return true;
    return false;
  };
  return search(node);
}
