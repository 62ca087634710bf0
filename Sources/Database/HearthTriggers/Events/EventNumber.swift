/// Where an event stands among all those of one journal.
struct EventNumber {
  /// The number of the commit.
  var position: Int64
  /// Counts the events of one commit.
  var ordinal: Int32

  /// Of letters, digits, `-` and `_`, so that it can be a key; of no other event of that source, also after the source was
  /// put back to an older state.
  func id(in source: String, milliseconds: Int64) -> String {
    let time = String(max(0, milliseconds), radix: 36)
    return "\(source)-\(time)-\(String(position, radix: 36))-\(ordinal)"
  }

  /// Digits of a fixed number, so that they can be compared as text.
  var sequence: String { Self.padded(position, to: 15) + Self.padded(Int64(ordinal), to: 6) }

  private static func padded(_ number: Int64, to count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
