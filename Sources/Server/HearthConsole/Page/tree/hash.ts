import { compareKeys } from "./keys";
import { Node, Priority, Scalar } from "./node";
import { compareValues } from "./order";
import { sha1Base64 } from "./sha1";

/** Returns the protocol's simple hash, by which a write names the value it expects to replace; an empty text for no
    value. */
export function hashOf(node: Node | null): string {
  if (!node) return "";
  const prefix = node.priority === null ? "" : `priority:${scalarText(node.priority)}:`;
  if (!node.children) return sha1Base64(prefix + scalarText(node.value!));
  let text = prefix;
  for (const [key, child] of inHashOrder(node.children)) text += `:${key}:${hashOf(child)}`;
  return sha1Base64(text);
}

function inHashOrder(children: Map<string, Node>): [string, Node][] {
  return [...children].sort((a, b) => compareValues(a[1].priority, b[1].priority) || compareKeys(a[0], b[0]));
}

function scalarText(value: Scalar | NonNullable<Priority>): string {
  return typeof value === "number" ? "number:" + doubleText(value) : `${typeof value}:${value}`;
}

/** Returns the 8 bytes of the double, in 16 hexadecimal digits. */
function doubleText(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  return view.getUint32(0).toString(16).padStart(8, "0") + view.getUint32(4).toString(16).padStart(8, "0");
}
