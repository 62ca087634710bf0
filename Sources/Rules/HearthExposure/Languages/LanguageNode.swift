/// What a language is made of. Operands are languages of the same ``Languages``.
enum LanguageNode: Hashable {
  /// Nothing is known of it. Every question about it, and about what is made of it, is answered with "unknown".
  case opaque
  /// No text.
  case none
  /// The empty text alone.
  case nothing
  /// Texts of one unit, of a set in ``UnitSets``.
  case units(Int32)
  /// A text of the first, then one of the second, which is often a sequence itself.
  case sequence(Language, Language)
  /// Texts of any; two or more, in order of their numbers.
  case either([Language])
  /// Texts of all; two or more, in order of their numbers.
  case both([Language])
  /// Texts that are not of it.
  case complement(Language)
  /// So many texts of it, one after another; any number when there is no most.
  case repeated(Language, atLeast: Int, atMost: Int?)
  /// Texts whose UTF-8 takes at most so many bytes; each half of a surrogate pair counts two.
  case bytes(atMost: Int)
}

/// What is known of a language from how it is made.
struct LanguageFacts {
  /// The empty text is a word.
  var isNullable: Bool
  /// No word has fewer units.
  var unitsMin: Int
  /// No word has more; nil for no bound that is known.
  var unitsMax: Int?
  /// Levels of nodes, those after the first of a sequence left out: they are walked in a loop.
  var height: Int
  /// Nodes that a derivative looks at.
  var width: Int
}

/// Sums that stop at the largest number instead of failing.
enum Saturating {
  static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, isTooMuch) = a.addingReportingOverflow(b)
    return isTooMuch ? .max : sum
  }

  static func sum(_ a: Int?, _ b: Int?) -> Int? {
    guard let a, let b else { return nil }
    return sum(a, b)
  }

  static func product(_ a: Int, _ b: Int) -> Int {
    let (product, isTooMuch) = a.multipliedReportingOverflow(by: b)
    return isTooMuch ? .max : product
  }
}
