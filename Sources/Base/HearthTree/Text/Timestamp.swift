/// Times as texts of RFC 3339, for responses, the audit trail and export files of other tools.
package enum Timestamp {
  /// Returns the milliseconds since 1970 of `2024-05-31T12:00:00.123Z` or `…+02:00`; nil for any other text. A finer
  /// fraction is truncated.
  package static func milliseconds(_ text: String) -> Int64? {
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

  /// Returns the text of a time, such as `2024-05-31T12:00:00.123Z`. Times before the year 1 or after 9999 are clamped
  /// to this range.
  package static func text(milliseconds: Int64) -> String {
    let bounded = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    // Swift's division rounds towards 0, but a day must begin at midnight also before 1970.
    let rest = (bounded % 86_400_000 + 86_400_000) % 86_400_000
    let day = (bounded - rest) / 86_400_000
    let (year, month, date) = civil(day: day)
    let (seconds, millisecond) = (rest / 1000, rest % 1000)
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(date, 2) + "T" + pad(seconds / 3600, 2) + ":"
      + pad(seconds / 60 % 60, 2) + ":" + pad(seconds % 60, 2) + "." + pad(millisecond, 3) + "Z"
  }

  /// Returns the text of a time for names of files, such as `20240531T120000.123Z`.
  package static func compact(milliseconds: Int64) -> String {
    text(milliseconds: milliseconds).filter { $0 != "-" && $0 != ":" }
  }

  /// Returns the Gregorian date of a day counted from 1970-01-01 (Hinnant, "chrono-compatible low-level date
  /// algorithms").
  private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private static func pad(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }

  /// Returns the number of days since 1970-01-01 in the Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Years are counted from the first of March, so that the leap day is the year's last.
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
