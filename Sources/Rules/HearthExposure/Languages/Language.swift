/// A set of texts, identified by its number in the ``Languages`` that created it. Equal numbers mean equal sets;
/// different numbers may mean equal sets too.
package struct Language: Hashable, Sendable {
  let index: Int32
}

/// The result of searching for a word of a language.
package enum WordSearch: Equatable, Sendable {
  /// The text is a word of the language.
  case word(String)
  /// The language certainly has no word.
  case empty
  /// A limit was reached before the result was known.
  case unknown
}
