/// The term by which a language is composed. Operands are languages of the same ``Languages``.
enum LanguageNode: Hashable {
  /// An unknown language. Every question about it, and about languages composed of it, is answered with "unknown".
  case opaque
  /// No text.
  case none
  /// The empty text only.
  case emptyText
  /// Texts of one UTF-16 unit, from a set in ``UnitSets``.
  case units(Int32)
  /// A text of the first language followed by one of the second, which is often also a sequence.
  case sequence(Language, Language)
  /// Texts of any of the languages; two or more, in order of their numbers.
  case either([Language])
  /// Texts of all of the languages; two or more, in order of their numbers.
  case both([Language])
  /// Texts that are not of the language.
  case complement(Language)
  /// The concatenation of the given number of texts of the language; unbounded when there is no maximum.
  case repeated(Language, atLeast: Int, atMost: Int?)
  /// Texts of at most the given number of bytes in UTF-8; each half of a surrogate pair counts two.
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
