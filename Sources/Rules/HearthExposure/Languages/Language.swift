/// A set of texts, by its number in the ``Languages`` that made it. Equal numbers are equal sets; the reverse need not
/// hold.
package struct Language: Hashable, Sendable {
  let index: Int32
}

/// The result of searching for a word of a language.
package enum WordSearch: Equatable, Sendable {
  /// The text is a word of it.
  case word(String)
  /// The language has no word: proved.
  case empty
  /// A limit was reached before either was known.
  case unknown
}
