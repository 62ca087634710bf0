import { Kind, Node, Scalar } from "../tree/node";
import { compareKeys } from "../tree/keys";
import { displayText } from "./text";

/** Returns a value on one line: text in quotes, others as they are. */
export function valueText(value: Scalar): string {
  return typeof value === "string" ? `"${displayText(value)}"` : String(value);
}

const PREVIEW_CHILDREN = 4;
const PREVIEW_UNITS = 160;

/** Returns the first leaves of a small object: `text: "hello", uid: "ann"`. */
export function preview(node: Node): string {
  if (!node.children || node.children.size > 64) return "";
  const parts: string[] = [];
  let length = 0;
  for (const key of [...node.children.keys()].sort(compareKeys)) {
    const child = node.children.get(key)!;
    const part = `${displayText(key, 64)}: ${child.children ? "{…}" : valueText(child.value!)}`;
    parts.push(part);
    length += part.length;
    if (parts.length === PREVIEW_CHILDREN || length > PREVIEW_UNITS) break;
  }
  return parts.join(", ") + (parts.length < node.children.size ? ", …" : "");
}

/** Returns the displayed name of a kind. */
export function kindName(kind: Kind): string {
  switch (kind) {
    case "string": return "text";
    case "null": return "nothing";
    default: return kind;
  }
}
