/// Moments as texts of RFC 3339, which exports of other tools have.
enum Timestamp {
  /// Milliseconds since 1970 of `2024-05-31T12:00:00.123Z` or `…+02:00`; nil for any other text. A finer fraction is cut.
  static func milliseconds(_ text: String) -> Int64? {
    var rest = Array(text.utf8)[...]
    guard rest.count <= 40, let year = number(&rest, digits: 4), take(&rest, "-"), let month = number(&rest, digits: 2),
      take(&rest, "-"), let day = number(&rest, digits: 2), take(&rest, "T") || take(&rest, "t"),
      let hour = number(&rest, digits: 2), take(&rest, ":"), let minute = number(&rest, digits: 2), take(&rest, ":"),
      let second = number(&rest, digits: 2), (1...12).contains(month), (1...daysOf(month, year: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    guard let fraction = fraction(&rest), let offsetMinutes = offset(&rest), rest.isEmpty else { return nil }
    let minutes = (days(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offsetMinutes
    return (minutes * 60 + second) * 1_000 + fraction
  }

  /// Days since 1970-01-01 in the Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Counted from the first of March, so that the leap day is the year's last.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private static func daysOf(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func fraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    guard take(&rest, ".") else { return 0 }
    var (milliseconds, scale): (Int64, Int64) = (0, 100)
    var isEmpty = true
    while let byte = rest.first, let digit = digit(byte) {
      milliseconds += digit * scale
      scale /= 10
      isEmpty = false
      rest = rest.dropFirst()
    }
    return isEmpty ? nil : milliseconds
  }

  private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
    if take(&rest, "Z") || take(&rest, "z") { return 0 }
    let isWest = take(&rest, "-")
    guard isWest || take(&rest, "+"), let hours = number(&rest, digits: 2), hours < 24 else { return nil }
    _ = take(&rest, ":")
    guard let minutes = number(&rest, digits: 2), minutes < 60 else { return nil }
    return (isWest ? -1 : 1) * (hours * 60 + minutes)
  }

  private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> Int64? {
    guard rest.count >= digits else { return nil }
    var value: Int64 = 0
    for byte in rest.prefix(digits) {
      guard let digit = digit(byte) else { return nil }
      value = value * 10 + digit
    }
    rest = rest.dropFirst(digits)
    return value
  }

  private static func digit(_ byte: UInt8) -> Int64? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int64(byte - UInt8(ascii: "0")) : nil
  }

  private static func take(_ rest: inout ArraySlice<UInt8>, _ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest = rest.dropFirst()
    return true
  }
}
