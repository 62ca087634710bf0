/// Suggestions for words that were typed wrongly.
package enum Suggestion {
  /// The maximum number of characters of a word that are compared.
  private static let wordMax = 64

  /// Returns the known word that a typing mistake most likely meant; nil when none is close enough.
  package static func nearest(_ word: String, among known: [String]) -> String? {
    let word = word.prefix(wordMax).lowercased()
    let limit = max(1, min(3, word.count / 2))
    return
      known.map { (name: $0, distance: distance(word, $0.lowercased())) }.filter {
        $0.distance <= limit && $0.distance < word.count
      }
      .min { $0.distance < $1.distance }?.name
  }

  /// Returns the sentence `Did you mean 'users'?` with a space before it; empty when no word is close enough.
  package static func sentence(_ word: String, among known: [String]) -> String {
    nearest(word, among: known).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// Returns the number of insertions, deletions, replacements and exchanges of neighbours between two words.
  static func distance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var rows = [Array(0...b.count)]
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
