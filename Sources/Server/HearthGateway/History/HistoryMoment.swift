import HearthTree

/// A point in a database's history, in the form that users write.
///
/// | text | moment |
/// |---|---|
/// | `4711` | after the commit of this position |
/// | `2026-11-20T14:03:00Z`, `2026-11-20T15:03:00.5+01:00` | that time (RFC 3339) |
/// | `10 minutes ago`, `2h`, `1d12h`, `1 week 2 days ago` | so long before now |
///
/// Units are `s`, `m`, `h`, `d` and `w`, or the words `second`, `minute`, `hour`, `day` and `week`, their plurals, and
/// `sec` and `min`.
package enum HistoryMoment: Sendable, Equatable {
  /// The point after a commit.
  case position(Int64)
  /// The point at a time, in milliseconds since 1970.
  case time(milliseconds: Int64)

  /// The reason why a text is not a valid point in history, with its position.
  package struct Problem: Error, Equatable, CustomStringConvertible {
    /// The problem in words.
    package var message: String
    /// The first character that does not fit, counted from 1.
    package var column: Int

    package var description: String { "column \(column): \(message)" }
  }

  private static let millisecondsPerUnit: [String: Int64] = {
    var units: [String: Int64] = [:]
    for (names, milliseconds) in [
      (["s", "sec", "second", "seconds"], 1_000), (["m", "min", "minute", "minutes"], 60_000),
      (["h", "hour", "hours"], 3_600_000), (["d", "day", "days"], 86_400_000),
      (["w", "week", "weeks"], 7 * 86_400_000),
    ] as [([String], Int64)] {
      for name in names { units[name] = milliseconds }
    }
    return units
  }()

  /// Parses a text.
  ///
  /// - Throws: ``Problem``.
  package init(_ text: String, nowMilliseconds: Int64) throws(Problem) {
    guard text.utf8.count <= 100 else { throw Problem(message: "this is too long for a time", column: 101) }
    if let position = Int64(text), position >= 0, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) {
      self = .position(position)
    } else if text.utf8.dropFirst(4).first == UInt8(ascii: "-") {
      guard let milliseconds = Timestamp.milliseconds(text) else {
        throw Problem(message: "a time is written as 2026-11-20T14:03:00Z or 2026-11-20T15:03:00+01:00", column: 1)
      }
      self = .time(milliseconds: milliseconds)
    } else {
      let (milliseconds, _) = nowMilliseconds.subtractingReportingOverflow(try Self.duration(text, isAgo: true))
      self = .time(milliseconds: milliseconds)
    }
  }

  /// Parses a length of time such as `7d` or `1h30m`, in milliseconds.
  ///
  /// - Parameter isAgo: true when `ago` may be at its end.
  /// - Throws: ``Problem``.
  package static func duration(_ text: String, isAgo: Bool = false) throws(Problem) -> Int64 {
    var words = Words(text)
    var sum: Int64 = 0
    var isEmpty = true
    while let word = words.next() {
      if isAgo, !isEmpty, word.text == "ago", words.isAtEnd { return sum }
      guard let number = Int64(word.text) else {
        throw Problem(
          message: "expected a number, as in 10 minutes\(isAgo ? " ago" : ""), and found \(word.shown)",
          column: word.column)
      }
      guard let unit = words.next() else {
        throw Problem(message: "a unit is missing: s, m, h, d or w", column: text.unicodeScalars.count + 1)
      }
      guard let milliseconds = millisecondsPerUnit[unit.text] else {
        throw Problem(message: "unknown unit \(unit.shown); the units are s, m, h, d and w", column: unit.column)
      }
      let (product, isTooLong) = number.multipliedReportingOverflow(by: milliseconds)
      let (next, isTooMuch) = sum.addingReportingOverflow(product)
      guard !isTooLong, !isTooMuch else { throw Problem(message: "this is too long", column: word.column) }
      sum = next
      isEmpty = false
    }
    guard !isEmpty else { throw Problem(message: "a time is missing", column: 1) }
    return sum
  }

  /// The numbers and words of a text.
  private struct Words {
    struct Word {
      var text: String
      var column: Int
      /// The word in the form for messages, without control characters.
      var shown: String { "\"" + String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }) + "\"" }
    }

    private let scalars: [Unicode.Scalar]
    private var place = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var isAtEnd: Bool { scalars[place...].allSatisfy { $0 == " " } }

    mutating func next() -> Word? {
      while place < scalars.count, scalars[place] == " " { place += 1 }
      guard place < scalars.count else { return nil }
      let start = place
      let isNumber = Self.isDigit(scalars[start])
      while place < scalars.count, scalars[place] != " ", Self.isDigit(scalars[place]) == isNumber { place += 1 }
      let text = String(String.UnicodeScalarView(scalars[start..<place]))
      return Word(text: text, column: start + 1)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
  }
}
