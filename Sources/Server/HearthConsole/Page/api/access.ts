import { Json } from "../tree/node";
import { RulesRequest, Explanation } from "../why/explanation";
import { ConsoleApi } from "./console";

/** The decision of the rules in force for a path, over the current data. */
export interface Access {
  path: string;
  read: Explanation | null;
  write: Explanation | null;
  /** The reason why the decision is not known. */
  problem: string | null;
}

/**
 * Asks for the read and write access to paths: at most 10, because a request has at most 20 explanations, and each path
 * needs two.
 */
export async function loadAccess(api: ConsoleApi, database: string, paths: string[], auth: Json): Promise<Access[]> {
  if (!paths.length) return [];
  // The right to delete a value is the right to write there; validation of new values is separate.
  const requests: RulesRequest[] = paths.flatMap(path => [{ read: path, auth }, { delete: path, auth }]);
  const { decisions } = await api.requestAdministration<{ decisions: { explanation?: Explanation; error?: string }[] }>("POST",
    `.settings/rules/decide.json?peek=1&ns=${encodeURIComponent(database)}`, { requests, explain: true });
  return paths.map((path, at) => {
    const [read, write] = [decisions[at * 2], decisions[at * 2 + 1]];
    return { path, read: read?.explanation ?? null, write: write?.explanation ?? null, problem: read?.error ?? null };
  });
}
