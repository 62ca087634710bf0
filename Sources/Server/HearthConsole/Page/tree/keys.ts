/** The order of keys in the database: 32-bit integers by number, then all others by UTF-16 code unit. */

const INTEGER = /^-?0*\d{1,10}$/;

/** Returns the number that a key stands for, or null when it is ordered as text. */
export function integerOf(key: string): number | null {
  if (!INTEGER.test(key)) return null;
  const value = Number(key);
  return value >= -2147483648 && value <= 2147483647 ? value : null;
}

export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  const first = integerOf(a);
  const second = integerOf(b);
  if (first !== null && second !== null) return first - second || a.length - b.length;
  if (first !== null) return -1;
  if (second !== null) return 1;
  return a < b ? -1 : 1;
}

const KEY_BYTES_MAXIMUM = 768;

/** Returns the problem of a typed key, as a sentence, or null. */
export function problemOfKey(key: string): string | null {
  if (key === "") return "A key has at least one character.";
  const at = key.search(/[.$#[\]/\u0000-\u001f\u007f]/);
  if (at >= 0) return `A key may not contain . $ # [ ] / or control characters: character ${at + 1}.`;
  if (new TextEncoder().encode(key).length > KEY_BYTES_MAXIMUM) return "A key has at most 768 bytes.";
  return null;
}

export type Path = readonly string[];

export function parsePath(text: string): string[] {
  return text.split("/").filter(part => part !== "");
}

export function pathText(path: Path): string {
  return "/" + path.join("/");
}

export function isWithinPath(path: Path, above: Path): boolean {
  return path.length >= above.length && above.every((key, index) => key === path[index]);
}

export function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && isWithinPath(a, b);
}

/** Returns the longest path that contains both. */
export function sharedPath(a: Path, b: Path): Path {
  const end = a.findIndex((key, index) => key !== b[index]);
  return end < 0 ? a : a.slice(0, end);
}

/** Returns the reason why a value cannot be moved from one path to another, or null. */
export function problemOfMove(from: Path, to: Path): string | null {
  const wrong = to.length ? to.map(problemOfKey).find(each => each !== null) : problemOfKey("");
  if (wrong) return wrong;
  if (isSamePath(from, to)) return "This is its place already.";
  if (isWithinPath(to, from)) return `${pathText(to)} is below what is moved.`;
  if (isWithinPath(from, to)) return `${pathText(to)} holds what is moved.`;
  return null;
}
