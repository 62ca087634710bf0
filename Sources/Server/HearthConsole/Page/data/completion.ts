import { ConsoleApi, OutlineRow } from "../api/console";
import { Path, parsePath, pathText } from "../tree/keys";

const SHOWN = 8;

export interface Suggestion {
  path: Path;
  row: OutlineRow;
}

/** Returns the keys that begin with the text after the last slash. Reads only names, no values. */
export async function complete(api: ConsoleApi, database: string, typed: string): Promise<Suggestion[]> {
  const isWhole = typed === "" || typed.endsWith("/");
  const path = parsePath(typed);
  const prefix = isWhole ? "" : path.pop() ?? "";
  const above = pathText(path);
  const [exact, page] = await Promise.all([
    prefix ? api.outline(database, pathText([...path, prefix]), { limit: 1 }).catch(() => null) : null,
    api.outline(database, above, { order: { by: "key" }, from: prefix || undefined, limit: prefix ? 40 : SHOWN }),
  ]);
  const rows = page.rows.filter(row => row.key.startsWith(prefix));
  if (exact && exact.kind !== "null") rows.unshift({ key: prefix, kind: exact.kind, count: exact.count, bytes: exact.bytes });
  return rows.slice(0, SHOWN).map(row => ({ path: [...path, row.key], row }));
}
