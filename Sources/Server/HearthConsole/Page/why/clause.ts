import { Explanation, Visit } from "./explanation";

/** One way in by a rule: who that is in words, or the condition as it is written. */
export interface Clause {
  words: string | null;
  text: string;
  line: number;
  /** It was true for whoever was asked for. */
  isTrue: boolean;
}

const SIGNED_IN = /^auth(\.uid)? !==? null$/;
const NOT_SIGNED_IN = /^auth ===? null$/;
const OWN = /^(?:auth !==? null && )?(?:auth\.uid ===? (\$\w+)|(\$\w+) ===? auth\.uid)$/;

/** The ways in that a decision for nobody looked at. Rules that are never true are none. */
export function clausesOf(explanation: Explanation, kind: "read" | "write"): Clause[] {
  return explanation.trace.filter(visit => visit.kind === kind && visit.expression && visit.expression.text.trim() !== "false")
    .map(visit => ({ words: wordsOf(visit), text: visit.expression!.text, line: visit.line, isTrue: visit.value === true }));
}

function wordsOf(visit: Visit): string | null {
  const text = visit.expression!.text.replace(/\s+/g, " ").replace(/^\((.*)\)$/, "$1").trim();
  if (text === "true") return "everybody";
  if (SIGNED_IN.test(text)) return "whoever is signed in";
  if (NOT_SIGNED_IN.test(text)) return "whoever is not signed in";
  const name = OWN.exec(text);
  if (!name) return null;
  const key = keyAt(visit, name[1] ?? name[2]!);
  return key === null ? null : `${key} alone`;
}

/** What a wildcard stands for at a place. */
function keyAt(visit: Visit, wildcard: string): string | null {
  const at = visit.path.split("/").indexOf(wildcard);
  return at < 0 ? null : visit.at.split("/")[at] ?? null;
}
