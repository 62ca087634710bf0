import { formatCount } from "../format/number";
import { periodText } from "../format/time";
import { Denial } from "./denials";

/** Equal denials as one: the newest of them, with their count and first time. */
export interface GroupedDenial extends Denial {
  since: number;
  /** The ids of all of them, the newest first. */
  ids: string[];
}

/** Returns the number of equal denials and the time over which they occurred: `13 times in 4 minutes`; an empty text for
    a single one. */
export function repetitionText({ count, since, at }: GroupedDenial): string {
  return count > 1 ? `${formatCount(count)} times in ${periodText(at - since)}` : "";
}

/** Joins equal denials of the same user at the same path, as far as the list reaches. */
export function groupDenials(list: readonly Denial[]): GroupedDenial[] {
  const found = new Map<string, GroupedDenial>();
  for (const denial of list) {
    const { database, operation, cause, path, uid, rule, sentence } = denial;
    const what = JSON.stringify([database, operation, cause, path, uid, rule?.kind, rule?.line, rule?.column, sentence]);
    const newer = found.get(what);
    if (newer) {
      [newer.count, newer.since] = [newer.count + denial.count, denial.at];
      newer.ids.push(denial.id);
    }
    else found.set(what, { ...denial, since: denial.at, ids: [denial.id] });
  }
  return [...found.values()];
}
