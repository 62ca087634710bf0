import { jsonText } from "../tree/input";
import { Path } from "../tree/keys";
import { Node, toExport } from "../tree/node";

/** Gives a small part to the browser as a file. */
export function download(path: Path, node: Node | null): void {
  const link = document.createElement("a");
  const address = URL.createObjectURL(new Blob([jsonText(toExport(node)) + "\n"], { type: "application/json" }));
  link.href = address;
  link.download = (path[path.length - 1] ?? "data").replace(/[^\w.-]+/g, "_").slice(0, 80) + ".json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
