import { compareKeys } from "./keys";
import { Node, nodeAt, Scalar } from "./node";

/** The order of the children of a node; `child` names a path below each of them. */
export type Order = { by: "key" | "value" | "priority" } | { by: "child"; child: string };

export const BY_KEY: Order = { by: "key" };

/** The end of an order from which children are read. */
export type End = "first" | "last";

/** The query object of the protocol. */
export interface Query {
  i?: string;
  sp?: Scalar | null;
  sn?: string;
  sin?: boolean;
  ep?: Scalar | null;
  en?: string;
  ein?: boolean;
  l?: number;
  vf?: "l" | "r";
}

/** An end of a range of children: the sort value of the child there, its key, and whether it belongs to the range. */
export interface Bound {
  value: Scalar | null;
  key: string;
  isIncluded: boolean;
}

export function indexOf(order: Order): string | undefined {
  switch (order.by) {
    case "key": return ".key";
    case "value": return ".value";
    case "priority": return undefined;
    case "child": return order.child;
  }
}

/** Returns the sort value of a child, or undefined for a node with children, which no query can name. */
export function sortValue(order: Order, node: Node): Scalar | null | undefined {
  switch (order.by) {
    case "key": return null;
    case "priority": return node.priority;
    case "value": return node.children ? undefined : node.value;
    case "child": {
      const part = nodeAt(node, order.child.split("/"));
      return part === null ? null : part.children ? undefined : part.value;
    }
  }
}

function rank(value: Scalar | null | undefined): number {
  if (value === null) return 0;
  if (value === undefined) return 5;
  return typeof value === "boolean" ? 1 : typeof value === "number" ? 2 : 3;
}

export function compareValues(a: Scalar | null | undefined, b: Scalar | null | undefined): number {
  const difference = rank(a) - rank(b);
  if (difference || a === b || a === null || a === undefined) return difference;
  return a < b! ? -1 : a > b! ? 1 : 0;
}

/** Compares two children of one node in an order. */
export function comparer(order: Order): (aKey: string, a: Node, bKey: string, b: Node) => number {
  if (order.by === "key") return (aKey, _a, bKey) => compareKeys(aKey, bKey);
  return (aKey, a, bKey, b) => compareValues(sortValue(order, a), sortValue(order, b)) || compareKeys(aKey, bKey);
}

export function sortedKeys(order: Order, children: Map<string, Node>): string[] {
  const keys = [...children.keys()];
  if (order.by === "key") return keys.sort(compareKeys);
  const compare = comparer(order);
  return keys.sort((a, b) => compare(a, children.get(a)!, b, children.get(b)!));
}

/** Returns the query for the range between two bounds, at most `limit` counted from one end. */
export function queryOf(order: Order, low: Bound | null, high: Bound | null, limit: number, from: End): Query {
  const query: Query = { l: limit, vf: from === "first" ? "l" : "r" };
  const index = indexOf(order);
  if (index !== undefined) query.i = index;
  const byKey = order.by === "key";
  if (low) {
    query.sp = byKey ? low.key : low.value;
    if (!byKey) query.sn = low.key;
    query.sin = low.isIncluded;
  }
  if (high) {
    query.ep = byKey ? high.key : high.value;
    if (!byKey) query.en = high.key;
    query.ein = high.isIncluded;
  }
  return query;
}

export function orderText(order: Order): string {
  return order.by === "child" ? "child:" + order.child : order.by;
}

export function orderFrom(text: string | null): Order | null {
  if (text === "key" || text === "value" || text === "priority") return { by: text };
  return text?.startsWith("child:") && text.length > 6 ? { by: "child", child: text.slice(6) } : null;
}
