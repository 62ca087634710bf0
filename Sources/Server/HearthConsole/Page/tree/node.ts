/** A part of the database in the page. Empty is null: there are no empty nodes. */
export type Scalar = string | number | boolean;
export type Priority = string | number | null;
export type Json = null | Scalar | Json[] | { [key: string]: Json };
export type Kind = "object" | "string" | "number" | "boolean" | "null";

/** A node: a leaf has a value, any other has children. Keys are in a Map, for `__proto__` is a key like any other. */
export class Node {
  constructor(public value: Scalar | null, public children: Map<string, Node> | null, public priority: Priority = null) {}

  child(key: string): Node | null {
    return this.children?.get(key) ?? null;
  }
}

export function kindOf(node: Node | null): Kind {
  if (node === null) return "null";
  return node.children ? "object" : (typeof node.value as Kind);
}

/** Reads the export form: `.value` and `.priority` beside children. */
export function fromExport(json: Json | undefined): Node | null {
  if (json === null || json === undefined) return null;
  if (typeof json !== "object") return new Node(json, null);
  const isList = Array.isArray(json);
  const priority = isList ? null : ownPriority(json);
  if (!isList && hasOwn(json, ".value")) {
    const value = json[".value"];
    return value === null || typeof value === "object" ? null : new Node(value!, null, priority);
  }
  const children = new Map<string, Node>();
  for (const key of Object.keys(json)) {
    if (key.startsWith(".")) continue;
    const child = fromExport((json as { [key: string]: Json })[key]);
    if (child) children.set(key, child);
  }
  return children.size ? new Node(null, children, priority) : null;
}

function ownPriority(json: { [key: string]: Json }): Priority {
  const value = hasOwn(json, ".priority") ? json[".priority"] : null;
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function hasOwn(json: object, key: string): boolean {
  return Object.prototype.hasOwnProperty.call(json, key);
}

export function toExport(node: Node | null): Json {
  if (node === null) return null;
  if (!node.children) return node.priority === null ? node.value : { ".value": node.value, ".priority": node.priority };
  const json: { [key: string]: Json } = Object.create(null);
  for (const [key, child] of node.children) json[key] = toExport(child);
  if (node.priority !== null) json[".priority"] = node.priority;
  return json;
}

export function copyOf(node: Node): Node {
  if (!node.children) return new Node(node.value, null, node.priority);
  const children = new Map<string, Node>();
  for (const [key, child] of node.children) children.set(key, copyOf(child));
  return new Node(null, children, node.priority);
}

export function nodeAt(node: Node | null, path: readonly string[], from = 0): Node | null {
  for (let at = from; at < path.length && node; at++) node = node.child(path[at]!);
  return node;
}

/** Puts `part` at `path` below `root`, in place where possible, and returns the resulting root. */
export function putAt(root: Node | null, path: readonly string[], part: Node | null, at = 0): Node | null {
  if (at === path.length) return part;
  const key = path[at]!;
  if (key === ".priority" && at === path.length - 1) {
    if (root) root.priority = part && !part.children && typeof part.value !== "boolean" ? part.value : null;
    return root;
  }
  const before = root?.child(key) ?? null;
  const after = putAt(before, path, part, at + 1);
  if (after === before && (after !== null || root === null || root.children)) return root;
  if (after === null) {
    if (!root?.children) return root;
    root.children.delete(key);
    return root.children.size ? root : null;
  }
  if (root === null) return new Node(null, new Map([[key, after]]));
  if (!root.children) {
    root.value = null;
    root.children = new Map();
  }
  root.children.set(key, after);
  return root;
}

/** Returns the number of values of a part, counted up to `limit`. */
export function leavesOf(node: Node | null, limit = Infinity): number {
  if (!node) return 0;
  if (!node.children) return 1;
  let sum = 0;
  for (const child of node.children.values()) {
    sum += leavesOf(child, limit - sum);
    if (sum >= limit) break;
  }
  return sum;
}

export function isEqual(a: Node | null, b: Node | null): boolean {
  if (a === b) return true;
  if (!a || !b || a.value !== b.value || a.priority !== b.priority) return false;
  if (!a.children || !b.children) return a.children === b.children;
  if (a.children.size !== b.children.size) return false;
  for (const [key, child] of a.children) if (!isEqual(child, b.child(key))) return false;
  return true;
}
