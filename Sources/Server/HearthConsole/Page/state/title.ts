import { pathText } from "../tree/keys";
import { ViewAddress } from "./route";

/** Returns the title of the document: the subject first, because tabs are cut at the end.
 *
 * - `subject`: the name of what the view shows, where the address has only its id.
 */
export function pageTitle(title: string, address: ViewAddress, database: string, subject: string | null): string {
  const about = subject ?? partOf(address);
  return [...about ? [about] : [], title, ...database ? [database] : [], "Hearth"].join(" · ");
}

/** Returns the part of a view that an address names. */
function partOf({ view, parts }: ViewAddress): string | null {
  switch (view) {
    case "data": return parts.length ? pathText(parts) : null;
    case "rules": return parts[0] === "denial" ? "Refused request" : RULES_TABS[parts[0] ?? ""] ?? null;
    case "people": return parts[0] ?? null;
    case "now": return parts[0] === "connections" && parts[1] ? `Connection ${parts[1]}` : null;
    default: return null;
  }
}

const RULES_TABS: { [part: string]: string } = { try: "Try it", history: "History", staged: "Staged" };
