/// A node of the term that defines a language: an operation and its operands, which are languages of the same
/// ``Languages``.
enum LanguageNode: Hashable {
  /// An unknown language. Every question about it, and about languages composed of it, is answered with "unknown".
  case opaque
  /// No text.
  case none
  /// The empty text only.
  case emptyText
  /// Texts of one UTF-16 unit, from a set in ``UnitSets``.
  case units(Int32)
  /// A text of the first language followed by one of the second. The second is often a sequence itself.
  case sequence(Language, Language)
  /// Texts of any of the languages; two or more, in order of their numbers.
  case union([Language])
  /// Texts of all of the languages; two or more, in order of their numbers.
  case intersection([Language])
  /// Texts that are not of the language.
  case complement(Language)
  /// The concatenation of the given number of texts of the language; unbounded when there is no maximum.
  case repeated(Language, atLeast: Int, atMost: Int?)
  /// Texts of at most the given number of bytes in UTF-8; each half of a surrogate pair counts two.
  case bytes(atMost: Int)
}

/// Properties of a language that follow from its composition.
struct LanguageFacts {
  /// True when the language contains the empty text.
  var isNullable: Bool
  /// The minimum length of its texts in UTF-16 code units.
  var unitsMin: Int
  /// The maximum length of its texts in UTF-16 code units; nil when no bound is known.
  var unitsMax: Int?
  /// The number of levels of nodes. The parts of a sequence after the first are not counted, because they are visited
  /// in a loop.
  var height: Int
  /// The number of nodes that a derivative visits.
  var width: Int
}

/// Saturating arithmetic: the result is the largest number instead of an overflow.
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
