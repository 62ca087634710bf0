import { FUNCTIONS } from "./functions";

/** The variables of the rules language, for completion and help. */
export const VARIABLES: { [name: string]: string } = {
  auth: "Who asks: auth.uid, auth.provider, auth.token with all claims. null for who is not signed in.",
  now: "The time, in milliseconds since 1970.",
  root: "The database as it is, from its root.",
  data: "What stands at the rule's place before the write.",
  newData: "What would stand at the rule's place after the write.",
  query: "The query of a read: orderByChild, limitToFirst, startAt and the like.",
};

export const RULES: { [name: string]: string } = {
  ".read": "Who may read here and below. Once true, no rule below takes it away.",
  ".write": "Who may write here and below. Once true, no rule below takes it away.",
  ".validate": "What a written value must be. Every one on the way must hold; removals are not asked.",
  ".indexOn": "By which children, or .value, queries here are ordered.",
};

/** Returns the help for a word under the pointer, or null. */
export function helpFor(word: string): string | null {
  const bare = word.replace(/^"|"$/g, "");
  if (bare.startsWith("$")) return `${bare} stands for the key at this place of the path.`;
  const own = (table: { [name: string]: string }, name: string) =>
    Object.prototype.hasOwnProperty.call(table, name) ? table[name]! : null;
  return own(RULES, bare) ?? own(VARIABLES, bare) ?? own(FUNCTIONS, bare.replace(/^\./, ""));
}

/** Returns the wildcards of the paths around a line, by the indentation. */
export function wildcardsAbove(lines: readonly string[], line: number): string[] {
  const found: string[] = [];
  let depth = Infinity;
  for (let at = line; at >= 0; at--) {
    const text = lines[at] ?? "";
    const inset = text.length - text.trimStart().length;
    const names = [...text.matchAll(/"(\$[^"\\]+)"\s*:/g)].map(match => match[1]!);
    if (at === line) found.push(...names);
    else if (text.trim() && inset < depth) found.push(...names);
    if (text.trim()) depth = Math.min(depth, inset);
  }
  return [...new Set(found)].reverse();
}

/** Returns the literal keys around a line, from the top, by the indentation; null when one of them is a wildcard. */
export function keysAbove(lines: readonly string[], line: number): string[] | null {
  const found: string[] = [];
  let depth = (lines[line] ?? "").length - (lines[line] ?? "").trimStart().length;
  for (let at = line - 1; at >= 0; at--) {
    const text = lines[at]!;
    const inset = text.length - text.trimStart().length;
    if (!text.trim() || inset >= depth) continue;
    depth = inset;
    // The keys that are still open at the line's end.
    const open: string[] = [];
    for (const [part, key] of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:\s*\{|"(?:[^"\\]|\\.)*"|[{}]/g)) {
      if (key !== undefined) open.push(key);
      else if (part === "}") open.pop();
    }
    found.unshift(...open);
  }
  const places = found[0] === "rules" ? found.slice(1) : found;
  return places.some(place => place.startsWith("$")) ? null : places;
}

/** Returns the typed part of a key in a line, and its start; null elsewhere. */
export function typedKey(text: string, column: number): { from: number; typed: string } | null {
  const found = /^\s*[{,]?\s*"([^".$\\]*)$/.exec(text.slice(0, column));
  return found ? { from: column - found[1]!.length, typed: found[1]! } : null;
}

export interface Completion {
  text: string;
  help: string;
  /** The start of the replaced text in the line. */
  from: number;
}

/** Returns the completions at a column of a line. */
export function completions(lines: readonly string[], line: number, column: number): Completion[] {
  const before = (lines[line] ?? "").slice(0, column);
  const typed = /(\.?)([$\w]*)$/.exec(before)!;
  const [, dot, word] = typed as unknown as [string, string, string];
  const isKey = /^\s*[{,]?\s*"[^"]*$/.test(before);
  const from = column - word.length;
  const fit = (table: { [name: string]: string }, begin: number, prefix: string) => Object.keys(table)
    .filter(name => name.startsWith(prefix)).map(name => ({ text: name, help: table[name]!, from: begin }));
  if (isKey) return dot || !word ? fit(RULES, from - dot.length, dot + word) : [];
  if (dot) {
    const call = (name: string) => FUNCTIONS[name]!.startsWith(`${name}(`) ? `${name}()` : name;
    return fit(FUNCTIONS, from, word).map(each => ({ ...each, text: call(each.text) }));
  }
  const wildcards = wildcardsAbove(lines, line).filter(name => name.startsWith(word))
    .map(text => ({ text, help: helpFor(text)!, from }));
  return [...wildcards, ...fit(VARIABLES, from, word)];
}

/** Returns true when a quote typed before another one is a character of its own: it opens a text, or ends one whose end
    is missing. Otherwise the other one is its end already.
 *
 * - `startsInside`: true when the line begins within a text.
 */
export function isOwnQuote(before: string, after: string, startsInside: boolean): boolean {
  const isInside = (countQuotes(before) % 2 === 1) !== startsInside;
  return !isInside || countQuotes(after) % 2 === 0;
}

function countQuotes(text: string): number {
  return (text.replace(/\\./g, "").match(/"/g) ?? []).length;
}
