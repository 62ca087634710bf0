/// The number of an event among all those of one journal.
struct EventNumber {
  /// The number of the commit.
  var position: Int64
  /// The number of the event within its commit.
  var ordinal: Int32

  /// Returns an ID of letters, digits, `-` and `_`, so that it can be a database key. The time in it keeps it unique
  /// even after the source was restored to an older state.
  func id(in source: String, milliseconds: Int64) -> String {
    let time = String(max(0, milliseconds), radix: 36)
    return "\(source)-\(time)-\(String(position, radix: 36))-\(ordinal)"
  }

  /// The number with a fixed count of digits, so that strings are ordered as numbers are.
  var sequence: String { Self.padded(position, to: 15) + Self.padded(Int64(ordinal), to: 6) }

  private static func padded(_ number: Int64, to count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
