import { ConsoleApi } from "../api/console";
import { jsonText } from "../tree/input";
import { Path, pathText } from "../tree/keys";
import { Node, toExport } from "../tree/node";

const DOWNLOAD_PREFIX = "/.console/api/download/";

/** Downloads the data at a path, of any size, as a stream from the server. */
export async function downloadFromServer(api: ConsoleApi, database: string, path: Path): Promise<void> {
  const { path: address } = await api.request<{ path: string }>("POST", "/download", { database, path: pathText(path) });
  if (!address.startsWith(DOWNLOAD_PREFIX)) throw new Error("The server named another address than its own.");
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

/** Saves data that the page holds as a JSON file, named after the last key of its path. */
export function download(path: Path, node: Node | null): void {
  saveText(path[path.length - 1] ?? "data", jsonText(toExport(node)) + "\n");
}

/** Saves a text as a JSON file of that name. */
export function saveText(name: string, text: string): void {
  const link = document.createElement("a");
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.href = address;
  link.download = name.replace(/[^\w.-]+/g, "_").slice(0, 80) + ".json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
