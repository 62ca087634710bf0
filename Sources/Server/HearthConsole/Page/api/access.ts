import { Json } from "../tree/node";
import { AskedRequest, Explanation } from "../why/explanation";
import { ConsoleApi } from "./console";

/** What the rules in force say of a place over the data of now. */
export interface Access {
  path: string;
  read: Explanation | null;
  write: Explanation | null;
  /** Why it is not known. */
  problem: string | null;
}

/** Whether somebody may read and write places: at most 10, for each is explained twice. */
export async function askAccess(api: ConsoleApi, database: string, paths: string[], auth: Json): Promise<Access[]> {
  if (!paths.length) return [];
  // Whoever may take a value away may write there; what must be true of a value is another matter.
  const requests: AskedRequest[] = paths.flatMap(path => [{ read: path, auth }, { delete: path, auth }]);
  const { decisions } = await api.server<{ decisions: { explanation?: Explanation; error?: string }[] }>("POST",
    `.settings/rules/decide.json?peek=1&ns=${encodeURIComponent(database)}`, { requests, explain: true });
  return paths.map((path, at) => {
    const [read, write] = [decisions[at * 2], decisions[at * 2 + 1]];
    return { path, read: read?.explanation ?? null, write: write?.explanation ?? null, problem: read?.error ?? null };
  });
}
