/// The composition of a language. Operands are languages of the same ``Languages``.
enum LanguageNode: Hashable {
  /// An unknown language. Every question about it, and about languages made of it, is answered with "unknown".
  case opaque
  /// No text.
  case none
  /// The empty text alone.
  case emptyText
  /// Texts of one unit, of a set in ``UnitSets``.
  case units(Int32)
  /// A text of the first, then one of the second, which is often a sequence itself.
  case sequence(Language, Language)
  /// Texts of any of the languages; two or more, in order of their numbers.
  case either([Language])
  /// Texts of all of the languages; two or more, in order of their numbers.
  case both([Language])
  /// Texts that are not of the language.
  case complement(Language)
  /// The given number of its texts, one after another; unbounded when there is no maximum.
  case repeated(Language, atLeast: Int, atMost: Int?)
  /// Texts whose UTF-8 takes at most that many bytes; each half of a surrogate pair counts two.
  case bytes(atMost: Int)
}

/// Properties of a language that follow from its composition.
struct LanguageFacts {
  /// True when the empty text is a word.
  var isNullable: Bool
  /// The fewest units of a word.
  var unitsMin: Int
  /// The most units of a word; nil when no bound is known.
  var unitsMax: Int?
  /// Levels of nodes, those after the first of a sequence left out: they are visited in a loop.
  var height: Int
  /// The number of nodes that a derivative visits.
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
