/** The characters that are displayed as escapes in foreign text: those that do not print, or change the reading
    direction. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The maximum number of UTF-16 units of a text in a row. */
export const ROW_TEXT_LIMIT = 512;

export function displayText(text: string, limit = ROW_TEXT_LIMIT): string {
  const cut = text.length > limit ? text.slice(0, endOfWholeCharacter(text, limit)) + "…" : text;
  return cut.replace(INVISIBLE, unit => "\\u" + unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0"));
}

/** Returns the greatest end at or below `end` that does not cut a surrogate pair. */
export function endOfWholeCharacter(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end > 0 && end < text.length && unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}

/** Returns a count with its noun: `1 row`, `2 rows`. */
export function plural(count: number, one: string, many = one + "s"): string {
  return count === 1 ? one : many;
}
