import { Explanation, RuleVisit } from "./explanation";

/** An alternative of a rule: the users that it allows in words, or the condition as it is written. */
export interface Clause {
  description: string | null;
  text: string;
  line: number;
  /** True when it held for the requested identity. */
  isTrue: boolean;
}

const SIGNED_IN = /^auth(\.uid)? !==? null$/;
const NOT_SIGNED_IN = /^auth ===? null$/;
const OWN = /^(?:auth !==? null && )?(?:auth\.uid ===? (\$\w+)|(\$\w+) ===? auth\.uid)$/;

/** Returns the alternatives that a decision for a signed-out client evaluated. Rules that are never true have none. */
export function clausesOf(explanation: Explanation, kind: "read" | "write"): Clause[] {
  return explanation.trace.filter(visit => visit.kind === kind && visit.expression && visit.expression.text.trim() !== "false")
    .map(visit => ({ description: describe(visit), text: visit.expression!.text, line: visit.line, isTrue: visit.value === true }));
}

function describe(visit: RuleVisit): string | null {
  const text = visit.expression!.text.replace(/\s+/g, " ").replace(/^\((.*)\)$/, "$1").trim();
  if (text === "true") return "all clients";
  if (SIGNED_IN.test(text)) return "signed-in users";
  if (NOT_SIGNED_IN.test(text)) return "signed-out clients";
  const name = OWN.exec(text);
  if (!name) return null;
  const key = keyAt(visit, name[1] ?? name[2]!);
  return key === null ? null : `${key} alone`;
}

/** Returns the key that a wildcard matched at a path. */
function keyAt(visit: RuleVisit, wildcard: string): string | null {
  const at = visit.path.split("/").indexOf(wildcard);
  return at < 0 ? null : visit.at.split("/")[at] ?? null;
}
