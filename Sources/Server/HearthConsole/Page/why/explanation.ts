import { Json } from "../tree/node";

/** A part of a rule in the server's trace: its position, and its result. */
export interface TracedExpression {
  text: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  value?: Json;
  error?: string;
  reached?: boolean;
  operands?: TracedExpression[];
}

export interface RuleVisit {
  path: string;
  kind: "read" | "write" | "validate";
  line: number;
  column: number;
  at: string;
  value?: boolean;
  error?: string;
  expression?: TracedExpression;
  decisive?: TracedExpression;
  reads: DataRead[];
}

export interface DataRead {
  path: string;
  after: boolean;
  aspect: "value" | "priority" | "exists" | "hasChildren";
  value: Json;
}

export interface Explanation {
  allowed: boolean;
  operation: string;
  path: string;
  outcome: "granted" | "noRule" | "noGrant" | "invalid";
  summary: string;
  rule: { path: string; kind: string; line: number; column: number } | null;
  error?: string;
  decisive?: TracedExpression;
  trace: RuleVisit[];
}

/** The decision of the rules on a request that was tried. */
export interface Decision {
  allowed?: boolean;
  error?: string;
  explanation?: Explanation;
  /** The data that the decision was made over. */
  dataOf?: "now" | "denial";
  /** False when the rules read data that the record of a denial does not contain; such data counted as missing. */
  isComplete?: boolean;
  /** `auth` as rules see it, for the user of a token. */
  auth?: Json;
}

/** A request, in the form of a case of `hearth rules test`. */
export interface RulesRequest {
  read?: string;
  write?: string;
  update?: string;
  delete?: string;
  value?: Json;
  query?: Json;
  auth?: Json;
  now?: number;
}

export type PartResult = "held" | "failed" | "unasked";

/** A line of a condition that was split at its connectives. */
export interface ConditionPart {
  /** The connective before the part: `&&`, `||`, or an empty text before the first. */
  connective: string;
  traced: TracedExpression;
  mark: PartResult;
  /** The result, as it would be written in a rule. */
  value: string;
  /** The data or claims that gave it that value. */
  sources: string[];
}

/** Returns the visit of the deciding rule; the last visit when no rule decided, and null without any. */
export function decidingVisit(explanation: Explanation): RuleVisit | null {
  const { rule, trace } = explanation;
  if (!rule) return trace[trace.length - 1] ?? null;
  const fits = trace.filter(visit => visit.line === rule.line && visit.column === rule.column && visit.kind === rule.kind);
  return fits[fits.length - 1] ?? null;
}

/** Returns the parts between a condition's outermost connectives. */
export function partsOf(visit: RuleVisit): ConditionPart[] {
  const { expression } = visit;
  if (!expression) return [];
  const connectives = connectivesOf(expression);
  const parts = connectives ? expression.operands! : [expression];
  return parts.map((traced, at) => ({
    connective: connectives?.[at - 1] ?? "", traced, mark: markOf(traced), value: valueOf(traced), sources: valueSources(traced),
  }));
}

/** Returns the connectives of a condition's operands, if it is one connective throughout; null otherwise. */
function connectivesOf(traced: TracedExpression): string[] | null {
  const operands = traced.operands ?? [];
  const found: string[] = [];
  let end = 0;
  for (const [at, operand] of operands.entries()) {
    const start = traced.text.indexOf(operand.text, end);
    // A text may be cut; then its position identifies the rest.
    if (start < 0 && !found.length) return null;
    if (at) found.push(start < 0 ? found[0]! : traced.text.slice(end, start).trim());
    end = start < 0 ? traced.text.length : start + operand.text.length;
  }
  const isWhole = found.length > 0 && found.every(each => each === found[0]) && (found[0] === "&&" || found[0] === "||");
  return isWhole ? found : null;
}

function markOf(traced: TracedExpression): PartResult {
  if (traced.reached === false) return "unasked";
  return traced.value === true ? "held" : "failed";
}

/** Returns a value as it would be written in a rule. */
export function valueOf(traced: TracedExpression): string {
  if (traced.reached === false) return "not evaluated";
  if (traced.error) return traced.error;
  return valueText(traced.value ?? null);
}

export function valueText(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const object = value as { [key: string]: Json };
  if ("text" in object) return JSON.stringify(object.text) + "…";
  if ("container" in object) return "{…}";
  if ("claim" in object) return String(object.claim);
  if ("number" in object) return String(object.number);
  if ("snapshot" in object) return snapshotText(object.snapshot as { path: string; after: boolean; value: Json });
  return JSON.stringify(value);
}

function snapshotText(snapshot: { path: string; after: boolean; value: Json }): string {
  const place = snapshot.path + (snapshot.after ? " after the write" : "");
  return snapshot.value === null ? `nothing at ${place}` : `${place}: ${valueText(snapshot.value)}`;
}

/** Returns the sources of a part's values: paths of the data first, then facts of the caller. */
export function valueSources(traced: TracedExpression): string[] {
  const found: string[] = [];
  const visit = (part: TracedExpression, isTop: boolean): void => {
    const value = part.value;
    const isSnapshot = value !== null && typeof value === "object" && "snapshot" in (value as object);
    const isName = /^(auth|now|\$\w+)(\.[\w.]+)?$/.test(part.text);
    const text = isSnapshot ? snapshotText((value as any).snapshot) : isName && !isTop && value !== undefined && !isObjectClaim(value)
      ? `${part.text} is ${valueText(value)}` : null;
    // The innermost of nested snapshots is the data that was read.
    if (isSnapshot && text) return void (found.includes(text) || found.push(text));
    for (const operand of part.operands ?? []) visit(operand, false);
    if (text && !found.includes(text)) found.push(text);
  };
  if (traced.reached === false) return found;
  visit(traced, true);
  return found.slice(0, 4);
}

function isObjectClaim(value: Json): boolean {
  return value !== null && typeof value === "object" && "claim" in (value as object);
}
