/** Returns how well a label matches typed letters, from 0 for the best; null when it does not: a prefix of the label, a
    prefix of one of its words, a part of it, or its letters in this order. */
export function matchRank(label: string, typed: string): number | null {
  const [text, letters] = [label.toLowerCase(), typed.trim().toLowerCase()];
  if (text.startsWith(letters)) return 0;
  if (text.split(/[\s/]+/).some(word => word.startsWith(letters))) return 1;
  if (text.includes(letters)) return 2;
  let at = 0;
  for (const letter of letters.replace(/\s/g, "")) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return 3;
}

/** Returns the matching entries, the best first; those of equal rank keep their order. */
export function ranked<Entry>(entries: readonly Entry[], typed: string, label: (entry: Entry) => string): Entry[] {
  return entries.map(entry => ({ entry, rank: matchRank(label(entry), typed) }))
    .filter((each): each is { entry: Entry; rank: number } => each.rank !== null)
    .sort((a, b) => a.rank - b.rank).map(each => each.entry);
}
